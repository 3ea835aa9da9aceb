"""Figure 4 a-c: the seconds of training on 128 sequences, by model, size and length.

A string of the synthetic tasks' length holds one letter A, and a replacement puts as many letters
behind it as the cell asks for, drawn from a random model of three letters at a time. A cell is the
mean of steps after a warm-up: forward, backward and the optimizer. A network that is too slow for
batches of 128 is measured on smaller ones, and the seconds are scaled.

Apart from the figure: what a step of training on the tasks costs, networks in turns.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from statistics import median

import numpy as np
import torch
from torch import nn

from editcast_model.edits import START, Edit
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_papers.training import device_words, update
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_papers.zhao2019.networks.zoo import build
from editcast_papers.zhao2019.recipe import edit_loss
from editcast_papers.zhao2019.runs import StepTime, Timing
from editcast_papers.zhao2019.synthetic import FIRST, LENGTH, LETTERS, VOCABULARY
from editcast_papers.zhao2019.tasks import load

#: A model, its hidden size, and the letters inserted.
Cell = tuple[str, int, int]
#: Tasks whose step is measured: of few edits, of more, and of many.
COSTS = "MetaAppend1", "MetaFlip11", "ContextReverse51"
#: What the figure compares, and ours.
MODELS = "E", "IR", "IA-ag", "IA+"
SEQUENCES = 128
_BATCHES = SEQUENCES, 16, 8
_STEPS, _FEWEST = 100, 3
_BATCH, _TURNS, _WARM_UP = 64, 40, 3  # of a task's step
_SECONDS = 1.0  # as long as a step may take for `_STEPS` of them to be made


def ngram_examples(insertions: int, count: int, seed: int) -> list[EditSequence]:
    """Strings with one A, and the edits that insert so many letters behind it, left to right."""
    draw = np.random.default_rng(seed)
    others = len(LETTERS) - 1  # the inserted letters, like the string's, are never A
    model = draw.dirichlet(np.full(others, 0.3), size=(others, others)).cumsum(-1)
    found = []
    for _ in range(count):
        letters = draw.integers(1, 1 + others, size=LENGTH)
        place = int(draw.integers(LENGTH))
        letters[place] = 0
        before, last = draw.integers(others, size=2)
        edits, at = [], place + 1
        for number in range(insertions):
            drawn = np.searchsorted(model[before, last], draw.random() * model[before, last, -1])
            before, last = last, min(int(drawn), others - 1)
            edits.append(Edit(at, FIRST + 1 + int(last)))
            at = LENGTH + 1 + number
        initial = (START, *(FIRST + int(letter) for letter in letters))
        found.append(EditSequence(initial, tuple(edits)))
    return found


def measure(
    cells: Sequence[Cell],
    device: torch.device,
    limit: float,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[Timing]:
    """Measure cells of (model, hidden size, insertions), one after the other.

    Args:
        cells: What to measure.
        device: Where.
        limit: Seconds that a cell's measured steps may take; a few are made in any case.
        tell: Called with what is being measured.
    """
    for model, hidden, insertions in cells:
        tell(f"{model}, hidden size {hidden}, {insertions} insertions")
        found = ngram_examples(insertions, SEQUENCES, seed=insertions)
        whole = collate([Instance(one.initial, one.edits) for one in found]).to(device)
        torch.manual_seed(0)
        network = build(model, VOCABULARY, hidden, LENGTH + 1 + insertions).to(device)
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

        step = partial(_seconds, network, optimizer)
        size, one = _batch_size(step, whole, limit)
        batch = _first(whole, size)
        wanted = _STEPS if one <= _SECONDS else int(limit / one)
        wanted = max(_FEWEST, min(_STEPS, wanted))
        times: list[float] = []
        while len(times) < wanted and (len(times) < _FEWEST or sum(times) < limit):
            times.append(step(batch))
        yield Timing(
            model=model,
            hidden=hidden,
            insertions=insertions,
            seconds=round(sum(times) / len(times) * SEQUENCES / size, 4),
            steps=len(times),
            batch=size,
            device=device_words(device),
        )


def measure_steps(
    task: str, models: Sequence[str], hidden: int, device: torch.device
) -> list[StepTime]:
    """Return the median training step of each network on a task's batches, measured in turns.

    Raises:
        ReproductionError: There is no such task or network.
    """
    data = load(task, "dev")
    items = int(data.batch.live.shape[-1])
    networks = {name: build(name, VOCABULARY, hidden, items).to(device) for name in models}
    optimizers = {name: torch.optim.Adam(one.parameters()) for name, one in networks.items()}
    times: dict[str, list[float]] = {name: [] for name in models}
    for step in range(_WARM_UP + _TURNS):
        start = step * _BATCH % (len(data.lengths) - _BATCH)
        batch = data.rows(torch.arange(start, start + _BATCH)).to(device)
        for name, network in networks.items():
            times[name].append(_seconds(network, optimizers[name], batch))
    return [
        StepTime(
            task=task,
            model=name,
            hidden=hidden,
            seconds=round(median(times[name][_WARM_UP:]), 4),
            steps=_TURNS,
            batch=_BATCH,
            device=device_words(device),
        )
        for name in models
    ]


def cells(models: Sequence[str], hidden: Sequence[int], insertions: Sequence[int]) -> list[Cell]:
    """Return the cells of the figure, the cheap ones first."""
    return [(model, size, length) for length, size, model in product(insertions, hidden, models)]


def _seconds(network: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    """Return what a step takes, whatever the device still had to do included."""
    began = time.perf_counter()
    update(network, optimizer, edit_loss(network, batch))
    if batch.state.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - began


def _batch_size(step: Callable[[Batch], float], whole: Batch, limit: float) -> tuple[int, float]:
    """Return the largest batch whose steps fit the limit, and the seconds of a warm step."""
    smallest = _BATCHES[-1]
    step(_first(whole, smallest))
    least = step(_first(whole, smallest))
    for size in _BATCHES:
        # In proportion is a guess from above: large batches use a device better.
        if size == smallest or least * size / smallest * _FEWEST <= limit:
            try:
                return size, min(step(_first(whole, size)) for _ in range(2))
            except torch.OutOfMemoryError:
                continue
    return smallest, least


def _first(batch: Batch, count: int) -> Batch:
    """Return the first instances of a batch."""
    return Batch(**{name: tensor[:count] for name, tensor in vars(batch).items()})
