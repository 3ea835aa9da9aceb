"""Sessions out of a corpus, to calibrate by when its sources are gone.

An instance is a window of a file and the saves made to it, which is a session of its own; what
comes next is the next save. The rest of the file is missing, so nothing is evaluated on them.
"""

from pathlib import Path

import pyarrow.parquet as pq

from editcast_model.edits import SAVE, Edit, Timeline
from editcast_model.tokenizer import Tokenizer
from editcast_training.evaluation.sessions import EditingSession

_MOST = 60  # of a shard


def window_sessions(corpus: Path) -> list[EditingSession]:
    """Read sessions of the dev split of a corpus, spread over its shards."""
    tokenizer = Tokenizer.load(corpus / "tokenizer.json")
    sessions = []
    for path in sorted((corpus / "dev").glob("*.parquet")):
        table = pq.read_table(path)
        spread = range(0, table.num_rows, max(1, table.num_rows // _MOST))
        for row in table.take(list(spread)).to_pylist():
            timeline = Timeline(row["state"])
            texts = [tokenizer.decode(timeline.state()[1:])]
            for edit in map(Edit, row["positions"], row["contents"]):
                timeline.append(edit)
                if edit.content == SAVE:
                    texts.append(tokenizer.decode(timeline.state()[1:]))
            # What came is known as a save only, whatever it was read from.
            about = row["project"], row["path"], row["language"], "saves"
            sessions.append(EditingSession(*about, tuple(texts)))
    return sessions
