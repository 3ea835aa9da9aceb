"""The encoding of a state, chunk by chunk, so that a change costs only the chunks around it.

The encoder's attention is local: what it makes of a token depends on the tokens nearby alone. A
state is therefore cut into chunks that are encoded on their own, each with a margin on both sides,
and remembered. Where a chunk begins depends on the tokens just before (content-defined chunking,
Muthitacharoen et al. 2001), so that an inserted line moves the chunks behind it and changes none.

A chunk's encoding is a function of its tokens and its margins, so what is remembered makes
predictions quicker and never different. It is not to the last digit that of a whole state: the
attention reads blocks, which here are counted from the chunk's start.

Dimensions:

    S  state tokens    C  tokens of a chunk with its margins
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from editcast_model.networks.config import NetworkConfig

Tokens = npt.NDArray[np.int64]
#: What the encoder returns, by name: arrays of as many rows as it was given tokens.
Arrays = dict[str, npt.NDArray[np.float32]]

#: Fewest and most tokens of a chunk. What a run needs, some 50 kB a token, stays with the process.
_LEAST, _MOST = 192, 768
#: Tokens that decide whether a chunk begins behind them, and one in how many of these places it is.
_DECIDING, _ONE_IN = 6, 128
#: Bytes of encoded chunks that are remembered; 0.7 kB a token.
MOST_BYTES = 12 << 20
#: How far around itself a token looks for equal ones; see `networks/equality.py`.
_REACH = 5
# Odd constants that spread the bits of a hash (FNV-1a, and the golden ratio).
_FACTOR, _SPREAD = np.uint64(1099511628211), np.uint64(0x9E3779B97F4A7C15)


def chunk_starts(tokens: Tokens) -> list[int]:
    """Return where the chunks of a state begin, ascending; the first is 0. (S,) -> at most S."""
    size = len(tokens)
    ids = tokens.astype(np.uint64) + np.uint64(1)
    hashes = np.zeros(size, np.uint64)
    for ago in range(1, min(_DECIDING, size - 1) + 1):
        hashes[ago:] = hashes[ago:] * _FACTOR + ids[:-ago]
    chosen = (hashes * _SPREAD >> np.uint64(40)) % np.uint64(_ONE_IN) == 0
    starts = [0]
    for place in (*np.flatnonzero(chosen).tolist(), size):
        while place - starts[-1] > _MOST:
            starts.append(starts[-1] + _MOST)
        if place < size and place - starts[-1] >= _LEAST:
            starts.append(place)
    return starts


class ChunkEncoder:
    """An encoder of states that remembers their chunks.

    Args:
        network: The sizes that say how far a token reads.
        run: Encodes tokens (C,) in one run of the network.
        most_bytes: Bytes of chunks that are remembered; the last used ones stay.
    """

    def __init__(
        self,
        network: NetworkConfig,
        run: Callable[[Tokens], Arrays],
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._run, self._most_bytes = run, most_bytes
        self._block = network.local
        # A layer reads the block of a token and the two adjacent ones, the embeddings some tokens.
        self._margin = (network.state_layers + -(-2 * _REACH // self._block)) * self._block
        self._known: OrderedDict[tuple[int, int, bytes], Arrays] = OrderedDict()
        self._nbytes = self._runs = 0

    def encode(self, tokens: Tokens) -> Arrays:
        """Encode a state: (S,) -> arrays of S rows."""
        parts = [self._chunk(tokens, start, end) for start, end in _chunks(tokens)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def encode_ahead(self, tokens: Tokens) -> Iterator[None]:
        """Encode what is not remembered of a text, as far as it will be; yield after each chunk."""
        size = 0
        for start, end in _chunks(tokens):
            runs = self._runs
            size += _size(self._chunk(tokens, start, end))
            if size > self._most_bytes * 3 / 4:
                return
            if self._runs > runs:
                yield

    def _chunk(self, tokens: Tokens, start: int, end: int) -> Arrays:
        low = max(0, start - self._margin)
        blocks = -(-(end - start) // self._block)  # the last one whole, whatever follows
        read = tokens[low : start + blocks * self._block + self._margin]
        key = start - low, end - low, read.tobytes()
        known = self._known.pop(key, None)
        if known is None:
            self._runs += 1
            made = self._run(read)
            known = {name: rows[start - low : end - low].copy() for name, rows in made.items()}
            self._nbytes += _size(known)
        self._known[key] = known
        while self._nbytes > self._most_bytes and len(self._known) > 1:
            self._nbytes -= _size(self._known.popitem(last=False)[1])
        return known


def _chunks(tokens: Tokens) -> Iterator[tuple[int, int]]:
    starts = chunk_starts(tokens)
    return zip(starts, (*starts[1:], len(tokens)), strict=True)


def _size(arrays: Arrays) -> int:
    return sum(rows.nbytes for rows in arrays.values())
