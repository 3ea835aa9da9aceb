"""The option that runs a command on a cluster."""

import click

from editcast_training.cluster import HERE

ray_option = click.option(
    "--ray",
    is_flag=False,
    flag_value=HERE,
    metavar="[HOST:PORT]",
    help="Run on the Ray cluster of this machine; without an address, on a local cluster.",
)
