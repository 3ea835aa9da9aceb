"""A name that other files import, renamed in all of them by Tab alone."""

import pytest

from code_server import SHOWN_BY_DEFAULT
from sample import SMALL

pytestmark = pytest.mark.timeout(900)

PRICES = "def tax(amount):\n    return amount * 0.2\n"
# Where Tab goes is further below than what Tab accepts without going there.
BILL = "#\n" * 6 + "from prices import tax\n\nTOTAL = 1 + tax(1)\n"


def test_tab_goes_on_in_the_next_file(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")  # the bundled one: the baseline knows of no names
    workbench.configure(SHOWN_BY_DEFAULT | SMALL)
    bill, order = (workbench.folder / name for name in ("bill.py", "order.py"))
    for file in (bill, order):
        file.write_text(BILL)
    prices = workbench.start(PRICES, "prices.py")
    workbench.replace(prices, 1, "tax", "sales_tax")
    hint = "Tab: bill.py line 7 (2 places, 1 more file), Alt+Shift+Enter: all"
    workbench.wait("a hint", lambda: workbench.ghosts() == [hint])
    texts = [BILL.replace("tax", "sales_tax", count).split("\n") for count in range(3)]
    for end in ("Tab: order.py line 7 (2 places), Alt+Shift+Enter: all", "no more"):
        workbench.press("Tab")
        for text, ghost in zip(texts, ("sales_tax", "sales_tax", end), strict=True):
            workbench.wait(
                f"{ghost} in {text}",
                lambda: workbench.lines() == text and workbench.ghosts()[-1:] == [ghost],  # noqa: B023
            )
            if ghost != end:
                workbench.press("Tab")
    assert workbench.complaints() == []


def test_esc_turns_the_hint_down_for_good(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT | SMALL)
    (workbench.folder / "bill.py").write_text(BILL)
    prices = workbench.start(PRICES, "prices.py")
    workbench.replace(prices, 1, "tax", "sales_tax")
    hint = "Tab: bill.py line 7 (2 places), Alt+Shift+Enter: all"
    workbench.wait("a hint", lambda: workbench.ghosts() == [hint])
    workbench.dismiss("no hint", lambda: workbench.ghosts() == [])
    workbench.replace(prices, 2, "0.2", "0.3")
    workbench.show(workbench.folder / "bill.py")
    workbench.wait("the offer in the file itself", lambda: "sales_tax" in workbench.ghosts())
    workbench.show(prices)
    assert hint not in workbench.ghosts()


def test_a_file_that_was_turned_down_is_named_for_another_change(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT | SMALL)
    bill = BILL.replace("import tax", "import fee, tax") + "FEE = fee()\n"
    (workbench.folder / "bill.py").write_text(bill)
    prices = workbench.start(f"{PRICES}\n\ndef fee():\n    return 1\n", "prices.py")
    workbench.replace(prices, 1, "tax", "sales_tax")
    workbench.wait("a hint", lambda: any("bill.py" in one for one in workbench.ghosts()))
    workbench.dismiss("no hint", lambda: workbench.ghosts() == [])
    workbench.replace(prices, 5, "fee", "base_fee")
    workbench.wait("another hint", lambda: any("bill.py" in one for one in workbench.ghosts()))


def test_all_of_them_are_changed_after_a_yes(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT | SMALL)
    files = [workbench.folder / name for name in ("bill.py", "order.py")]
    for file in files:
        file.write_text(BILL)
    prices = workbench.start(PRICES, "prices.py")
    workbench.replace(prices, 1, "tax", "sales_tax")
    workbench.wait("a hint", lambda: any("1 more file" in one for one in workbench.ghosts()))
    workbench.press("Alt+Shift+Enter")
    question = "Change 4 places in 2 other files: bill.py, order.py?"
    workbench.wait("a question", lambda: question in "".join(workbench.notifications()))
    assert [file.read_text() for file in files] == [BILL, BILL]
    workbench.click(".notification-list-item .monaco-button", "Change")
    done = BILL.replace("tax", "sales_tax")
    workbench.wait("all files", lambda: [file.read_text() for file in files] == [done, done])
    workbench.show(prices)
    workbench.wait("no hint", lambda: workbench.ghosts() == [])


def test_the_old_name_of_a_file_that_is_renamed(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT | SMALL)
    note = workbench.folder / "NOTES.md"
    note.write_text("#\n" * 6 + "Run prices.py first.\n")
    prices = workbench.start(PRICES, "prices.py")
    workbench.rename(prices, "taxes")
    hint = "Tab: NOTES.md line 7, Alt+Shift+Enter: all"
    workbench.wait("a hint", lambda: workbench.ghosts() == [hint])
    workbench.press("Tab")
    workbench.wait("the offer", lambda: workbench.struck())
    workbench.press("Tab")
    workbench.wait("the new name", lambda: "Run taxes.py first." in workbench.lines())
    assert workbench.complaints() == []
