"""``debate doctor``: examines the configuration, and with ``--live`` tries it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adapters.terminal.printing import document, put, put_folded
from bot.doctor import as_document, as_text, examine
from bot.platforms import CHATS
from bot.settings import Settings
from core.application.check import PartCheck
from core.application.commands.help import example
from core.application.place import Person
from core.debate.errors import BadInput, DebateError

if TYPE_CHECKING:
    from adapters.forges.github.app import AppCredentials


def doctor(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``doctor [--live [--to PERSON]...] [--json]``: prints the results and returns 0 if
    nothing is broken, else 2.
    """
    live, json, to = _options(typed)
    findings = asyncio.run(_examined(settings, live=live, to=to))
    report = as_document(findings, settings)
    put(document(report)) if json else put_folded(as_text(findings))
    if report["ok"]:
        return 0
    return 2


async def _examined(settings: Settings, *, live: bool, to: Sequence[Person]) -> list[PartCheck]:
    findings = await examine(settings)
    if live:
        from bot.doctor.live import attempt
        from bot.wire.base import SystemClock

        findings += await attempt(settings, SystemClock(), to, await _app(settings))
    return findings


async def _app(settings: Settings) -> AppCredentials | None:
    """Returns the GitHub App, of the environment or of the store; None if a key cannot open it,
    which its own line of the doctor says.
    """
    from bot.forges.access.app import app_of
    from storage.database import database_url, sqlite_file
    from storage.places import GITHUB

    try:
        file = sqlite_file(database_url(settings.database_url))
        if not settings.github_app_id and file is not None and not file.exists():
            return None
        async with settings.opened_database() as database:
            return await app_of(settings, database)(GITHUB)
    except DebateError:
        return None


def _options(typed: Sequence[str]) -> tuple[bool, bool, list[Person]]:
    live, json, to = False, False, list[Person]()
    left = list(typed)
    while left:
        word = left.pop(0)
        if word == "--live":
            live = True
        elif word == "--json":
            json = True
        elif word == "--to" and left:
            to.append(_person(left.pop(0)))
        else:
            raise BadInput(
                f"doctor does not take {word[:40]!r}. Like this: "
                f"{example('doctor', prefix='debate')}"
            )
    if to and not live:
        raise BadInput("--to names the receiver of a message, which only --live sends: add --live.")
    return live, json, to


def _person(text: str) -> Person:
    person = Person.parse(text)
    if person.platform not in CHATS or not person.account:
        raise BadInput(f"{text[:40]!r} is nobody in a chat: write slack:TEAM/USER.")
    return person
