"""`editcast reproduce`: a paper's tables and figures, made again. A file for each paper."""

import click

from editcast.commands.reproduce.copy_spans import copy_spans, edit_pairs
from editcast.commands.reproduce.indigo import indigo
from editcast.commands.reproduce.multi_head import multi_head
from editcast.commands.reproduce.pointer_mixture import pointer_mixture
from editcast.commands.reproduce.pretrained_encoder import pretrained_encoder
from editcast.commands.reproduce.slides import slides
from editcast.commands.reproduce.zhao2019 import zhao2019

# torch takes seconds to import: the functions of the commands import what they call.


@click.group()
def reproduce() -> None:
    """Reproduce a paper's tables and figures."""


for _command in (
    zhao2019,
    copy_spans,
    edit_pairs,
    multi_head,
    pointer_mixture,
    pretrained_encoder,
    indigo,
    slides,
):
    reproduce.add_command(_command)
