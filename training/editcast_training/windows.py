"""Sessions out of a corpus, for when its sources are no longer to be had.

An instance is a window of a file and the saves made to it, which is a session of its own; what
comes next is the next save. The rest of the file is missing, so this is only to calibrate by.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from editcast_model.edits import SAVE, Edit, Timeline
from editcast_model.tokens import Tokenizer
from editcast_training.sessions import EditingSession

_MOST = 60  # of a shard


def window_sessions(corpus: Path) -> list[EditingSession]:
    """Sessions of the dev split of a corpus, spread over its shards."""
    tokenizer = Tokenizer.load(corpus / "tokenizer.json")
    sessions: list[EditingSession] = []
    for path in sorted((corpus / "dev").glob("*.parquet")):
        table = pq.read_table(path)
        spread = range(0, table.num_rows, max(1, table.num_rows // _MOST))
        for row in table.take(list(spread)).to_pylist():
            edits = map(Edit, row["positions"], row["contents"])
            texts = tuple(_texts(tokenizer, row["state"], edits))
            # What came is known as a save only, whatever it was read from.
            session = EditingSession(row["project"], row["path"], row["language"], "saves", texts)
            sessions.append(session)
    return sessions


def _texts(tokenizer: Tokenizer, state: list[int], edits: Iterator[Edit]) -> Iterator[str]:
    """The text of the window at first and after every save."""
    timeline = Timeline(state)
    yield tokenizer.decode(timeline.state()[1:])
    for edit in edits:
        timeline.append(edit)
        if edit.content == SAVE:
            yield tokenizer.decode(timeline.state()[1:])
