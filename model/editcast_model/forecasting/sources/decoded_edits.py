"""Decoded edits: what the network itself generates, on the lines that it finds most probable."""

import math
from collections.abc import Iterator
from collections.abc import Sequence as Ids
from itertools import islice

from editcast_model.edits import Edit
from editcast_model.forecasting.candidates import Candidate, Situation
from editcast_model.inference.decoding import decode
from editcast_model.tokenizer import Tokenizer, lex


class DecodedEdits:
    """The candidate source of the network's decoding."""

    name = "decoded"

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the best on each of the most probable lines where something fits."""
        view, text, missing = situation.view, situation.history.text, situation.count
        if view is None:
            return
        config = situation.config
        floor = math.log(config.floor) if config.floor else -math.inf

        def is_suggestion(edits: Ids[Edit]) -> bool:
            hunk = view.window.hunk(view.timeline, edits)
            if hunk is None or text[hunk.start : hunk.end] == hunk.text:
                return False
            return situation.accepts(hunk, self.name)

        def splits(before: Ids[int], token: int) -> bool:
            return _ends_token(view.tokenizer, before, token)

        for where in islice(view.places.on_lines(), missing + config.other_lines):
            for one in decode(
                view.sequence,
                where=where,
                spare=config.other_starts,
                limit=config.decoded_length,
                together=config.together,
                floor=floor,
                splits=splits,
                fits=is_suggestion,
            ):
                hunk = view.window.hunk(view.timeline, one.edits)
                assert hunk is not None
                candidate = Candidate(
                    hunk,
                    self.name,
                    edits=len(one.edits),
                    log_probability=one.log_probability,
                    line=float(view.places.line[one.edits[0].position]),
                    prior=math.exp(min(one.log_probability, 0.0)),
                )
                yield situation.described(candidate)
                missing -= 1
            if missing == 0:
                return


def _ends_token(tokenizer: Tokenizer, before: Ids[int], token: int) -> bool:
    """Say whether a lexical token ends between two runs of inserted subtokens."""
    left, right = tokenizer.decode(before), tokenizer.decode([token])
    if not left or not right:
        return True
    return len(lex(left + right)) == len(lex(left)) + len(lex(right))
