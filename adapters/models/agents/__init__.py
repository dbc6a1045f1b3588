"""Seats of coding agents that are installed on this machine and that a person already pays for:
``cli:claude``, ``cli:codex`` and ``cli:gemini``.

Each answer is one run of the program: in an empty folder, with a named environment, without its
tools and servers, with the prompt on its input, bounded in time and output, and ended with all
programs that it started. An answer is data as any model's; a run that used a tool all the same is
no answer. Only a shell's own debates have such seats (``Vendors.agents``).
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import time
from asyncio import StreamReader
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from adapters.models import faults
from adapters.models.agents.programs import AGENTS, NO_TOOLS, POLICY, PREFIX
from adapters.models.catalogue.prices import family
from adapters.models.exchange import LONGEST_TEXT
from adapters.processes.environment import child_environment, search_path
from adapters.processes.files import make_folder, write_file
from adapters.processes.starting import PIPE, Child, read_upto, send, start
from adapters.text.documents import NoDocument
from core.debate.errors import BadInput, ModelError, ModelFailure
from core.debate.ports import CallOptions, Message, OnWords, Reply

WINDOW = 150_000
"""Tokens of a prompt, which every one of these agents reads."""
LONGEST_RUN = 300.0
"""Seconds for one answer, even if the caller allows less: an agent starts slowly and thinks."""
LONGEST_OUTPUT = 4 << 20
"""Bytes of what a run prints; beyond them it is ended."""
_ERRORS = 64 << 10  # bytes of standard error that are read
_VERSION_SECONDS = 20.0
_AT_ONCE = 2
"""The most runs of one agent at a time."""
_NETWORK = (
    "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE",
)  # fmt: skip


def is_agent(name: str) -> bool:
    """True if a model's name is that of a coding agent, known or not."""
    return name.startswith(PREFIX)


def require_none(names: Iterable[str]) -> None:
    """Raises ``BadInput`` if one of the ``names`` is that of a coding agent: for every place but a
    person's own debates in a shell.
    """
    if named := ", ".join(dict.fromkeys(name[:40] for name in names if is_agent(name))):
        raise BadInput(
            f"{named}: a coding agent has a seat only in a person's own debates in a shell, never "
            "in a bot's. Choose other models with --models or DEBATE_MODELS."
        )


class CodingAgent:
    """An installed coding agent as a model."""

    demo = False
    window = WINDOW

    def __init__(self, name: str, env: Mapping[str, str], *, clean: faults.Redact = str) -> None:
        agent = AGENTS.get(name)
        if agent is None:
            raise BadInput(f"No coding agent is called {name[:40]!r}: {', '.join(AGENTS)}.")
        program = shutil.which(agent.program, path=search_path())
        if program is None:
            raise BadInput(
                f"{name} needs the program {agent.program} ({agent.title}), which was not found. "
                "Install it and log in, or choose another model with --models."
            )
        self.name = name
        self.family = family(agent.maker)
        self.program = program
        self._agent, self._clean = agent, clean
        variables = (*agent.variables, *_NETWORK)
        own = {key: env[key] for key in variables if env.get(key)}
        self._env = child_environment({"NO_COLOR": "1", **own})
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def version(self) -> str:
        """Returns the program's version. Raises ``BadInput`` if this version is too old to run
        without its tools, and if the program does not run.
        """
        printed, _, code = await self._run(("--version",), "", _VERSION_SECONDS)
        numbers = re.search(r"(\d+)\.(\d+)\.(\d+)", printed)
        if code or numbers is None:
            raise BadInput(
                f"{self.name}: `{self._agent.program} --version` does not answer. Try it in a "
                "shell, or choose another model with --models."
            )
        if tuple(map(int, numbers.groups())) < self._agent.least:
            least = ".".join(map(str, self._agent.least))
            raise BadInput(
                f"{self.name}: {self._agent.program} {numbers[0]} cannot run without its tools. "
                f"Update it to {least} or later, or choose another model with --models."
            )
        return numbers[0]

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        prompt, started = _prompt(messages), time.monotonic()
        async with self._turns:
            limit = max(asking.timeout, LONGEST_RUN)
            printed, errors, code = await self._run(None, prompt, limit)
        try:
            answer = self._agent.read(printed)
        except NoDocument:
            why = _last_line(errors) or f"it ended with code {code} and printed no answer"
            raise self._error(why) from None
        usage = replace(
            answer.usage,
            prompt_chars=sum(len(m.text) for m in messages),
            seconds=round(time.monotonic() - started, 3),
            calls=1,
        )
        error: ModelError | None = None
        if answer.used:
            error = self._failed(ModelFailure.BAD_REPLY, f"it used {answer.used}, which it may not")
        elif answer.error or not answer.text.strip():
            error = self._error(answer.error or _last_line(errors) or "the answer is empty")
        elif len(answer.text) > LONGEST_TEXT:
            error = self._failed(ModelFailure.BAD_REPLY, "the answer is too long")
        if error is not None:
            error.usage = usage
            raise error
        return Reply(answer.text, usage, f"{self.name} ({self._agent.title})", answer.id)

    def _error(self, text: str) -> ModelError:
        """Returns the error for a run without an answer, by the agent's own words."""
        lower = text.lower()
        if re.search(r"log ?in|logged|credential|auth", lower):
            step = f"log in: run {self._agent.program} in a shell"
            return self._failed(ModelFailure.BAD_KEY, text, step)
        if re.search(r"(usage|session|weekly|hourly|rate).{0,12}limit|quota", lower):
            step = "wait until it is free again, or choose another model with --models"
            return self._failed(ModelFailure.NO_CREDIT, text, step)
        return self._failed(faults.kind_of(None, text), text)

    def _failed(self, kind: ModelFailure, text: str, step: str = "") -> ModelError:
        return faults.model_error(kind, self.name, text, clean=self._clean, step=step)

    async def _run(
        self, arguments: tuple[str, ...] | None, sent: str, seconds: float
    ) -> tuple[str, str, int]:
        """Runs the program once and returns its output, its errors and its code. Raises
        ``ModelError`` if it takes too long, prints too much, or can't be started.
        """
        with tempfile.TemporaryDirectory(prefix="debate-agent-") as folder:
            beside = Path(folder)
            empty = beside / "empty"
            await asyncio.to_thread(make_folder, empty)
            await asyncio.to_thread(write_file, beside / POLICY, NO_TOOLS)
            command = (self.program, *(arguments or self._agent.arguments(beside)))
            try:
                child = await start(*command, cwd=empty, env=self._env, stderr=PIPE, group=True)
            except OSError as error:
                text = error.strerror or "it can't be started"
                raise self._failed(ModelFailure.PROVIDER_DOWN, text) from error
            try:
                async with asyncio.timeout(seconds):
                    return await self._talk(child, sent)
            except TimeoutError as error:
                text = f"no answer within {seconds:g} s"
                raise self._failed(ModelFailure.TIMEOUT, text) from error
            finally:
                await child.end()

    async def _talk(self, child: Child, sent: str) -> tuple[str, str, int]:
        printed, errors, _ = await asyncio.gather(
            self._printed(child), _tail(child.stderr), send(child.stdin, sent.encode())
        )
        code = await child.wait()
        return printed.decode("utf-8", "replace"), errors.decode("utf-8", "replace"), code

    async def _printed(self, child: Child) -> bytes:
        printed = await read_upto(child.stdout, LONGEST_OUTPUT + 1)
        if len(printed) > LONGEST_OUTPUT:
            text = f"it printed more than {LONGEST_OUTPUT >> 20} MB"
            raise self._failed(ModelFailure.BAD_REPLY, text)
        return printed


def _prompt(messages: Sequence[Message]) -> str:
    """Returns the messages as one text: a program has one input."""
    return "\n\n".join(
        f"[Your earlier answer]\n{one.text}" if one.role == "assistant" else one.text
        for one in messages
    )


def _last_line(errors: str) -> str:
    return next((line.strip() for line in reversed(errors.splitlines()) if line.strip()), "")


async def _tail(stream: StreamReader) -> bytes:
    """Reads to the end and returns the last bytes."""
    tail = b""
    while part := await stream.read(_ERRORS):
        tail = (tail + part)[-_ERRORS:]
    return tail
