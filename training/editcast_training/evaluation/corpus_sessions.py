"""Sessions out of a corpus: to calibrate by when its sources are gone, and to see their shape.

An instance is a window of a file and the saves made to it, which is a session of its own; what
comes next is the next save. The rest of the file is missing, so nothing is evaluated on them.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from editcast_model.edits import SAVE, Edit, Timeline
from editcast_model.tokenizer import Tokenizer
from editcast_training.data.statistics import shape
from editcast_training.evaluation.sessions import EditingSession

_MOST = 60  # of a shard
_SHAPED = 2000  # instances of a kind


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


def shapes(corpus: Path) -> dict[str, tuple[dict[str, float], int]]:
    """Measure the saves of the train split, recorded and made of commits; see `shape`."""
    tokenizer = Tokenizer.load(corpus / "tokenizer.json")
    shards: dict[str, list[pa.Table]] = defaultdict(list)
    for path in sorted((corpus / "train").glob("*.parquet")):
        table = pq.read_table(path, columns=["kind", "state", "positions", "contents"])
        if table.num_rows and table["kind"][0].as_py() in ("commits", "saves"):
            shards[table["kind"][0].as_py()].append(table)

    def sessions(tables: list[pa.Table]) -> Iterator[list[str]]:
        most = -(-_SHAPED // len(tables))
        for table in tables:
            spread = range(0, table.num_rows, max(1, table.num_rows // most))
            for row in table.take(list(spread)).to_pylist():
                edits = map(Edit, row["positions"], row["contents"])
                yield list(_texts(tokenizer, row["state"], edits))

    return {kind: shape(sessions(tables)) for kind, tables in sorted(shards.items())}


def _texts(tokenizer: Tokenizer, state: list[int], edits: Iterator[Edit]) -> Iterator[str]:
    """The text of the window at first and after every save."""
    timeline = Timeline(state)
    yield tokenizer.decode(timeline.state()[1:])
    for edit in edits:
        timeline.append(edit)
        if edit.content == SAVE:
            yield tokenizer.decode(timeline.state()[1:])
