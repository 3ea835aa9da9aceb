"""Offers as a user sees and takes them in a real workbench: ghost text, Tab, Esc, parts."""

import re

import pytest

from sample import BEFORE, NAMES, NEW, OLD, SMALL

pytestmark = pytest.mark.timeout(900)

FAR = BEFORE.replace("items =", "#\n" * 150 + "items =")


def wait_for_offer(workbench, struck, ghosts):
    """Until what is offered is drawn like this."""

    def drawn():
        return workbench.struck() == struck and workbench.ghosts() == ghosts

    workbench.wait(f"struck through {struck}, drawn {ghosts}", drawn)


def cursor_is_at(workbench, line, column):
    return workbench.has_message(f"Ln {line}, Col {column}")


def test_tab_takes_one_edit_after_the_other(workbench):
    file = workbench.start(BEFORE)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    wait_for_offer(workbench, [OLD], [NEW])
    # Nothing has moved: neither the text nor the cursor.
    assert workbench.lines() == BEFORE.replace(OLD, NEW, 2).split("\n")
    assert cursor_is_at(workbench, 4, BEFORE.split("\n")[3].index(OLD) + len(NEW) + 1)

    # In front of a line's text Tab indents, whatever is offered.
    workbench.press("Home", "Tab")
    workbench.wait("an indent", lambda: workbench.lines()[3].startswith("    orders"))
    workbench.wait("unsaved text", workbench.has_unsaved_text)
    workbench.press("Shift+Tab", "End")
    workbench.save(file, BEFORE.replace(OLD, NEW, 2))

    # It goes on from one to the next, without anything between them but Tab.
    for count in (3, 4, 5):
        wait_for_offer(workbench, [OLD], [NEW])
        workbench.press("Tab")
        after = BEFORE.replace(OLD, NEW, count)
        workbench.wait(f"edit {count}", lambda after=after: workbench.lines() == after.split("\n"))
    wait_for_offer(workbench, [], [])
    workbench.save(file, BEFORE.replace(OLD, NEW))

    # What is undone is not offered at once again. The mark of the chain's end may stand yet.
    workbench.press("Control+z")
    workbench.wait("undone", lambda: workbench.lines() == BEFORE.replace(OLD, NEW, 4).split("\n"))
    assert [ghost for ghost in workbench.ghosts() if ghost != "no more"] == []


def test_a_far_edit_is_told_of_and_jumped_to_and_then_made(workbench):
    workbench.configure(SMALL)
    file = workbench.start(FAR)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    workbench.wait(
        "a hint",
        lambda: workbench.ghosts() == [f"Tab: ↓ line 155: {OLD} → {NEW}"],
    )
    assert workbench.gutter_icons() == [4]
    assert cursor_is_at(workbench, 4, FAR.split("\n")[3].index(OLD) + len(NEW) + 1)
    workbench.press("Tab")
    column = FAR.split("\n")[154].index(OLD) + 1
    workbench.wait("the jump", lambda: cursor_is_at(workbench, 155, column))
    wait_for_offer(workbench, [OLD], [NEW])
    assert file.read_text() == FAR.replace(OLD, NEW, 2)
    workbench.press("Tab")
    workbench.wait("the edit", lambda: NEW in "".join(workbench.lines()))
    workbench.press("Control+s")
    workbench.wait("the file", lambda: file.read_text() == FAR.replace(OLD, NEW, 3))


def test_what_was_dismissed_does_not_come_back(workbench):
    # Saves alone ask for the next edit: what a typing pause brought could be dismissed before the
    # editor tells of the save, which would bring the one after it, and rightly so.
    workbench.configure({"editcast.debounceMs": 60_000})
    file = workbench.start(BEFORE)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    wait_for_offer(workbench, [OLD], [NEW])
    workbench.dismiss("no offer", lambda: workbench.struck() + workbench.ghosts() == [])
    # The next line is changed by hand; the one that comes after it is offered, not line 5.
    workbench.replace(file, 6, OLD, NEW)
    wait_for_offer(workbench, [OLD], [NEW])
    workbench.press("Tab")
    after = BEFORE.replace(OLD, NEW)
    fifth = BEFORE.split("\n")[4]
    after = after.replace(fifth.replace(OLD, NEW), fifth)
    workbench.save(file, after)
    workbench.wait("no mark", lambda: workbench.ghosts() == [])
    assert OLD in "".join(workbench.texts(".monaco-editor .view-lines"))


def test_typing_along_and_taking_a_part(workbench):
    text = "".join(f"{name} = fetch(address)\n" for name in NAMES)
    file = workbench.start(text)
    more = ", timeout=5"

    def changed(count, part=more):
        lines = text.split("\n")
        whole = [line.replace(")", f"{more})") for line in lines[: count - 1]]
        return "\n".join([*whole, lines[count - 1].replace(")", f"{part})"), *lines[count:]])

    for line in (1, 2):
        workbench.go_to(line, len(text.split("\n")[line - 1]))
        workbench.type(more)
        workbench.save(file, changed(line))
    wait_for_offer(workbench, [], [more])
    # A word at a time, where the cursor is at the edit.
    workbench.go_to(3, len(text.split("\n")[2]))
    workbench.press("Control+ArrowRight")
    wait_for_offer(workbench, [], [more[1:]])
    workbench.press("Control+ArrowRight")
    wait_for_offer(workbench, [], ["=5"])
    assert workbench.lines() == changed(3, ", timeout").split("\n")
    # The rest of the line.
    workbench.press("Control+Alt+Enter")
    workbench.save(file, changed(3))

    # What agrees with it shortens it; what does not takes it away.
    wait_for_offer(workbench, [], [more])
    workbench.press("Tab")
    workbench.save(file, changed(4))
    wait_for_offer(workbench, [], [more])
    workbench.go_to(5, len(text.split("\n")[4]))
    for typed in range(1, 4):
        workbench.type(more[typed - 1])
        wait_for_offer(workbench, [], [more[typed:]])
    workbench.type("#")
    wait_for_offer(workbench, [], [])
    assert workbench.lines() == changed(5, ", t#").split("\n")


def test_new_lines_stand_in_a_block_beside_the_text(workbench):
    functions = "".join(f"def {name}():\n    return load()\n\n\n" for name in NAMES)
    file = workbench.start(functions)
    new = "    check()\n"
    text = functions
    for line in (1, 6):
        workbench.go_to(line, len(text.split("\n")[line - 1]) + 1)
        workbench.new_line("    ")
        workbench.type("check()")
        lines = text.splitlines(keepends=True)
        text = "".join([*lines[:line], new, *lines[line:]])
        workbench.save(file, text)
    workbench.wait(
        "a block", lambda: any(ghost.strip() == "│     check()" for ghost in workbench.ghosts())
    )
    assert workbench.lines() == text.split("\n")
    workbench.press("Tab", "Tab")
    lines = text.splitlines(keepends=True)
    workbench.save(file, "".join([*lines[:11], new, *lines[11:]]))


#: What a ghost's colours are, and the editor's behind it, as [red, green, blue] and opacity.
COLORS = """(() => {
    const ghost = [...document.querySelectorAll(".view-lines span")].find(
        (span) => !["none", "normal", '""'].includes(getComputedStyle(span, "::after").content));
    const read = (color) => color.match(/[\\d.]+/g).map(Number);
    const editor = document.querySelector(".monaco-editor .monaco-editor-background");
    return ghost === undefined ? null : {
        ghost: read(getComputedStyle(ghost, "::after").color),
        behind: read(getComputedStyle(ghost, "::after").backgroundColor),
        editor: read(getComputedStyle(editor).backgroundColor),
    };
})()"""


@pytest.mark.parametrize("theme", ["Light Modern", "Dark Modern", "High Contrast"])
def test_ghost_text_can_be_read_in_every_theme(workbench, theme):
    workbench.configure({"workbench.colorTheme": f"Default {theme}"})
    file = workbench.start(BEFORE)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    wait_for_offer(workbench, [OLD], [NEW])
    colors = workbench.wait("colours", lambda: workbench.evaluate(COLORS))
    *ghost, opacity = [*colors["ghost"], 1][:4]
    contrast = [
        opacity * abs(one - other) for one, other in zip(ghost, colors["editor"], strict=False)
    ]
    assert sum(contrast) / 3 > 60, colors
    assert colors["behind"] == colors["editor"]  # no bracket's mark, for one, is drawn under it


@pytest.mark.parametrize("support", ["auto", "on", "off"])
def test_those_who_listen_to_their_editor_are_told(workbench, support):
    workbench.configure({"editor.accessibilitySupport": support})
    file = workbench.start(BEFORE)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    wait_for_offer(workbench, [OLD], [NEW])
    title = f"Next edit, line 5: `{OLD}` -> `{NEW}`"
    if support == "off":
        assert alerts(workbench) == []
        return
    workbench.wait(title, lambda: alerts(workbench) == [title])
    assert workbench.complaints() == []
    workbench.dismiss("no alert", lambda: alerts(workbench) == [])


def alerts(workbench):
    """Return what the status bar tells screen readers the moment it appears."""
    return workbench.evaluate(ALERTS)


ALERTS = """[...document.querySelectorAll(".statusbar-item [role=alert]")]
    .map((item) => item.getAttribute("aria-label"))"""


LONG = f"{BEFORE.split(chr(10))[2]} + len(database.everything_else_that_there_is)"


def test_what_would_run_out_of_the_window_is_in_a_box_below(workbench):
    """At a size of the font that lets half of the line in."""
    workbench.configure({"editor.fontSize": 20})
    file = workbench.start("\n".join([LONG.replace("users", name) for name in NAMES]) + "\n")
    for line in (1, 2):
        workbench.replace(file, line, "that_there_is", "that_there_was_before")
    box = "…everything_else_that_there_was_before)"
    wait_for_offer(workbench, ["everything_else_that_there_is"], [box])
    assert workbench.evaluate(OUTSIDE) == [False]
    workbench.press("Tab")
    workbench.wait("taken", lambda: "was_before" in workbench.lines()[2])


def test_new_lines_that_would_run_out_of_the_window_are_in_a_box_below(workbench):
    workbench.configure({"editor.fontSize": 20})
    functions = "".join(f"def {name}(database):\n    return load()\n\n\n" for name in NAMES[:4])
    file = workbench.start(functions)
    new = ["print(database.everything)", "done(database)"]
    text = functions
    for line in (1, 7):
        workbench.go_to(line, len(text.split("\n")[line - 1]) + 1)
        for call in new:
            workbench.new_line("    ")
            workbench.type(call)
        lines = text.splitlines(keepends=True)
        text = "".join([*lines[:line], *(f"    {call}\n" for call in new), *lines[line:]])
        workbench.save(file, text)
    box = new[0] + new[1].ljust(len(new[0]))
    workbench.wait("a box", lambda: workbench.ghosts() == [box])
    assert workbench.evaluate(OUTSIDE) == [False]
    assert workbench.evaluate(ROWS) == [2]
    workbench.press("Tab", "Tab")
    lines = text.splitlines(keepends=True)
    workbench.save(file, "".join([*lines[:13], *(f"    {call}\n" for call in new), *lines[13:]]))


def test_a_hint_is_whole_at_a_large_font(workbench):
    """In a box that covers no text, where its line leaves no room for it in 400 pixels."""
    workbench.configure({"editor.fontSize": 20})
    file = workbench.start(FAR)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    hint = ["Tab: ↓ line 155"]
    workbench.wait("a hint", lambda: workbench.ghosts() == hint)
    assert workbench.evaluate(OUTSIDE) == [False]
    workbench.go_to(2, 1)
    workbench.wait("no box", lambda: workbench.evaluate(OUTSIDE) == [])
    assert workbench.ghosts() == hint
    assert workbench.evaluate(CUT) == [False]


@pytest.mark.parametrize("size", [8, 14, 20])
def test_a_hint_is_whole_in_a_narrow_editor(workbench, size):
    """Beside another editor, which is where VS Code tells how wide it is."""
    workbench.configure({"editor.fontSize": size})
    file = workbench.start(FAR)
    workbench.press("Control+\\")
    workbench.wait("two editors", lambda: workbench.evaluate(EDITORS) == 2)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    workbench.wait("a hint", lambda: workbench.ghosts() and "line 155" in workbench.ghosts()[0])
    for place in ((2, 1), (4, 20), (4, 50)):
        workbench.go_to(*place)
        hints = workbench.wait("the hint there", lambda: [*all_of(workbench, OUTSIDE, CUT)])
        assert hints == [False], place
    workbench.press("Tab")
    workbench.wait("the jump", lambda: OLD in workbench.struck())


def all_of(workbench, *scripts):
    """Return what scripts in the page return, lists, one behind the other."""
    return [one for script in scripts for one in workbench.evaluate(script)]


#: How many lines of text each drawn box is high.
ROWS = """[...document.querySelectorAll(".view-lines span")]
    .map((span) => [getComputedStyle(span, "::after"), span.closest(".view-line").offsetHeight])
    .filter(([style]) => style.position === "absolute")
    .map(([style, line]) => Math.round(parseFloat(style.height) / line))"""

EDITORS = "document.querySelectorAll('.editor-group-container').length"

#: Where what is to be seen of the text of a line's editor ends.
EDGE = """const edge = (span) => {
    const editor = span.closest(".monaco-editor");
    const map = editor.querySelector(".minimap")?.getBoundingClientRect();
    const text = editor.querySelector(".editor-scrollable").getBoundingClientRect();
    return map?.width > 0 ? map.left : text.right;
};"""

#: Whether each hint behind a line goes on outside of what is to be seen of the text.
CUT = f"""(() => {{
    {EDGE}
    return [...document.querySelectorAll(".view-lines span")]
        .filter((span) => {{
            const style = getComputedStyle(span, "::after");
            return style.content.startsWith('"Tab:') && style.position !== "absolute";
        }})
        .map((span) => span.getBoundingClientRect().right > edge(span) + 1);
}})()"""

#: Whether each drawn box goes on outside of the text.
OUTSIDE = f"""(() => {{
    {EDGE}
    const found = [];
    for (const span of document.querySelectorAll(".view-lines span")) {{
        const style = getComputedStyle(span, "::after");
        if (style.position === "absolute") {{
            const size = (name) => parseFloat(style[name]);
            const edges = ["paddingLeft", "paddingRight", "borderLeftWidth", "borderRightWidth"];
            const around = style.boxSizing === "border-box" ? [] : edges.map(size);
            const {{ left }} = span.closest(".view-line").getBoundingClientRect();
            const right = [left, size("left"), size("width"), ...around].reduce((a, b) => a + b);
            found.push(right > edge(span) + 1);
        }}
    }}
    return found;
}})()"""


def test_without_the_extension_tab_is_tab(open_workbench):
    """The negative control of all tests above."""
    workbench = open_workbench()
    file = workbench.folder / "report.py"
    file.write_text(BEFORE)
    workbench.open(file)
    workbench.focus_editor()
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    # A list of completions, which may come late, takes a Tab too: it goes when the cursor moves.
    workbench.press("End", "Tab")
    line = BEFORE.split("\n")[3].replace(OLD, NEW)
    workbench.wait("a tab", lambda: re.fullmatch(re.escape(line) + " +", workbench.lines()[3]))
    assert workbench.ghosts() == [] and workbench.struck() == []
    assert workbench.gutter_icons() == []
