"""The log of a running bot: one structured line per entry, JSON for machines or columns for a
terminal, on standard error.

Every line passes one filter on its way out, whichever library wrote it: configured secrets and
provider keys are removed, and texts of exceptions are redacted like material, because they quote
strangers' text. Libraries that would write prompts or payloads are silenced.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, TextIO

import structlog

from bot.logs import Keeping, struck
from core.debate import events as e
from core.debate.errors import StoreAway
from core.debate.state import Debate

logger = logging.getLogger(__name__)

_QUIET = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "httpcore", "openai", "anthropic",
    "slack_sdk", "slack_bolt", "discord",
         "aiohttp.access", "aiohttp.server", "procrastinate", "sqlalchemy",
         "asyncio", "markdown_it")  # fmt: skip
"""Libraries whose debug and info lines hold prompts, headers or nothing of use."""

_NO_CONNECTION = "08"
_AWAY = (_NO_CONNECTION, "25P03", "53", "57P")
"""PostgreSQL's codes for: no connection, ended because it was idle, no room for one more, shut down
or not yet there.
"""
_AGAIN = 60.0
"""Seconds after which an entry says once more that the database is absent."""

Redact = Callable[[str], str]


def open_journal(
    level: str,
    secrets: Sequence[str],
    redact: Redact,
    *,
    out: TextIO | None = None,
    console: bool | None = None,
) -> None:
    """Sends every entry of at least ``level`` to ``out`` (standard error) from here on. ``console``
    chooses columns instead of JSON. The last entries are kept in memory (``bot.logs.recent``).
    """
    stream = out or sys.stderr
    lines: Any = structlog.processors.JSONRenderer(ensure_ascii=False)
    renderer = lines
    if console or (console is None and stream.isatty()):
        renderer = structlog.dev.ConsoleRenderer(colors=False)
    handler, kept = logging.StreamHandler(stream), Keeping()
    handler.setFormatter(_formatter(renderer, secrets, redact))
    kept.setFormatter(_formatter(lines, secrets, redact))
    for each in (handler, kept):
        each.addFilter(_Seldom())
    logging.basicConfig(level=level.upper(), handlers=[handler, kept], force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _formatter(
    renderer: Any, secrets: Sequence[str], redact: Redact
) -> structlog.stdlib.ProcessorFormatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            _without_marks,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _traced(redact),
            lambda _logger, _name, entry: _without(secrets, entry),
            renderer,
        ],
    )


def _without(secrets: Sequence[str], value: Any) -> Any:
    """Returns an entry, or a value in it, without the secrets; its names stay as they are."""
    match value:
        case None | bool() | int() | float():
            return value
        case dict():
            return {name: _without(secrets, each) for name, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_without(secrets, each) for each in value]
        case _:
            return struck(str(value), secrets)


def _without_marks(_logger: Any, _name: str, entry: Any) -> Any:
    """Removes the mark that litellm, once it is loaded, leaves on every record of the process."""
    entry.pop("litellm_redacted", None)
    return entry


def log_event(event: e.Event, debate: Debate) -> None:
    """Writes one entry for each turning point of a debate (``engine.EventListener``). It names
    nothing of the debate's subject.
    """
    level = logging.INFO
    facts: dict[str, object] = {}
    match event:
        case e.DebateOpened():
            text, action = "a debate begins", "opened"
            facts = {"turns": len(event.script.turns), "place": debate.request.place}
        case e.TurnFailed(turn) if turn not in debate.skipped and event.reason != e.STOPPED:
            level, text, action = logging.WARNING, "a turn failed", "turn_failed"
            facts = {"turn": turn, "reason": event.reason}
        case e.OpeningFailed(reason):
            level, text, action = logging.WARNING, "a debate could not begin", "opening_failed"
            facts = {"reason": reason}
        case e.DebatePaused() | e.DebateResumed() | e.StopOrdered():
            text, action = "a debate was told", type(event).__name__
        case e.DebateConcluded(because, decision):
            text, action = "a debate is over", "concluded"
            facts = {"because": because.value, "decision": decision}
            facts |= {"usd": debate.spent, "events": debate.count}
        case _:
            return
    about = {"debate": debate.id, "template": debate.request.template, "action": action}
    logger.log(level, text, extra=about | facts)


def _why_away(error: BaseException | None) -> str:
    """Returns, in words, that the database is absent or refused the job queue's statement, through
    whatever library; empty for other exceptions.
    """
    driver = sys.modules.get("psycopg")  # nobody else's error is one of PostgreSQL's
    queue = sys.modules.get("procrastinate.exceptions")
    seen: set[int] = set()
    of_queue = False
    while error is not None and id(error) not in seen:
        if isinstance(error, StoreAway):
            text = str(error).removesuffix(".")
            return text[:1].lower() + text[1:]
        of_queue = of_queue or (queue is not None and isinstance(error, queue.ConnectorException))
        if driver is not None and isinstance(error, driver.Error):
            lost = isinstance(error, driver.OperationalError | driver.InterfaceError)
            if (error.sqlstate or _NO_CONNECTION * lost).startswith(_AWAY):
                return "the database does not answer"
            return str(error).partition("\n")[0] if of_queue else ""
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return ""


class _Seldom(logging.Filter):
    """Drops an entry that says what it said less than a minute ago: that the database is absent."""

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if not (record.exc_info and (because := _why_away(record.exc_info[1]))):
            return True
        entry, now = (_first_line(record.getMessage()), because), monotonic()
        self._written = {each: at for each, at in self._written.items() if now - at < _AGAIN}
        return self._written.setdefault(entry, now) == now


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _traced(redact: Redact) -> Callable[[Any, str, Any], Any]:
    """Turns an exception into text: its place, and its message redacted. An absent database, or a
    job that another replica finished, is no defect and becomes one line.
    """

    def trace(_logger: Any, _name: str, entry: Any) -> Any:
        info = entry.pop("exc_info", None)
        if info and info is not True and (because := _why_away(info[1])):
            entry["event"] = _first_line(redact(str(entry["event"])))
            entry["level"], entry["because"] = "warning", redact(because)
            entry.pop("exception", None)  # the job queue adds it in another form
        elif info and info is not True:
            text = structlog.processors.format_exc_info(None, "", {"exc_info": info}).get(
                "exception", ""
            )
            entry["exception"] = redact(str(text))
        return entry

    return trace
