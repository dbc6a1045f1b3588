"""One debate from a typed command to its end, with every place kept in which something could have
leaked.
"""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adapters.models import Vendors
from adapters.models.scripted import Scripted
from adapters.terminal.terminal import Style, Terminal
from bot import settings
from bot.shell import cli
from bot.shell.playing.run import Shell
from bot.wire.base import MakeModels
from bot.wire.parts import Parts, open_parts
from core.application.commands import Start, parse
from core.application.commands.help import SHELL_ONLY
from core.debate.errors import DebateError
from core.debate.ports import CallOptions, Message, Model
from core.debate.prompting.frame import fence
from core.words.outcome import outcome
from tests.standins.github import GitHubStandIn

LINK = "https://github.com/o/r/pull/412"
PERSON = "shell:ann"
NOTHING: Mapping[str, str] = {}
Review = Callable[..., Awaitable["Played"]]
Reply = str | Callable[[Sequence[Message], CallOptions], str]


@dataclass
class Played:
    """The traces of a debate: the exit code, the document, and every byte shown, logged, stored or
    sent to a model.
    """

    code: int = 0
    refusal: str = ""
    outcome: dict[str, Any] = field(default_factory=dict)
    out: str = ""
    logs: str = ""
    prompts: list[tuple[Message, ...]] = field(default_factory=list)
    stored: bytes = b""
    fence: str = ""

    @property
    def unfenced(self) -> str:
        """Returns the prompts' own words: without fenced text and without what the seat itself said
        before.
        """
        ours = [m.text for prompt in self.prompts for m in prompt if m.role != "assistant"]
        return "\n".join(
            re.sub(rf"\[{self.fence}\n.*?\n{self.fence}\]", "", text, flags=re.DOTALL)
            for text in ours
        )

    @property
    def sent(self) -> str:
        """Returns everything that a provider would have received."""
        return "\n".join(m.text for prompt in self.prompts for m in prompt)

    @property
    def everything(self) -> str:
        document = json.dumps(self.outcome, ensure_ascii=False)
        stored = self.stored.decode("utf-8", "replace")
        return f"{self.refusal}\n{document}\n{self.out}\n{self.logs}\n{self.sent}\n{stored}"

    @property
    def decision(self) -> str:
        return str(self.outcome["verdict"]["decision"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        matches: list[dict[str, Any]] = self.outcome["findings"]
        return matches


@dataclass(slots=True)
class Watched(Vendors):
    """The usual models; ``made`` keeps the scripted ones of all debates, and they keep what they
    were asked.
    """

    made: list[Scripted] = field(default_factory=list)

    def _make_scripted(self, name: str) -> Model:
        model = Vendors._make_scripted(self, name)
        assert isinstance(model, Scripted)
        model.keeps = True
        self.made.append(model)
        return model


def answering(reply: Reply) -> type[Watched]:
    """Returns models that give this reply to everything."""

    class Answering(Watched):
        def _make_scripted(self, name: str) -> Model:
            model = Scripted(replies=[reply] * 200)
            self.made.append(model)
            return model

    return Answering


def filled(schema: Mapping[str, Any], findings: Sequence[Mapping[str, Any]] = ()) -> Any:
    """Returns the reply of a seat that raises these findings, approves and answers nothing."""
    if "enum" in schema:
        return "approve" if "approve" in schema["enum"] else schema["enum"][0]
    match schema.get("type", "object"):
        case "object":
            parts = schema.get("properties", {})
            made = {name: filled(part) for name, part in parts.items()}
            return made | ({"findings": [*findings]} if "findings" in parts else {})
        case "array":
            return []
        case "number":
            return 0.9
        case "integer":
            return 1
        case _:
            return "fine"


def approving(_messages: Sequence[Message], asking: CallOptions) -> str:
    """Returns the reply of a seat that raises nothing and approves."""
    return json.dumps(filled(asking.schema or {}))


def configured(folder: Path, env: Mapping[str, str]) -> settings.Settings:
    base = {
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted",
        "DEBATE_DATABASE_URL": str(folder / "debate.db"),
    }
    return settings.read({**base, **env}, folder)


@asynccontextmanager
async def opened(
    folder: Path,
    github: GitHubStandIn | None = None,
    *,
    shell: bool = True,
    env: Mapping[str, str] = NOTHING,
    make_models: MakeModels = Watched,
) -> AsyncIterator[Parts]:
    forge = {"GITHUB_API_URL": github.url} if github is not None else {}
    settings = configured(folder, {**forge, **env})
    async with open_parts(settings, shell=shell, make_models=make_models) as parts:
        yield parts


async def typed(
    folder: Path,
    github: GitHubStandIn | None,
    *words: str,
    log: Sequence[logging.LogRecord] = (),
    env: Mapping[str, str] = NOTHING,
    make_models: MakeModels = Watched,
) -> Played:
    """Runs ``debate WORDS --debate-anyway`` in this process, because whole debates are tested.

    ``log`` is the live list of log records of the test.
    """
    out = io.StringIO()
    played = Played()
    async with opened(folder, github, env=env, make_models=make_models) as parts:
        played.code, played.refusal = await start(parts, out, *words)
        lines = await parts.stores.debates.find_recent()
        if lines:
            debate = await parts.service.load(lines[0].id)
            played.outcome, played.fence = outcome(debate), fence(debate)
        played.prompts = prompts(parts)
    played.out = out.getvalue()
    played.stored = stored(folder)
    played.logs = "\n".join(logging.Formatter().format(record) for record in log)
    return played


async def start(parts: Parts, out: io.StringIO, *words: str) -> tuple[int, str]:
    """Starts ``debate WORDS --debate-anyway``; returns the exit code and why it was refused."""
    shell = Shell(parts, Terminal(out, style=Style.PLAIN, width=100), PERSON)
    try:
        ask = parse(
            [*words, "--debate-anyway"],
            templates=cli.template_names(parts.settings),
            prefix="debate",
            also=SHELL_ONLY,
        )
        assert isinstance(ask, Start)
        return await shell.start(ask), ""
    except DebateError as error:
        return error.exit_code, str(error)


def prompts(parts: Parts) -> list[tuple[Message, ...]]:
    """Returns every prompt that a scripted model was shown."""
    assert isinstance(parts.models, Watched)
    return [tuple(call.messages) for model in parts.models.made for call in model.seen]


def stored(folder: Path) -> bytes:
    """Returns every byte of the store, journal included."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("debate.db*")))
