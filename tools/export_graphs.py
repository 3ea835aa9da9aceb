"""Export the graphs of the bundled model again, after a change of `networks/incremental.py`.

Its weights, tokenizer, card and inference configuration stay.
"""

from editcast_model.bundle import Bundle, bundled_path, write_config
from editcast_model.export import export, load_network
from editcast_model.plain_files import read_json


def main() -> None:
    """Replace the bundled model by the same one with new graphs."""
    bundle = Bundle.open(bundled_path())
    card = read_json(bundle.path, "card.json")
    inference = read_json(bundle.path, "config.json")["inference"]
    made = export(load_network(bundle), bundle.tokenizer, card, bundle.path)
    write_config(made.path, made.network.to_json(), inference=inference)
    print(f"Exported the graphs of {made.name}, format {made.format}.")


if __name__ == "__main__":
    main()
