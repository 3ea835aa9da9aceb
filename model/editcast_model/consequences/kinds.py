"""Edits that follow from others, their kinds, and how often each kind is right.

The strength of a kind is the share of its edits that are clean among commits: in the changed file
if nothing else was changed there, or in another file.
`benchmarks/suggestions/consequences_on_commits.py` measures both and writes them to
`strengths.json`; kinds that came up too seldom keep what is assumed of them.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from editcast_model.diff import Hunk

Kind = Literal[
    "rename_use",
    "rename_use_beside",
    "rename_definition",
    "rename_definition_unsure",
    "rename_setter",
    "rename_field",
    "rename_field_of_named",
    "rename_compound_field",
    "rename_field_of_unknown",
    "rename_import",
    "rename_pair",
    "rename_keyword",
    "rename_attribute",
    "rename_key",
    "rename_key_unsure",
    "add_argument",
    "remove_argument",
    "reorder_arguments",
    "name_arguments",
    "pass_parameter",
    "pass_parameter_alike",
    "pass_to_taker",
    "use_parameter",
    "add_parameter",
    "add_parameter_alike",
    "hand_down_parameter",
    "follow_signature",
    "import_missing",
    "import_often_added",
    "remove_import",
    "remove_duplicate",
    "remove_function",
    "add_entry",
    "add_entry_apart",
    "remove_entry",
    "add_entry_in_text",
    "add_sql_value",
    "add_element",
    "return_local",
    "list_file",
    "unlist_file",
    "settle_condition",
    "assign_parameter",
    "take_results",
    "wrap_result",
    "annotate_result",
    "remove_check",
    "follow_container",
    "add_check",
    "use_constant",
    "use_entry",
    "replace_word",
    "replace_version",
    "replace_version_in_line",
    "replace_version_beside",
    "replace_version_said",
    "drop_version",
    "replace_path",
    "replace_unit",
    "await_call",
    "make_async",
    "convert_format",
    "rewrite",
    "rewrite_that_adds",
    "rewrite_annotation",
    "rewrite_elsewhere",
    "migrate",
]
#: The measured strengths, beside this file.
MEASURED: Final = Path(__file__).with_name("strengths.json")
#: By kind, in the changed file and in another one.
STRENGTHS: Final[dict[str, tuple[float, float]]] = {
    kind: (places["here"]["strength"], places["elsewhere"]["strength"])
    for kind, places in json.loads(MEASURED.read_text("utf-8")).items()
}


@dataclass(frozen=True, slots=True)
class Consequence:
    """An edit that follows from what was changed before.

    Attributes:
        hunk: The replacement, in the text as it is now.
        kind: What it does, and by what evidence.
        is_first: Whether it comes before the others of its change: it defines what they use.
        cause: Names what it follows from, such as an old name and the new one: the others of this
            cause do the same at other places. Empty where there are no others.
        others: The number of different changes of this file beside the one that it follows from;
            None if it follows from another file.
    """

    hunk: Hunk
    kind: Kind
    is_first: bool = False
    cause: str = ""
    others: int | None = None

    @property
    def strength(self) -> float:
        """The share of its kind that is clean, 0 to 1."""
        here, elsewhere = STRENGTHS[self.kind]
        return elsewhere if self.others is None else here
