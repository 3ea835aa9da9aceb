"""The pages for editors: a real server replays their session, and they quote the real files."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
EDITORS = (DOCS / "editors.md").read_text(encoding="utf-8")
CLIENT_AUTHORS = (DOCS / "client-authors.md").read_text(encoding="utf-8")
PATIENCE_S = 60  # for a busy machine; no measure
# A link, and the code block that follows it with no other link between.
QUOTED = re.findall(
    r"\[editors/([\w./-]+)\](?:(?!\[editors/).)*?```\w+\n(.*?)```", EDITORS, re.DOTALL
)


def test_the_quoted_configurations_are_the_files() -> None:
    assert [name for name, _ in QUOTED] == [
        "nvim/plugin/editcast.lua",
        "neovim-0.7.lua",
        "eglot.el",
    ]
    for name, quoted in QUOTED:
        assert quoted == (DOCS / "editors" / name).read_text(encoding="utf-8"), name


async def test_the_session_is_what_a_server_says(tmp_path: Path) -> None:
    lines = [
        line.split(" ", 1) for line in CLIENT_AUTHORS.splitlines() if line[:3] in ("-->", "<--")
    ]
    assert len(lines) > 10
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "editcast", "serve"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
    )
    assert server.stdin and server.stdout
    said: list[Any] = []
    try:
        for arrow, text in lines:
            message = json.loads(text)
            if arrow == "-->":
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                continue
            # Answers and notifications overtake each other.
            while timeless(message) not in said:
                async with asyncio.timeout(PATIENCE_S):
                    said.append(timeless(await read(server.stdout)))
    finally:
        print(*said, sep="\n")  # shown when one never came
        server.kill()
        await server.communicate()


async def read(stream: asyncio.StreamReader) -> Any:
    header = await stream.readuntil(b"\r\n\r\n")
    size = re.search(rb"Content-Length: (\d+)", header)
    assert size, header
    return json.loads(await stream.readexactly(int(size[1])))


def timeless(message: Any) -> Any:
    """A message without what differs from run to run."""
    if isinstance(message, dict):
        left_out = ("jsonrpc", "milliseconds")
        return {key: timeless(value) for key, value in message.items() if key not in left_out}
    return [timeless(one) for one in message] if isinstance(message, list) else message
