"""The vocabulary of a corpus: byte-level BPE learned from the newest texts of its train split."""

import random
from collections.abc import Iterator, Sequence

from editcast_model.errors import EmptyCorpusError, SourceError
from editcast_model.tokenizer import Tokenizer
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.git import read_files
from editcast_training.sources.registry import Origin, read_origin, trained_on

#: How much text the vocabulary is learned from, characters.
SAMPLE = 20_000_000


def train_tokenizer(origins: Sequence[Origin], *, seed: int, vocabulary: int = 4096) -> Tokenizer:
    """Learn a vocabulary; every source of the train split has the same share.

    Raises:
        EmptyCorpusError: There is no text.
    """
    chosen = trained_on(origins)
    texts: list[str] = []
    failed: list[SourceError] = []
    for origin in chosen:
        try:
            texts += _sample(origin, SAMPLE // len(chosen), seed)
        except SourceError as error:  # reported again when its histories are read
            failed.append(error)
    if not texts and failed:
        raise EmptyCorpusError(f"There is no text to learn a vocabulary from. {failed[0]}")
    if not texts:
        raise EmptyCorpusError(
            "There is no text to learn a vocabulary from; name one with --tokenizer."
        )
    return Tokenizer.train(texts, vocabulary)


def _sample(origin: Origin, size: int, seed: int) -> list[str]:
    """Draw the newest texts of a source in random order, `size` characters."""
    texts = list(_newest(origin))
    random.Random(f"{seed}\0{origin.name}").shuffle(texts)
    out = []
    for text in texts:
        if size < len(text):
            continue
        size -= len(text)
        out.append(text)
    return out


def _newest(origin: Origin) -> Iterator[str]:
    if origin.kind == "git":
        for _, _, text in read_files(origin.path, skipped=Skipped(), languages=origin.languages):
            yield text
    else:
        for history in read_origin(origin, Skipped()):
            yield history.snapshots[-1].text
