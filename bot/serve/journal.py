"""The log of a running bot: one structured line per entry, JSON for machines or columns for a
terminal, on standard error.

Every line passes one filter on its way out, whichever library wrote it: configured secrets and
provider keys are removed, and texts of exceptions are redacted like material, because they quote
strangers' text. Libraries that would write prompts or payloads are silenced.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from traceback import format_exception
from typing import Any, TextIO

from bot.logs import Keeping, struck
from core.debate import events as e
from core.debate.errors import StoreAway
from core.debate.material.escaping import show_hidden
from core.debate.state import Debate

logger = logging.getLogger(__name__)

_QUIET = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "httpcore", "openai", "anthropic",
    "slack_sdk", "slack_bolt", "discord",
         "aiohttp.access", "aiohttp.server", "procrastinate", "sqlalchemy",
         "asyncio", "markdown_it")  # fmt: skip
"""Libraries whose debug and info lines hold prompts, headers or nothing of use."""

_OWN = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName", "litellm_redacted"}
"""Attributes that every record has, and the mark that litellm leaves on each once it is loaded."""
_NO_CONNECTION = "08"
_AWAY = (_NO_CONNECTION, "25P03", "53", "57P")
"""PostgreSQL's codes for: no connection, ended because it was idle, no room for one more, shut down
or not yet there.
"""
_AGAIN = 60.0
"""Seconds after which an entry says once more that the database is absent."""

Redact = Callable[[str], str]
Render = Callable[[dict[str, Any]], str]


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
    lines: Render = partial(json.dumps, ensure_ascii=False)
    render = lines
    if console or (console is None and stream.isatty()):
        render = _columns
    handler, kept = logging.StreamHandler(stream), Keeping()
    handler.setFormatter(_Formatter(render, secrets, redact))
    kept.setFormatter(_Formatter(lines, secrets, redact))
    for each in (handler, kept):
        each.addFilter(_Seldom())
    logging.basicConfig(level=level.upper(), handlers=[handler, kept], force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    # it tells of an absent database at each try, and others once a minute
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


class _Formatter(logging.Formatter):
    """Writes an entry with ``render``, after its exception became text and without secrets."""

    def __init__(self, render: Render, secrets: Sequence[str], redact: Redact) -> None:
        super().__init__()
        self._render, self._secrets, self._redact = render, secrets, redact

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "event": record.getMessage(), "level": record.levelname.lower(), "logger": record.name
        }  # fmt: skip
        entry |= {name: value for name, value in vars(record).items() if name not in _OWN}
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds")
        entry["timestamp"] = at.replace("+00:00", "Z")
        if record.exc_info and record.exc_info[1]:
            entry |= self._trace(record.exc_info[1], entry)
        return self._render(_without(self._secrets, entry))

    def _trace(self, error: BaseException, entry: dict[str, Any]) -> dict[str, Any]:
        """Returns an exception as text: its place, and its message redacted. An absent database, or
        a job that another replica finished, is no defect and becomes one line.
        """
        if because := _why_away(error):
            entry.pop("exception", None)  # the job queue adds it in another form
            event = _first_line(self._redact(entry["event"]))
            return {"event": event, "level": "warning", "because": self._redact(because)}
        text = "".join(format_exception(error)).rstrip()
        return {"exception": self._redact(text)}


def _columns(entry: dict[str, Any]) -> str:
    """Returns an entry as columns, safe to show in a terminal."""
    trace = entry.pop("exception", "")
    names = ("timestamp", "level", "event", "logger")
    at, level, event, logger = (entry.pop(name) for name in names)
    facts = "".join(f" {name}={value}" for name, value in entry.items())
    line = f"{at} {level:<8} {event:<30} [{logger}]{facts}".replace("\n", " ")
    return show_hidden("\n".join(filter(None, (line, trace))))


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
