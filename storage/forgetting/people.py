"""Removes a person from the data outside debates: rows that belong to them are deleted, and in rows
that only name them the name is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from storage.codec import COMMANDS
from storage.commands import giver
from storage.people.tokens import delete_tokens
from storage.tables import (
    BINDING,
    COMMAND,
    FOLLOWED_CHANGE,
    FORGE_INSTALLATION,
    HOOK,
    INVITATION,
    LINK,
    OF_PERSON,
    SCHEDULE,
    SESSION,
    TOKEN,
    WORK,
)

_NAMED: Sequence[sa.Column[str]] = (
    BINDING.c.by,
    WORK.c.by,
    HOOK.c.made_by,
    FORGE_INSTALLATION.c.by,
    FORGE_INSTALLATION.c.giver,
    LINK.c.made_by,
)
IsThem = Callable[[str], bool]


def forget_rows(conn: sa.Connection, is_them: IsThem, alias: str) -> int:
    """Deletes or renames, within a transaction, all of the person's data outside events, and counts
    the rows.
    """
    return (
        sum(_rename(conn, column, is_them, alias) for column in _NAMED)
        + sum(_delete(conn, column, is_them) for column in (SCHEDULE.c.owner, INVITATION.c.person))
        + _delete_sessions(conn, is_them)
        + _delete_settings(conn, is_them)
        + _delete_tokens(conn, is_them)
        + _delete_commands(conn, is_them)
        + _delete_replies(conn, is_them, alias)
    )


def _rename(conn: sa.Connection, column: sa.Column[str], is_them: IsThem, alias: str) -> int:
    theirs = column.in_(_names(conn, column, is_them))
    return conn.execute(sa.update(column.table).where(theirs).values({column.name: alias})).rowcount


def _delete(conn: sa.Connection, column: sa.Column[str], is_them: IsThem) -> int:
    theirs = column.in_(_names(conn, column, is_them))
    return conn.execute(sa.delete(column.table).where(theirs)).rowcount


def _delete_sessions(conn: sa.Connection, is_them: IsThem) -> int:
    theirs = [
        row.id
        for row in conn.execute(sa.select(SESSION)).all()
        if is_them(f"{row.platform}:/{row.account}")
        or is_them(f"{row.platform}:{row.account}")
        or any(is_them(f"{workspace}/{row.account}") for workspace in row.workspaces)
    ]
    return conn.execute(sa.delete(SESSION).where(SESSION.c.id.in_(theirs))).rowcount


def _delete_settings(conn: sa.Connection, is_them: IsThem) -> int:
    own = sa.select(BINDING.c.place).where(BINDING.c.repository == OF_PERSON)
    theirs = [place for place in conn.execute(own).scalars() if is_them(place)]
    gone = BINDING.c.place.in_(theirs), BINDING.c.repository == OF_PERSON
    return conn.execute(sa.delete(BINDING).where(*gone)).rowcount


def _delete_tokens(conn: sa.Connection, is_them: IsThem) -> int:
    tokens = conn.execute(sa.select(TOKEN.c.id, TOKEN.c.person)).all()
    return delete_tokens(conn, [row.id for row in tokens if is_them(row.person)])


def _delete_commands(conn: sa.Connection, is_them: IsThem) -> int:
    """Deletes their applied commands: the events contain the accepted ones, and the refused ones
    are stored only here.

    Commands of a kind that only a newer release knows are deleted, too, because nobody can tell
    whose they were.
    """
    applied = sa.select(COMMAND).where(COMMAND.c.applied_seq.is_not(None))
    theirs = [
        row.id
        for row in conn.execute(applied).all()
        if row.kind not in COMMANDS.types
        or is_them(giver(COMMANDS.decode(row.kind, row.version, row.payload)))
    ]
    return conn.execute(sa.delete(COMMAND).where(COMMAND.c.id.in_(theirs))).rowcount


def _delete_replies(conn: sa.Connection, is_them: IsThem, alias: str) -> int:
    """Deletes their replies on a forge that wait for the next debate, and replaces their name if
    they requested a debate there.
    """
    count = 0
    for row in conn.execute(sa.select(FOLLOWED_CHANGE)).all():
        kept = [one for one in row.objections if not is_them(one["author"])]
        request = dict(row.asked)
        if is_them(str(request.get("asker", ""))):
            request["asker"] = alias
        if (kept, request) == (row.objections, row.asked):
            continue
        own = (column == getattr(row, column.name) for column in FOLLOWED_CHANGE.primary_key)
        change = sa.update(FOLLOWED_CHANGE).where(*own).values(objections=kept, asked=request)
        count += conn.execute(change).rowcount
    return count


def _names(conn: sa.Connection, column: sa.Column[str], is_them: IsThem) -> Sequence[str]:
    return [name for name in conn.execute(sa.select(column).distinct()).scalars() if is_them(name)]
