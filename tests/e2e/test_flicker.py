"""Frames of the workbench: no half-typed word, no offer drawn twice, none where it is done."""

import re

import pytest

from code_server import SHOWN_BY_DEFAULT

pytestmark = pytest.mark.timeout(600)

KEY_MS = 180
OLD, NEW = "amt", "price_before_tax"
PRICES = f"""\
def net({OLD}, rate, digits=2):
    if {OLD} < 0:
        raise ValueError(f"negative: {{{OLD}}}")
    tax = {OLD} * rate
    return round({OLD} - tax, digits)
"""

#: Keeps what is drawn, whenever it changes from one frame to the next. A size that changes is told
#: last in a frame, after the editor has drawn its lines.
WATCH = """(() => {
    const seen = globalThis.editcastSeen = [];
    const clock = document.body.appendChild(document.createElement("div"));
    clock.style.position = "fixed";
    new ResizeObserver(() => {
        const { struck, ghosts, text } = editcastTest;
        const now = JSON.stringify([struck(), ghosts(), text()]);
        if (now !== seen.at(-1)) {
            seen.push(now);
        }
    }).observe(clock);
    const tick = (time) => {
        clock.style.width = `${time % 2}px`;
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
})()"""
SEEN = "globalThis.editcastSeen.map((state) => JSON.parse(state))"
HINT = re.compile(r"(Tab|Alt\+Shift\+Enter): |no more")


def test_offers_come_once_and_whole_while_a_name_is_typed(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT)
    workbench.start(PRICES)
    workbench.go_to(1, len("def net(") + 1)
    workbench.press(*["Shift+ArrowRight"] * len(OLD))
    workbench.evaluate(WATCH)
    workbench.type(NEW, delay=KEY_MS)
    workbench.press("Control+s")
    # A frame is noted at its end: what is there may not have been noted yet.
    workbench.wait(
        "an offer", lambda: any(NEW in ghosts for _, ghosts, _ in workbench.evaluate(SEEN))
    )
    offers = [
        (tuple(struck), tuple(ghost for ghost in ghosts if not HINT.match(ghost)))
        for struck, ghosts, _ in workbench.evaluate(SEEN)
    ]
    changed = [one for before, one in zip([None, *offers], offers, strict=False) if one != before]
    drawn = [one for one in changed if any(one)]
    assert drawn[-1] == ((OLD,), (NEW,))
    assert len(set(drawn)) == len(drawn), changed
    parts = {NEW[:length] for length in range(1, len(NEW))}
    assert not parts & {ghost for _, ghosts in drawn for ghost in ghosts}, changed


def test_an_accepted_offer_is_not_drawn_beside_the_text_it_has_become(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT)
    file = workbench.start(f"def double({OLD}):\n    return {OLD} * 2\n")
    workbench.replace(file, 1, OLD, NEW)
    workbench.wait("an offer", lambda: workbench.ghosts() == [NEW])
    workbench.evaluate(WATCH)
    workbench.press("Tab")
    after = [f"def double({NEW}):", f"    return {NEW} * 2", ""]
    workbench.wait("the edit", lambda: workbench.lines() == after)
    workbench.wait("the mark of the end", lambda: workbench.ghosts() == ["no more"])
    frames = [
        (struck, ghosts) for struck, ghosts, text in workbench.evaluate(SEEN) if text == after
    ]
    assert all(struck == [] and NEW not in ghosts for struck, ghosts in frames), frames


def test_an_offer_stays_drawn_while_something_else_is_typed(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT)
    file = workbench.start(f"# Taxes\n\n{PRICES}")
    workbench.replace(file, 3, OLD, NEW)
    workbench.wait("an offer", lambda: NEW in workbench.ghosts())
    workbench.go_to(1, len("# Taxes") + 1)
    workbench.evaluate(WATCH)
    workbench.type(" and duties", delay=KEY_MS)
    workbench.wait("all of it", lambda: workbench.lines()[0] == "# Taxes and duties")
    frames = workbench.evaluate(SEEN)
    assert len(frames) > len(" and duties")
    assert all(OLD in struck and NEW in ghosts for struck, ghosts, _ in frames), frames
