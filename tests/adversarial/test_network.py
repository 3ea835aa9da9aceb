"""Nothing is sent: no process of ours asks for a socket of the internet families."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from attacks import network
from attacks.figures import Limit
from attacks.jail import can_trace


@pytest.mark.timeout(900)
def test_no_process_opens_an_internet_socket() -> None:
    figures = network.attack(Limit(seconds=90), 0)
    print(figures)
    assert not figures.findings, figures
    if can_trace():
        assert figures.tried["commands watched"] == 5 and figures.tried["predictions"] > 5


@pytest.mark.skipif(
    not can_trace(),
    reason="strace may not be used here"
    if shutil.which("strace")
    else "no strace: apt-get install --no-install-recommends strace",
)
def test_a_socket_would_be_seen(tmp_path: Path) -> None:
    watch = network.Watch(tmp_path)
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
    subprocess.run(watch.command((sys.executable, "-c", code)), check=True)
    assert any("socket(AF_INET," in call for call in watch.sockets())
    assert socket.AF_INET.name in watch.sockets()[0]
