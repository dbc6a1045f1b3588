"""``debate tokens``: what lets a program ask as the person of this shell."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import zip_longest

from adapters.commands.help import example
from adapters.terminal.printing import put, put_line
from bot.room.invitations import check_private
from bot.room.tokens import SCOPES
from bot.settings import Settings
from core.errors import BadInput
from core.ports import Clock
from storage.audit import acting
from storage.people.tokens import Tokens
from storage.schema import open_database

_MOST_DAYS = 366
_MOST_PURSE = 10_000.0


async def tokens(typed: Sequence[str], settings: Settings, clock: Clock, person: str) -> int:
    """Makes, lists and takes back the tokens of ``person``. Raises ``BadInput``."""
    database = await open_database(
        settings.database_url, clock.now, settings.database_direct_url, migrates=settings.migrates
    )
    try:
        check_private(settings)
        store = Tokens(database)
        with acting(person, "shell", person):
            return await _done(typed, store, clock, person)
    finally:
        await database.close()


async def _done(typed: Sequence[str], store: Tokens, clock: Clock, person: str) -> int:
    match list(typed):
        case ["add", name, *more] if name and not name.startswith("-") and len(name) <= 100:
            scopes, purse, days = _terms(more)
            until = clock.now() + timedelta(days=days)
            id, secret = await store.make(person, person, name, scopes, purse, until)
            put(secret)
            what = (
                f"Token {id} may {' and '.join(scopes)}, for ${purse:.2f}, until {until:%Y-%m-%d}."
            )
            put_line(f"{what} It is shown once.", error=True)
        case ["list"]:
            for one in await store.of(person):
                put_line(
                    f"{one.id}  {','.join(one.scopes)}  ${one.held:.2f} of ${one.purse:.2f}  "
                    f"until {one.expires_at:%Y-%m-%d}  {one.name}"
                )
        case ["remove", id]:
            if not await store.end(id, person):
                raise BadInput(f"You have no token {id[:40]!r}: `debate tokens list` shows them.")
            put(f"Token {id} opens nothing any more.")
        case _:
            raise BadInput(
                f"tokens can add, list or remove. Like this: {example('tokens', prefix='debate')}"
            )
    return 0


def _terms(typed: Sequence[str]) -> tuple[tuple[str, ...], float, int]:
    """Scopes, purse and days. Raises ``BadInput``."""
    scopes: tuple[str, ...] = ("read",)
    purse, days = 0.0, 30
    for name, value in zip_longest(typed[::2], typed[1::2], fillvalue=""):
        if name == "--scopes" and set(value.split(",")) <= set(SCOPES):
            scopes = tuple(one for one in SCOPES if one in value.split(","))
        elif name == "--purse" and _number(value) <= _MOST_PURSE:
            purse = _number(value)
        elif name == "--days" and 1 <= _number(value) <= _MOST_DAYS:
            days = int(_number(value))
        else:
            raise BadInput(
                f"{name[:40]!r} does not fit: --scopes {','.join(SCOPES)}, --purse USD, "
                f"--days 1 to {_MOST_DAYS}."
            )
    if "start" in scopes and not purse:
        raise BadInput("What may its debates cost together? Give --purse USD.")
    return scopes, purse, days


def _number(text: str) -> float:
    """The number, infinite where it is none."""
    whole, _, part = text.partition(".")
    plain = len(text) < 10 and (whole + part).isascii() and (whole + part).isdigit()
    return float(text) if plain else float("inf")
