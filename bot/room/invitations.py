"""Links that let one browser into the room as the shell's person.

Everybody who may write to the database can make one, so no other account of the machine may be able
to write to it.
"""

from __future__ import annotations

import stat
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from adapters.processes.unread import unread
from adapters.room.incoming.signing_in import OPEN
from bot.settings import Settings
from core.debate.errors import BadInput
from storage.database import Database, database_url, sqlite_file
from storage.database.files import require_private
from storage.people.invitations import Invitations

GOOD_FOR = timedelta(minutes=30)
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104  addresses, nothing listens

_ELSEWHERE = (
    "If the disk keeps no such rights, put the database on another one: DEBATE_DATABASE_URL."
)


async def make_link(
    database: Database, settings: Settings, address: str, person: str, debate: str = ""
) -> str:
    """Returns the link, at the public address or else at the bot's own ``address``; it leads to the
    page of ``debate``. Raises ``BadInput`` if others may write to the database.
    """
    check_private(settings)
    until = database.now() + GOOD_FOR
    secret = await Invitations(database).make(person, until, debate)
    return f"{settings.public_url or reachable(address)}{OPEN}{secret}"


def check_private(settings: Settings) -> None:
    """Raises ``BadInput``, with the next step, if another account of this machine could let itself
    in by writing to the database.
    """
    file = sqlite_file(database_url(settings.database_url))
    if file is None:
        return
    require_private(file)
    folder = _mode(file.absolute().parent)
    if folder & stat.S_IWOTH and not folder & stat.S_ISVTX:
        raise BadInput(
            f"Every account of this machine may replace {file}, and so could let itself in. Type "
            f"`chmod o-w {file.absolute().parent}`, then `debate open`. {_ELSEWHERE}"
        )


def reachable(address: str) -> str:
    """Returns the address at which a browser on this machine reaches a server that listens at
    ``address``.
    """
    parts = urlsplit(address)
    host = _EVERYWHERE.get(parts.hostname or "")
    if host is None:
        return address
    return urlunsplit(parts._replace(netloc=f"{host}:{parts.port}"))


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError as error:
        raise unread(path, error) from error
