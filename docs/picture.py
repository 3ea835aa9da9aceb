"""Makes `docs/demo.svg`, the README's picture, from a real `editcast demo`."""

from pathlib import Path

from rich.console import Console

from editcast.commands import demo

WIDTH = 100


def main() -> None:
    """Run the demo and keep what it printed."""
    console = Console(record=True, width=WIDTH)
    demo.run(console)
    target = Path(__file__).with_name("demo.svg")
    console.save_svg(str(target), title="editcast demo")
    print(f"wrote {target.name}")


if __name__ == "__main__":
    main()
