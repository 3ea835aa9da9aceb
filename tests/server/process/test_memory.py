"""Resident memory with many files open; `benchmarks/speed/memory.py` measures it."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from open_files import renamings, save, sources

FILES, SAVES = 20, 2
MOST = 400 << 20  # the budget is 300


def resident(process: int) -> int:
    """Bytes; 0 where the system does not say so in a file."""
    file = Path(f"/proc/{process}/status")
    if not file.exists():
        return 0
    status = file.read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) << 10


async def test_twenty_open_files_fit(start: Callable[..., Any]) -> None:
    async with start({"modelPath": ""}) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        for number, text in enumerate(sources(FILES)):
            uri = editor.open(f"file{number}.py", text)
            for changed in islice(renamings(text), SAVES):
                save(editor, uri, changed)
                version = editor.versions[uri]

                def is_predicted(uri: str = uri, version: int = version) -> bool:
                    return any(
                        (one.uri, one.version) == (uri, version) and one.milliseconds
                        for one in editor.predicted
                    )

                await editor.until(is_predicted)
        assert resident(editor.client._server.pid) < MOST
