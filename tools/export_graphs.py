"""Export the graphs of the bundled model again, after a change of `networks/incremental.py`.

Its weights, tokenizer and card stay.
"""

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.export import export, load_network
from editcast_model.plain_files import read_json


def main() -> None:
    """Replace the bundled model by the same one with new graphs."""
    bundle = Bundle.open(bundled_path())
    card = read_json(bundle.path, "card.json")
    made = export(load_network(bundle), bundle.tokenizer, card, bundle.path)
    print(f"Exported the graphs of {made.name}, format {made.format}.")


if __name__ == "__main__":
    main()
