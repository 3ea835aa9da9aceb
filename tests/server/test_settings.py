"""Settings: their values as a table, and the three ways in which an editor gives them."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editcast_server.settings import Settings, read_settings

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, Settings()),
        ({}, Settings()),
        ({"enabled": False}, Settings(enabled=False)),
        ({"confidenceThreshold": 1}, Settings(confidence_threshold=1.0)),
        ({"confidenceThreshold": None, "eagerness": "low"}, Settings(eagerness="low")),
        ({"languages": ["python", "c"]}, Settings(languages=("python", "c"))),
        ({"debounceMs": None, "server": {"path": "x"}}, Settings()),
        ({"device": "cuda", "modelPath": "~/m"}, Settings(device="cuda", model_path="~/m")),
    ],
)
def test_good_settings(given: Any, expected: Settings) -> None:
    assert read_settings(given) == (expected, [])


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ([], "The setting editcast must be an object, not []; the defaults are used."),
        (
            {"enabled": 1},
            "The setting editcast.enabled must be true or false, not 1; "
            "its default, true, is used.",
        ),
        (
            {"confidenceThreshold": 1.5},
            "The setting editcast.confidenceThreshold must be a number between 0 and 1, not 1.5; "
            "its default, null, is used.",
        ),
        (
            {"confidenceThreshold": True},
            "The setting editcast.confidenceThreshold must be a number, not true; "
            "its default, null, is used.",
        ),
        (
            {"eagerness": "very"},
            "The setting editcast.eagerness must be one of low, medium, high, "
            'not "very"; its default, "medium", is used.',
        ),
        (
            {"debounceMs": "75"},
            'The setting editcast.debounceMs must be a whole number, not "75"; '
            "its default, 75, is used.",
        ),
        (
            {"exclude": ["*.c", 3]},
            'The setting editcast.exclude[1] must be a text, not ["*.c", 3]; '
            "its default, [], is used.",
        ),
        (
            {"device": "tpu"},
            'The setting editcast.device must be one of auto, cpu, cuda, not "tpu"; '
            'its default, "auto", is used.',
        ),
        (
            {"maxFileBytes": 0},
            "The setting editcast.maxFileBytes must be at least 1, not 0; "
            "its default, 1000000, is used.",
        ),
    ],
)
def test_bad_settings_are_reported_by_path_and_defaulted(given: Any, complaint: str) -> None:
    assert read_settings(given) == (Settings(), [complaint])


def test_good_values_beside_bad_ones_are_used() -> None:
    settings, complaints = read_settings({"enabled": "no", "debounceMs": 5, "device": 1})
    assert settings == Settings(debounce_ms=5)
    assert len(complaints) == 2


async def test_initialization_options(start: Any) -> None:
    async with start({"enabled": "yes", "languages": ["python"]}) as editor:
        assert any("editcast.enabled must be true or false" in one for one in editor.messages)
        for language, served in (("python", True), ("rust", False)):
            uri = editor.open(f"a.{language}", CALLS, language)
            editor.type(uri, "render", "draw")
            assert bool(await editor.next_edit(uri)) is served


async def test_configuration_asked_for(start: Any) -> None:
    configuration: dict[str, Any] = {"editcast": {"confidenceThreshold": 1, "debounceMs": "x"}}
    async with start(configuration=configuration) as editor:
        await editor.until(lambda: any("editcast.debounceMs" in one for one in editor.messages))
        uri = editor.open("pulled.py", CALLS)
        editor.type(uri, "render", "draw")
        assert not (await editor.next_edit(uri)).suggestions

        configuration["editcast"] = {"confidenceThreshold": 0}
        editor.client.set_configuration({"confidenceThreshold": 0}, section="editcast")
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(settings=None)
        )
        while not await editor.best(uri):  # the answer to workspace/configuration is on its way
            pass


async def test_configuration_sent(start: Any) -> None:
    async with start() as editor:
        assert [one.method for one in editor.registered] == ["workspace/didChangeConfiguration"]
        uri = editor.open("sent.py", CALLS)
        editor.type(uri, "render", "draw")
        assert await editor.best(uri)

        def send(settings: Any) -> None:
            params = types.DidChangeConfigurationParams(settings={"editcast": settings})
            editor.client.workspace_did_change_configuration(params)

        send({"enabled": False})
        assert await editor.next_edit(uri) is None
        await editor.until(lambda: editor.statuses[-1].state == "disabled")
        assert not editor.predicted[-1].suggestions
        send({"exclude": ["sent.*"]})
        assert await editor.next_edit(uri) is None
        send({"maxFileBytes": 10})
        assert await editor.next_edit(uri) is None
        send({"confidenceThreshold": 0.0})
        while not await editor.best(uri):  # the bundled model is being loaded
            pass
        send(["not", "an", "object"])
        await editor.until(lambda: "editcast must be an object" in editor.messages[-1])


@pytest.mark.asyncio(loop_scope="module")
async def test_secret_files_are_never_looked_at(editor: Any) -> None:
    uri = editor.open(".env.local", CALLS, "plaintext")
    editor.type(uri, "render", "draw")
    editor.save(uri)
    assert await editor.next_edit(uri) is None


async def test_another_model_path_is_taken_up_at_once(start: Any, tmp_path: Path) -> None:
    async with start({"modelPath": str(tmp_path / "none")}) as editor:
        assert editor.statuses[-1].state == "baseline"
        assert str(tmp_path / "none") in editor.statuses[-1].message
        settings = {"editcast": {"modelPath": str(tmp_path / "other")}}
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(settings=settings)
        )
        await editor.until(lambda: str(tmp_path / "other") in editor.statuses[-1].message)
