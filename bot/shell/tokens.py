"""``debate tokens``: the tokens with which programs ask over HTTP, each as a separate service."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any

from adapters.terminal.printing import put, put_line
from bot.platforms import CHATS
from bot.room.invitations import check_private
from bot.room.tokens import make_token, service_of
from bot.settings import Settings
from bot.shell.person import person
from core.application.commands.help import example
from core.application.place import SHELL, Person
from core.application.tokens import MOST_DAYS, SCOPES, TokenTerms
from core.debate.errors import BadInput
from storage.audit import acting
from storage.people.tokens import Tokens

_OPTIONS = {"--scopes", "--budget", "--days", "--in"}


async def tokens(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``tokens add NAME [--scopes …] [--budget USD] [--days N] [--in WORKSPACE] | list |
    remove``, as the person at this shell. Raises ``BadInput``.
    """
    async with settings.opened_database() as database:
        check_private(settings)
        with acting(person(), SHELL, person()):
            return await _done(typed, Tokens(database), database.now())


async def _done(typed: Sequence[str], store: Tokens, now: datetime) -> int:
    match list(typed):
        case ["add", name, *more]:
            terms, workspace = _terms(name, more)
            id, secret = await make_token(store, service_of(name, workspace), terms, now)
            put(secret)
            may = " and ".join(one for one in SCOPES if one in terms.scopes)
            until = f"{terms.until(now):%Y-%m-%d}"
            where = f"in {workspace}" if workspace else "on this machine"
            put_line(
                f"Token {id} may {may} {where}, for ${terms.budget:.2f}, until {until}. It is "
                "shown once.",
                error=True,
            )
        case ["list"]:
            known = await store.all()
            if not known:
                put("No token is here. Make one: debate tokens add NAME")
            for one in known:
                put_line(
                    f"{one.id}  {','.join(one.scopes)}  ${one.held:.2f} of ${one.budget:.2f}  "
                    f"until {one.expires_at:%Y-%m-%d}  {one.name}  {one.person}"
                )
        case ["remove", id]:
            if not await store.end(id):
                raise BadInput(f"There is no token {id[:40]!r}: `debate tokens list` shows them.")
            put(f"Token {id} opens nothing any more.")
        case _:
            raise BadInput(
                f"tokens can add, list or remove. Like this: {example('tokens', prefix='debate')}"
            )
    return 0


def _terms(name: str, typed: Sequence[str]) -> tuple[TokenTerms, str]:
    """Returns the requested terms and the workspace of the service. Raises ``BadInput``."""
    given: dict[str, Any] = {}
    workspace = ""
    for option, value in zip_longest(typed[::2], typed[1::2], fillvalue=""):
        if option not in _OPTIONS or not value:
            raise BadInput(
                f"{option[:40]!r} does not fit: --scopes {','.join(SCOPES)}, --budget USD, "
                f"--days 1 to {MOST_DAYS}, --in slack:T1."
            )
        match option:
            case "--scopes":
                given["scopes"] = tuple(value.split(","))
            case "--budget":
                given["budget"] = _number(value)
            case "--days":
                given["days"] = int(min(_number(value), MOST_DAYS + 1))
            case _:
                workspace = _workspace(value)
    return TokenTerms(name, **given), workspace


def _workspace(text: str) -> str:
    where = Person.parse(text)
    if where.platform not in CHATS or where.workspace or not where.account.isalnum():
        raise BadInput(f"{text[:40]!r} is no workspace: it is written like slack:T1 or discord:9.")
    return text


def _number(text: str) -> float:
    """Returns the number, infinite if there is none."""
    whole, _, part = text.partition(".")
    plain = len(text) < 10 and (whole + part).isascii() and (whole + part).isdigit()
    return float(text) if plain else float("inf")
