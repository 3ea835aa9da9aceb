"""The option that runs a command on a cluster."""

import click

from editcast_training.cluster import HERE

ray_option = click.option(
    "--ray",
    is_flag=False,
    flag_value=HERE,
    metavar="[HOST:PORT]",
    help="Use the Ray cluster that this machine belongs to, or without an address a local one.",
)
