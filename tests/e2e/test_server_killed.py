"""A server that is killed in the middle comes back, and goes on with the files as they are."""

import os
import signal

import pytest

from sample import BEFORE, NEW, OLD
from workbench import MENU_ROWS

pytestmark = pytest.mark.timeout(600)


def only_server(workbench):
    """The one server's process id; that of the window before may be ending still."""
    servers = workbench.wait(
        "one server",
        lambda: [ids] if len(ids := workbench.server.language_servers()) == 1 else [],
    )
    return servers[0][0]


def test_it_comes_back_with_at_most_one_message(workbench):
    file = workbench.start(BEFORE)
    workbench.replace(file, 3, OLD, NEW)

    killed = only_server(workbench)
    os.kill(killed, signal.SIGKILL)
    workbench.wait("its end", lambda: workbench.editcast_item() == "Editcast is starting")
    workbench.wait_until_ready()
    assert only_server(workbench) != killed

    # It knows the text as it is now, and hears what is done to it.
    workbench.replace(file, 4, OLD, NEW)
    rows = workbench.code_actions()
    assert OLD in rows[0] and NEW in rows[0] and "line 5" in rows[0], rows
    workbench.click(MENU_ROWS, rows[0])
    workbench.save(file, BEFORE.replace(OLD, NEW, 3))
    assert len(workbench.complaints()) <= 1

    # What is asked for while it starts is answered once it runs.
    os.kill(only_server(workbench), signal.SIGKILL)
    workbench.wait("its end", lambda: workbench.editcast_item() == "Editcast is starting")
    workbench.run("Editcast: Show the Report")
    workbench.wait("the report", lambda: "Editcast Report" in workbench.texts(".tab .label-name"))
