"""Subwords: byte pair encoding (Sennrich et al. 2016) of the sentences that a network trains on.

One vocabulary of both languages lets a network share its embeddings.
"""

import io
from collections.abc import Iterable, Sequence

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

PAD, UNKNOWN, START, END = range(4)


class Subwords:
    """A learned vocabulary."""

    def __init__(self, model: bytes) -> None:
        self._processor = SentencePieceProcessor(model_proto=model)

    def __len__(self) -> int:
        return int(self._processor.get_piece_size())

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Split texts into ids, without marks of their starts and ends."""
        found: list[list[int]] = self._processor.encode(list(texts))
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """Join ids to a text; marks vanish."""
        text: str = self._processor.decode([one for one in ids if one not in (PAD, START, END)])
        return text


def learn_subwords(texts: Iterable[str], size: int) -> Subwords:
    """Learn a vocabulary of at most `size` subwords, the same ones whenever texts are the same."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        model_type="bpe",
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        pad_id=PAD,
        unk_id=UNKNOWN,
        bos_id=START,
        eos_id=END,
        num_threads=1,
        minloglevel=2,
    )
    return Subwords(model.getvalue())
