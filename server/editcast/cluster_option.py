"""The option by which a command works on a cluster."""

import click

from editcast_training.cluster import HERE

ray_option = click.option(
    "--ray",
    is_flag=False,
    flag_value=HERE,
    metavar="[HOST:PORT]",
    help="Work on a Ray cluster that this machine belongs to, or without an address on its own.",
)
