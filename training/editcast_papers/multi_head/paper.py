"""Numbers of the papers: the tables of both on the slides of the thesis."""

from typing import NamedTuple


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        model: Its name here, of `runs.MODELS`.
        speed: Training steps a second.
        bleu: Of the translations.
        parameters: Millions; of the disagreement table, none.
        decoding: Sentences a second; of the disagreement table, none.
    """

    model: str
    speed: float | None
    bleu: float | None
    parameters: float | None = None
    decoding: float | None = None


#: WMT17 Chinese to English; heads of the encoder's self-attention.
DISAGREEMENT = (
    Row("none", 1.21, 24.13),
    Row("subspaces", 1.15, 24.64),
    Row("positions", 1.14, 24.42),
    Row("outputs", 1.15, 24.78),
    Row("subspaces, outputs", 1.12, 24.73),
    Row("subspaces, positions", 1.11, 24.38),
    Row("positions, outputs", None, None),  # not on the slides
    Row("subspaces, positions, outputs", 1.05, 24.60),
)
#: WMT14 English to German.
ROUTING = (
    Row("none", 1.92, 27.31, 88.0, 1.67),
    Row("simple: encoder", 1.23, 27.98, 100.6, 1.66),
    Row("EM: encoder", 1.20, 28.28, 100.6, 1.65),
    Row("EM: encoder-decoder", 1.20, 27.94, 100.6, 1.21),
    Row("EM: decoder", 1.21, 28.15, 100.6, 1.21),
    Row("EM: encoder, encoder-decoder", 0.87, 28.45, 113.2, 1.20),
    Row("EM: all", 0.66, 28.47, 125.8, 0.89),
)
#: The least that must be shown: a model's BLEU above that of "none".
GOALS = {"outputs": 0.3, "EM: encoder": 0.5}
