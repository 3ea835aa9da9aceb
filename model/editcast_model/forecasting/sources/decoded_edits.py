"""Decoded edits: what the network itself generates, on the lines that it finds most probable.

They are proposed after a save only. At 148 moments between two saves of everyday edits none of them
was right.
"""

import math
from collections.abc import Iterator
from collections.abc import Sequence as Ids
from dataclasses import replace
from functools import partial
from itertools import islice

from editcast_model.diff import Hunk
from editcast_model.edits import Edit
from editcast_model.forecasting.candidates import UNSEEN, Candidate, NetworkView, Situation
from editcast_model.forecasting.line_ranker import Floats
from editcast_model.inference.decoding import decode
from editcast_model.tokenizer import Tokenizer, lex


class DecodedEdits:
    """The candidate source of the network's decoding."""

    name = "decoded"

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the best on each of the most probable lines where something fits."""
        view, text, missing = situation.view, situation.history.text, situation.count
        if view is None or situation.history.unsaved:
            return
        config = situation.config
        floor = math.log(config.floor) if config.floor else -math.inf

        def is_suggestion(edits: Ids[Edit]) -> bool:
            hunk = view.window.hunk(view.timeline, edits)
            if hunk is None or text[hunk.start : hunk.end] == hunk.text:
                return False
            return situation.accepts(hunk, self.name)

        for where in islice(view.places.on_lines(), missing + config.other_lines):
            least = situation.least_to_win(*self._bounds(situation, view, where))
            one = decode(
                view.sequence,
                where=where,
                spare=config.other_starts,
                limit=config.decoded_length,
                together=config.together,
                floor=floor,
                least=least,
                splits=partial(_ends_token, view.tokenizer),
                fits=is_suggestion,
            )
            if one is None:
                continue
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

    def _bounds(
        self, situation: Situation, view: NetworkView, where: Floats
    ) -> tuple[Candidate, Candidate]:
        """Return the least and the greatest features of what can be decoded on a line.

        What was made before is for other sources to propose.
        """
        history, places = situation.history, view.places
        first = int(where.argmax())
        last = history.text.count("\n", 0, history.last)
        apart = abs(int(places.line_of[first]) - last)
        line = float(places.line[first])
        low = Candidate(
            Hunk(0, 1, ""),
            self.name,
            log_probability=UNSEEN,
            line=line,
            distance=max(apart - 1, 0),
            repeating=history.repeating,
        )
        high = replace(
            low,
            hunk=Hunk(0, 0, ""),
            log_probability=float(where[first]),
            distance=apart + 1,
            is_whole_lines=True,
        )
        return low, high


def _ends_token(tokenizer: Tokenizer, before: Ids[int], token: int) -> bool:
    """Say whether a lexical token ends between two runs of inserted subtokens."""
    left, right = tokenizer.decode(before), tokenizer.decode([token])
    if not left or not right:
        return True
    return len(lex(left + right)) == len(lex(left)) + len(lex(right))
