"""Offers between the keys of a word: nothing half-typed, nothing that goes and comes back.

`benchmarks/suggestions/scenarios.py` counts both over everyday edits, by the clock. Here no word is
whole before a save, and each key waits for what the server makes of the one before: there is a
pause between any two keys.
"""

import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: The server, to which a typist seems never to stop in the midst of a word.
COMMAND = """
from editcast_server.documents import document
from editcast_server.lsp.app import create_server
document.WORD_PAUSE = 3600.0
create_server().start_io()
"""
PRICES = '''\
"""Prices of a shop."""


def net({0}, rate, digits=2):
    if amt < 0:
        raise ValueError(f"negative: {{amt}}")
    tax = amt * rate
    return round(amt - tax, digits)
{1}

def gross(price, rate):
    if price < 0:
        raise ValueError(f"negative: {{price}}")
    tax = price * rate
    return round(price + tax, 2)
'''
CALLS = "".join(f"{name} = fetch(address)\n" for name in "users orders items taxes rates".split())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def slow_typist(
    editors: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Any]:
    """An editor with the bundled model, at the default threshold."""
    settings = {"modelPath": "", "confidenceThreshold": None}
    command = [sys.executable, "-c", COMMAND]
    async with editors(tmp_path_factory.mktemp("home"), settings, command=command) as editor:
        await editor.until(lambda: editor.statuses and editor.statuses[-1].model)
        yield editor


class Watch:
    """Record of the offers in a document, from one text to the next."""

    def __init__(self, editor: Any, uri: str) -> None:
        self._editor, self._uri = editor, uri
        self._heard = len(editor.predicted)
        self._shown: set[tuple[Any, ...]] = set()
        self._gone: set[tuple[Any, ...]] = set()

    def offers(self) -> Iterator[str]:
        """Give the texts of what is offered now; nothing of it may have been withdrawn before."""
        for result in self._editor.predicted[self._heard :]:
            self._heard += 1
            if result.uri != self._uri:
                continue
            now = {
                (one.line, *(edit.new_text for edit in one.edits)) for one in result.suggestions[:1]
            }
            self._gone |= self._shown - now
            assert not now & self._gone, f"withdrawn, and offered again: {now & self._gone}"
            self._shown = now
            yield from (text for _, *texts in now for text in texts)


async def settle(editor: Any, name: str) -> None:
    """Wait until the pause after the last key has been answered: a later one has been."""
    probe = editor.open(name, "a = 1\n")
    editor.type(probe, "1", "12")
    await editor.until(lambda: any(one.uri == probe for one in editor.predicted))
    editor.close(probe)


async def typed(editor: Any, uri: str, line: int, column: int, keys: str, old: str = "") -> None:
    """Type over a text, with a pause after each key, in which no part of a word is offered."""
    watch = Watch(editor, uri)
    for index, key in enumerate(keys):
        start = types.Position(line, column + index)
        end = types.Position(line, column + (len(old) if index == 0 else index))
        editor.change(uri, types.Range(start, end), key)
        await settle(editor, f"{Path(uri).stem}-{line}-{index}.py")
        word = re.search(r"\w*$", keys[: index + 1])[0]  # type: ignore[index]
        for text in watch.offers():
            assert len(word) < 2 or word == keys or word not in re.findall(r"\w+", text), text


@pytest.mark.parametrize("new", ["amount", "price_before_tax"])
async def test_a_name_is_offered_once_it_is_whole(slow_typist: Any, new: str) -> None:
    uri = slow_typist.open(f"{new}.py", PRICES.format("amt", ""))
    await typed(slow_typist, uri, 3, 8, new, "amt")
    slow_typist.save(uri)
    best = await slow_typist.best(uri)
    assert best is not None and best.edits[0].new_text == new


async def test_new_arguments_are_typed_in_peace(slow_typist: Any) -> None:
    uri = slow_typist.open("calls.py", CALLS)
    for line in (0, 1):
        await typed(slow_typist, uri, line, len(CALLS.split("\n")[line]) - 1, ", timeout=5")
        slow_typist.save(uri)
    best = await slow_typist.best(uri)
    assert best is not None and best.edits[0].new_text == ", timeout=5"


async def test_new_code_is_typed_in_peace(slow_typist: Any) -> None:
    uri = slow_typist.open("new.py", PRICES.format("amt", "\n\n"))
    await typed(slow_typist, uri, 10, 0, "def discount(price, percent): return price * percent")


async def test_an_offer_stays_while_something_else_is_typed(slow_typist: Any) -> None:
    uri = slow_typist.open("stays.py", PRICES.format("amt", "\n\n"))
    await typed(slow_typist, uri, 3, 8, "amount", "amt")
    slow_typist.save(uri)
    assert await slow_typist.best(uri) is not None
    heard = len(slow_typist.predicted)
    await typed(slow_typist, uri, 10, 0, "def half(x): return x / 2")
    told = [one for one in slow_typist.predicted[heard:] if one.uri == uri]
    assert told and all(one.suggestions for one in told)
    assert told[-1].suggestions[0].edits[0].new_text == "amount"
