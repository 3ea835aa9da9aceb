"""`editcast corpus`: building a corpus from histories, on this machine or on a cluster."""

import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from editcast import kinds
from editcast.guarded import guarded
from editcast.progress import time_left
from editcast.render_diff import plain
from editcast.source_options import ray_option, seed_option, source_options
from editcast_training.data.corpus import make_corpus
from editcast_training.data.instances import MAX_STATE
from editcast_training.data.shards import CorpusPart, make_on_cluster
from editcast_training.memory_limit import MOST
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, generated_from, project_and_kind
from editcast_training.sources.storage import upload

_EXAMPLES = {
    "editcast corpus OUT --git PATH --git PATH": "some repositories",
    "editcast corpus OUT --repositories list.toml --mirror FOLDER": "many, in lists",
}


@click.command(cls=kinds.Command, examples=_EXAMPLES)
@guarded("The corpus was stopped; run the same command to continue.")
@click.argument("out", type=kinds.FOLDER)
@source_options
@click.option(
    "--tokenizer", type=kinds.PATH, help="A tokenizer.json.  [default: learn a vocabulary]"
)
@click.option(
    "--max-state", default=MAX_STATE, type=kinds.MAX_STATE, help="Maximum subtokens of a window."
)
@click.option("--processes", default=2, type=kinds.PROCESSES)
@ray_option
@click.option(
    "--memory",
    default=MOST / (1 << 30),
    type=kinds.GIBIBYTES,
    help="Memory limit of each process, in GiB; a source that needs more is skipped.",
)
@seed_option
@click.option(
    "--upload",
    "url",
    metavar="URL",
    help="Also copy the corpus to this address, such as s3://BUCKET/PATH.",
)
def corpus(
    out: Path,
    origins: list[Origin],
    tokenizer: Path | None,
    max_state: int,
    processes: int,
    ray: str | None,
    memory: float,
    seed: int,
    url: str | None,
) -> None:
    """Build a corpus from histories, in the folder OUT; run it again after an interruption.

    A repository of --repositories belongs to the split of its list. Any other source is split by
    time: the newest tenth of each file's changes is for development. To assign a whole source to
    one split, use SPLIT=PATH, for example --saves train=saves.jsonl.gz.
    """
    console = Console()
    all_of_it = [*origins, *generated_from(origins)]
    pace = _Pace(all_of_it)
    console.print(f"Sources to read: {len(all_of_it)}. Each is reported when it is done.")

    def report(made: CorpusPart) -> None:
        if made.failed:
            said = f"skipped. {made.failed}"
        else:
            counts = (made.files, made.instances.total(), made.edits.total())
            said = "{:,} files, {:,} instances, {:,} edits".format(*counts)
            for reason, count in made.skipped.most_common(1):
                said += f"; mostly skipped: {count:,} × {reason}"
        style = "yellow" if made.failed else None
        said = f"{made.name}: {said} ({pace.after(made)})"
        console.print(plain(said), style=style, soft_wrap=True)

    result = make_corpus(
        out,
        all_of_it,
        tokenizer=tokenizer,
        max_state=max_state,
        processes=processes,
        seed=seed,
        each=report,
        work=partial(make_on_cluster, address=ray, processes=processes) if ray else None,
        memory=int(memory * (1 << 30)),
    )
    _summary(console, result)
    if url is not None:
        sent = upload(out, url)
        said = f"The corpus is in {url}; this run copied {sent:,} files."
        console.print(plain(said), soft_wrap=True)


class _Pace:
    """An estimate of the time left, by the sizes of all sources."""

    def __init__(self, origins: Sequence[Origin]) -> None:
        self._left = {origin.name: 1 + origin.size for origin in origins}
        self._count, self._done, self._began = len(origins), 0, time.monotonic()

    def after(self, made: CorpusPart) -> str:
        """Count a finished source; format how many are done, and the time left."""
        size = self._left.pop(made.name, 0)
        said = f"{self._count - len(self._left)} of {self._count}"
        if made.seconds:  # not of an earlier run
            self._done += size
        if not self._left or not self._done:
            return said
        rate = (time.monotonic() - self._began) / self._done
        return f"{said}, {time_left(rate * sum(self._left.values()))}"


def _summary(console: Console, result: list[CorpusPart]) -> None:
    kept = Table("split", "made of", "instances", "edits", title="Kept", box=SIMPLE)
    instances: Counter[tuple[str, str]] = Counter()
    edits: Counter[tuple[str, str]] = Counter()
    for made in result:
        kind = project_and_kind(made.name)[1]
        instances.update({(split, kind): count for split, count in made.instances.items()})
        edits.update({(split, kind): count for split, count in made.edits.items()})
    for place in sorted(instances):
        kept.add_row(*place, f"{instances[place]:,}", f"{edits[place]:,}")
    left = Table("reason", "count", title="Skipped", box=SIMPLE)
    for reason, count in sum((made.skipped for made in result), Skipped()).most_common():
        left.add_row(plain(reason), f"{count:,}")
    console.print(kept, left)
