"""New variables of style sheets in place of their values."""

import pytest

from editcast_model.consequences.consequences import Consequences
from editcast_model.diff import apply_hunks

RULES = """
a {
  color: #2a6f97;
}

.button {
  border: 1px solid #2A6F97;
  background: linear-gradient(#2a6f97, #2a6f9700);
}
"""
ROOT = ":root {\n  --text: #1f2933;\n}\n"
WITH_ACCENT = ROOT.replace("}", "  --accent: #2a6f97;\n}")


def uses(before: str, after: str, path: str = "a.css", active: range | None = None) -> list[str]:
    """Return the lines that are offered, in their order."""
    lines = []
    cursor = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    for one in Consequences("", path).propose([before], after, active=active, cursor=cursor):
        assert one.kind == "use_property"
        start = after.rfind("\n", 0, one.hunk.start) + 1
        text = one.hunk.apply(after)
        lines.append(text[start : text.index("\n", start)].strip())
    return lines


@pytest.mark.parametrize(
    ("path", "declared", "use"),
    [
        ("a.css", WITH_ACCENT, "var(--accent)"),
        ("a.css", "/* Colours */ *, ::before { --accent: #2a6f97 }", "var(--accent)"),
        ("a.scss", "$accent: #2a6f97 !default;\n", "$accent"),
        ("a.less", "@accent: #2a6f97;\n", "@accent"),
    ],
)
def test_a_new_variable_stands_for_its_value(path: str, declared: str, use: str) -> None:
    assert uses(ROOT + RULES, declared + RULES, path) == [
        f"color: {use};",
        f"border: 1px solid {use};",
        f"background: linear-gradient({use}, #2a6f9700);",
    ]


def test_one_by_one_until_nothing_is_left() -> None:
    history, text = [ROOT + RULES], WITH_ACCENT + RULES
    made = Consequences("css", "a.css")
    for _ in range(3):
        found = made.propose(history, text)
        history.append(text)
        text = apply_hunks(text, [found[0].hunk])
    assert made.propose(history, text) == []
    assert text.lower().count("#2a6f97;") == 1


@pytest.mark.parametrize(
    "rule",
    [
        "a { color: #2a6f9; }",
        "a { color: #2a6f970; }",
        "/* color: #2a6f97; */",
        "a { content: 'color: #2a6f97;'; }",
        "a { background: url(a.svg#2a6f97); }",
        "#2a6f97 { margin: 0; }",
        "a:hover #2a6f97 { margin: 0; }",
        ".dark { --accent-2: #2a6f97; }",
    ],
)
def test_what_is_not_the_value_of_a_property(rule: str) -> None:
    assert uses(f"{ROOT}{rule}\n", f"{WITH_ACCENT}{rule}\n") == []


@pytest.mark.parametrize("value", ["100%", "auto", "1px", "none", "inherit", "var(--text1)"])
def test_a_value_that_says_little(value: str) -> None:
    rule = f"a {{ width: {value}; }}\n"
    assert uses(ROOT + rule, ROOT.replace("}", f"  --a: {value};\n}}") + rule) == []


def test_a_number_is_of_the_properties_that_the_name_has() -> None:
    rule = "a {\n  max-width: 72rem;\n  margin: 72rem;\n}\n"
    declared = ROOT.replace("}", "  --page-width: 72rem;\n}")
    assert uses(ROOT + rule, declared + rule) == ["max-width: var(--page-width);"]


def test_the_palette_of_a_theme_has_several_of_one_colour() -> None:
    names = "".join(f"  --colour-{number}: #2a6f{number};\n" for number in range(10, 22))
    palette = ROOT.replace("}", names + "}")
    rule = "a { color: #2a6f12; }\n"
    assert uses(ROOT + rule, palette + rule) == ["a { color: var(--colour-12); }"]
    one_more = palette.replace("}", "  --one-more: #000000;\n}")
    assert uses(ROOT + rule, one_more + rule) == []


def test_two_variables_of_one_value() -> None:
    two = WITH_ACCENT.replace("}", "  --link: #2a6f97;\n}")
    assert uses(ROOT + RULES, two + RULES) == []


def test_the_value_of_another_theme() -> None:
    dark = ":root.dark {\n  --accent: #e0e0e0;\n}\np { color: #e0e0e0; }\n"
    found = uses("p { color: #e0e0e0; }\n" + RULES, WITH_ACCENT + dark + RULES)
    assert len(found) == 3 and not any(line.startswith("p ") for line in found)


def test_a_variable_of_some_rules_only() -> None:
    for selector in (".card", ".body", ".card > *"):
        assert uses(RULES, selector + " {\n  --accent: #2a6f97;\n}\n" + RULES) == []
    assert uses(RULES, ".card {\n  $accent: #2a6f97;\n}\n" + RULES, "a.scss") == []


def test_functions_of_a_compiler_know_no_properties() -> None:
    rule = "a {\n  color: darken(#2a6f97, 10%);\n}\n"
    assert uses(ROOT + rule, WITH_ACCENT + rule, "a.scss") == []
    found = uses(rule, "$accent: #2a6f97;\n" + rule, "a.scss")
    assert found == ["color: darken($accent, 10%);"]


def test_a_variable_of_scss_is_used_below_its_declaration() -> None:
    assert uses(RULES, RULES + "$accent: #2a6f97;\n", "a.scss") == []
    assert len(uses(RULES, RULES + "@accent: #2a6f97;\n", "a.less")) == 3


def test_a_variable_that_was_there_and_rules_that_were_not() -> None:
    assert uses(WITH_ACCENT + RULES, WITH_ACCENT + RULES + "p { margin: 0; }\n") == []
    assert uses("", WITH_ACCENT + RULES) == []
    assert uses(ROOT, WITH_ACCENT + RULES) == []


def test_what_is_being_typed() -> None:
    text = WITH_ACCENT + RULES
    at = text.index("#2a6f97")
    for active in (range(at, at + 7), range(at - 4, at - 2)):
        assert uses(ROOT + RULES, text, active=active) == []
    assert len(uses(ROOT + RULES, text, active=range(at + 8, at + 8))) == 3
    use = text.index("color: #") + 7
    assert len(uses(ROOT + RULES, text, active=range(use, use + 3))) == 2


def test_other_files() -> None:
    assert uses(ROOT + RULES, WITH_ACCENT + RULES, "a.txt") == []
