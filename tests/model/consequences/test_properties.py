"""Attributes of JSX follow a renamed property of their component."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.module_changes import ModuleHistory
from editcast_model.diff import apply_hunks

USE = 'const one = <Card size={2} title="size" />;\n'
RENAMED = 'const one = <Card width={2} title="size" />;\n'


def followed(text: str, old: str, new: str) -> str:
    """The text after all that follows from replacing the first `old` by `new`."""
    after = text.replace(old, new, 1)
    found = Consequences("typescriptreact", "src/card.tsx").propose([text], after)
    kept = [one.hunk for one in found if one.kind == "rename_attribute"]
    return apply_hunks(after, sorted(kept, key=lambda hunk: hunk.start))


@pytest.mark.parametrize(
    "component",
    [
        "function Card({ size, title }) {\n  return <b>{title}</b>;\n}\n",
        "const Card = ({ size = 1 }) => <b />;\n",
        "function Card(props: { size: number }) {\n  return <b />;\n}\n",
        "type Props = { size: number };\nfunction Card(props: Props) {\n  return <b />;\n}\n",
        "interface Props { size(): void }\nconst Card = (props: Props & Other) => <b />;\n",
        "interface Props { size: number }\nconst Card: React.FC<Props> = (props) => <b />;\n",
        "interface Props { size: number }\nconst Card = memo(forwardRef<A, Props>(() => <b />));\n",
    ],
)
def test_a_renamed_property_is_given_by_its_new_name(component: str) -> None:
    after = component.replace("size", "width", 1)
    assert followed(component + USE, "size", "width") == after + RENAMED


@pytest.mark.parametrize(
    "component",
    [
        "function Card(name, { size }) {\n  return <b />;\n}\n",  # not the first parameter
        "interface Props { size: number }\nfunction Card(a: string, b: Props) {\n}\n",
        "interface Props { size: number }\nfunction Card(a: { b: Props }) {\n}\n",
        "interface Props { size: number }\nfunction Card(a: A) {\n  const b: Props = a;\n}\n",
        # Of another type it is given otherwise.
        "interface Props { size: number }\nfunction Card(props: Props) {\n}\n",
        # Its type says otherwise, and is to follow first, or the name to be taken apart.
        "interface Props { size: number }\nfunction Card({ height }: Props) {\n}\n",
    ],
)
def test_what_is_no_property_is_left(component: str) -> None:
    old = "height" if "height" in component else "size"
    new = "width"
    if "(props: Props)" in component:
        old, new = "size: number", "width: string"
    assert followed(component + USE, old, new).endswith(USE)


@pytest.mark.parametrize(
    ("imported", "is_given"),
    [
        ('import { Card } from "./card";\n', True),
        ('import { Card as Other } from "./card";\n', False),
        ('import Card from "./card";\n', True),
        ('import { Card } from "./market";\n', False),
    ],
)
def test_a_renamed_property_in_other_files(imported: str, is_given: bool) -> None:
    text = "export default function Card({ size }) {\n  return <b>{size}</b>;\n}\n"
    if "{ Card" in imported:
        text = text.replace("default ", "")
    module = ModuleHistory("src/card.jsx", "")
    module.save(text, text.replace("size", "width"))
    change = module.change()
    assert change is not None
    found = Consequences("", "src/main.jsx").propose([], imported + USE, elsewhere=[change])
    given = apply_hunks(imported + USE, [one.hunk for one in found])
    assert given == imported + (RENAMED if is_given else USE)


TYPE = "interface Props {\n  title: string;\n  size: number;\n}\n"


def test_a_property_of_another_name_is_no_new_one() -> None:
    text = TYPE + "function Card({ title, size }: Props) {}\n"
    after = text.replace("  size", "  width", 1)
    (one,) = Consequences("typescriptreact", "src/card.tsx").propose([text], after)
    assert apply_hunks(after, [one.hunk]).endswith("\nfunction Card({ title, width }: Props) {}\n")
