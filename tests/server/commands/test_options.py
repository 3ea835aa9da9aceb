"""Every number that a command takes has bounds, and every split a name of its own."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from editcast.__main__ import cli

_PLACES = {"corpus": ["out"], "train": [], "export": [__file__, "--to", "out"], "evaluate": []}
_NEVER = ["nan", "inf", "-inf", "-1", "-5", "1e400", "1" + "0" * 30, "-1" + "0" * 30, "many", ""]


def _commands(
    command: click.Command, *names: str
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _commands(below, *names, name)
    else:
        yield names, command


def _numbers() -> Iterator[tuple[tuple[str, ...], click.Parameter]]:
    for names, command in _commands(cli):
        for parameter in command.params:
            if isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType):
                yield names, parameter


NUMBERS = list(_numbers())


def test_the_options_known_to_take_numbers_are_among_them() -> None:
    found = {(*names, parameter.opts[0]) for names, parameter in NUMBERS}
    assert found >= {
        ("corpus", "--max-state"), ("corpus", "--processes"), ("corpus", "--seed"),
        ("train", "--minutes"), ("train", "--steps"), ("train", "--patience"),
        ("calibrate", "--seed"), ("evaluate", "--commits"), ("reproduce", "zhao2019", "--batch"),
        ("history", "show", "--number"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("names", "parameter"), NUMBERS, ids=[" ".join((*n, p.opts[0])) for n, p in NUMBERS]
)
def test_a_number_out_of_its_range_is_refused(
    names: tuple[str, ...], parameter: click.Parameter
) -> None:
    kind = parameter.type
    assert isinstance(kind, click.IntRange | click.FloatRange), "give it a range of editcast.kinds"
    assert kind.min is not None and kind.max is not None and not kind.clamp
    wrong = [*_NEVER, str(kind.max * 2 + 1), *(["0"] if kind.min > 0 or kind.min_open else [])]
    for value in wrong:
        command = [*names, *_PLACES.get(names[0], []), f"{parameter.opts[0]}={value}"]
        result = CliRunner().invoke(cli, command)
        assert result.exit_code == 2, (value, result.output)
        said = result.output.splitlines()
        assert sum(line.startswith("Error: Invalid value for") for line in said) == 1, value
        assert "Traceback" not in result.output
        assert "whole number from" in result.output or "number above" in result.output


@pytest.mark.parametrize("option", ["--git", "--saves"])
def test_a_split_that_is_none_is_refused(option: str, tmp_path: Path) -> None:
    (tmp_path / "it").mkdir()
    given = ["corpus", str(tmp_path / "out"), option, f"trian={tmp_path / 'it'}"]
    result = CliRunner().invoke(cli, given, env={"EDITCAST_HOME": str(tmp_path / "home")})
    assert result.exit_code == 2 and "'trian' is no split; name train, dev, test" in result.output
    assert not (tmp_path / "out").exists()
