"""The manifest asks for exactly the rights that the code uses, which the test reads from the
code.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

import adapters.slack
from adapters.slack import scopes
from adapters.slack.incoming.events import PROMPTS
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.routing import SHORTCUTS, FromMemory, listen
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from adapters.templates.catalogue import read_catalogue
from core.application.commands import parse
from core.application.commands.help import COMMAND
from tests.adapters.desk import RecordingDesk
from tests.standins.slack import MANIFEST
from tests.standins.slack_rules import manifest_validator
from tests.standins.slack_world import SCOPES

CODE = Path(adapters.slack.__path__[0])
GUIDE = MANIFEST.parent.parent / "docs" / "slack.md"
UPLOAD = {"files.getUploadURLExternal", "files.completeUploadExternal"}
"""The methods that the SDK's ``files_upload_v2`` calls."""


def manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return loaded


def methods_in_code() -> set[str]:
    """Returns every Web API method that a line of the adapter calls, by the name that Slack gives
    it.
    """
    methods: set[str] = set()
    for file in CODE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and "_" in node.attr
                and not node.attr.startswith("_")
                and hasattr(AsyncWebClient, node.attr)
            ):
                if node.attr == "files_upload_v2":
                    methods |= UPLOAD
                elif (api := api_name(node.attr)) is not None:
                    methods.add(api)
    return methods


def api_name(attribute: str) -> str | None:
    """Returns the method that a call of the SDK makes, read from the SDK's own source:
    ``chat_postMessage`` calls ``chat.postMessage``.
    """
    method = getattr(AsyncWebClient, attribute)
    if not inspect.iscoroutinefunction(method):
        return None
    for node in ast.walk(ast.parse("class X:\n" + inspect.getsource(method))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "api_call"
        ):
            first = node.args[0]
            return str(first.value) if isinstance(first, ast.Constant) else None
    return None


def test_the_manifest_is_valid() -> None:
    assert list(manifest_validator().iter_errors(manifest())) == []


def test_every_method_in_the_code_is_known_and_none_is_known_for_nothing() -> None:
    assert methods_in_code() == set(scopes.METHODS)
    assert {method: wanted for method, wanted in scopes.METHODS.items() if wanted} == dict(SCOPES)


def test_scopes_events_commands_and_shortcuts_are_those_of_the_code() -> None:
    declared = manifest()
    assert scopes.declared(declared) == scopes.scopes()
    assert declared["settings"]["event_subscriptions"]["bot_events"] == sorted(scopes.EVENTS)
    assert [command["command"] for command in declared["features"]["slash_commands"]] == [COMMAND]
    assert [shortcut["callback_id"] for shortcut in declared["features"]["shortcuts"]] == list(
        SHORTCUTS
    )
    assert declared["features"]["agent_view"]["suggested_prompts"] == list(PROMPTS)
    assert declared["settings"]["interactivity"]["is_enabled"]
    assert declared["settings"]["socket_mode_enabled"]


def test_exactly_the_declared_events_are_listened_to() -> None:
    listened: list[str] = []

    class Listening(AsyncApp):
        def event(self, event: Any, *args: Any, **kwargs: Any) -> Any:
            listened.append(str(event))
            return super().event(event, *args, **kwargs)

    settings = SlackSettings(bot_token="xoxb", signing_secret="s")
    workspaces = Workspaces(settings)
    listen(
        Listening(signing_secret="s", authorize=FromMemory(workspaces)),
        Listener(settings, RecordingDesk(), workspaces, SlackChat(workspaces)),
    )
    assert set(listened) == {event.partition(".")[0] for event in scopes.EVENTS}
    assert len(listened) == len(set(listened))


def test_every_command_in_the_guide_is_one() -> None:
    known = [template.id for template in read_catalogue()]
    typed = re.findall(
        r"(?:`|^)[/@]debate ([a-z][^`\n]*)", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(typed) >= 6
    for text in typed:
        parse(
            text.replace("ID", "d23d5678"),
            templates=known,
            attached="this thread" in text or text in known,
        )
        assert "schedule" not in text or "github:" in text


def test_the_guide_explains_every_scope() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("| Scope | For |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`([a-z:._]+)`", re.sub(r"`/debate`", "", table))) == list(
        scopes.scopes()
    )


def test_the_tools_that_the_documentation_adds_fit_slack_s_manifest() -> None:
    text = GUIDE.with_name("mcp.md").read_text(encoding="utf-8").partition("## From Slack")[2]
    added = json.loads(text.partition("```json\n")[2].partition("\n```")[0])
    assert list(manifest_validator().iter_errors({**manifest(), **added})) == []
