"""Stores the pull requests that places follow: which head was debated last, which one is wanted,
and whether the change was merged or closed.

A surface that wants a head debated only records that here; one replica starts the run. So a label,
a push, a comment, a schedule and a person that all mean one head lead to one debate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from core.debate.material import ChangeState
from core.debate.status import UNDECIDED, DebateStatus
from storage.database import Database, inserted, value_of
from storage.tables import DEBATE, FOLLOWED_CHANGE, OUTCOME, Moment

ANY = "?"
"""The newest head at the time of the run, whichever that is."""


@dataclass(frozen=True, slots=True)
class ChangeKey:
    """One pull request as one place follows it. Repository names are compared without case."""

    place: str
    host: str
    repository: str
    number: int


@dataclass(frozen=True, slots=True)
class Followed:
    """A followed change: ``wanted`` is the head that is to be debated next ("" none, ``ANY`` the
    newest), ``asked`` the options requested with it, ``objections`` people's replies since: those
    for the next run, and those that the seats of ``debate`` answer.
    """

    key: ChangeKey
    link: str
    story: str = ""
    debate: str = ""
    head: str = ""
    runs: int = 0
    wanted: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)
    not_before: datetime | None = None
    state: str = ChangeState.OPEN
    merged_at: datetime | None = None
    merge_commit: str = ""
    ask_at: datetime | None = None
    asks: int = 0
    objections: Sequence[Mapping[str, str]] = ()
    told: str = ""

    @property
    def request(self) -> tuple[str, Mapping[str, Any]]:
        """The wanted head, and the options requested with it."""
        return self.wanted, self.asked


def unanswered(row: Followed) -> Sequence[Mapping[str, str]]:
    """Returns the replies for the next run; the others were put to the seats of a debate."""
    return [one for one in row.objections if "debate" not in one]


def _selected(*where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return (
        sa.select(FOLLOWED_CHANGE)
        .where(*where)
        .order_by(FOLLOWED_CHANGE.c.updated_at, FOLLOWED_CHANGE.c.number)
    )


def _untold() -> sa.Select[Any]:
    text = (
        FOLLOWED_CHANGE.c.debate + ":" + DEBATE.c.status + ":"
        + sa.func.coalesce(OUTCOME.c.decision, "")
    )  # fmt: skip
    is_open = FOLLOWED_CHANGE.c.state == ChangeState.OPEN
    shows = FOLLOWED_CHANGE.c.told
    is_begun = shows.startswith(FOLLOWED_CHANGE.c.debate + ":")
    return (
        sa.select(FOLLOWED_CHANGE, text.label("said"))
        .join(DEBATE, DEBATE.c.id == FOLLOWED_CHANGE.c.debate)
        .outerjoin(OUTCOME, OUTCOME.c.debate_id == FOLLOWED_CHANGE.c.debate)
        .where(shows != text, sa.or_(is_open, is_begun))
        .where(
            sa.or_(
                DEBATE.c.status.in_((*UNDECIDED, DebateStatus.FAILED)),
                OUTCOME.c.decision.is_not(None),
            )
        )
    )


_NOW = sa.bindparam("now", type_=Moment())
_IS_RUNNING = sa.exists().where(
    DEBATE.c.id == FOLLOWED_CHANGE.c.debate, DEBATE.c.status.in_(UNDECIDED)
)
_IS_FREE = sa.or_(FOLLOWED_CHANGE.c.not_before.is_(None), FOLLOWED_CHANGE.c.not_before <= _NOW)
# Every look at what is due runs these, and building them takes longer than running them.
_DUE = _selected(FOLLOWED_CHANGE.c.wanted != "", _IS_FREE, ~_IS_RUNNING)
_TO_ASK = _selected(FOLLOWED_CHANGE.c.ask_at <= _NOW)
_TO_JUDGE = _selected(FOLLOWED_CHANGE.c.judge_at <= _NOW)
_UNTOLD = _untold()
_OBJECTED_TO = _selected(sa.cast(FOLLOWED_CHANGE.c.objections, sa.Text) != "[]")


class FollowedChanges:
    """The followed pull requests of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def get(self, key: ChangeKey) -> Followed | None:
        return next(iter(await self._select(*_is(key))), None)

    async def of(self, host: str, repository: str, number: int) -> Sequence[Followed]:
        """Returns one pull request in every place that follows it."""
        return await self._select(
            FOLLOWED_CHANGE.c.host == host,
            FOLLOWED_CHANGE.c.repository == repository.lower(),
            FOLLOWED_CHANGE.c.number == number,
        )

    async def about(self, debate: str) -> Followed | None:
        """Returns the pull request whose latest debate this is."""
        return next(iter(await self._select(FOLLOWED_CHANGE.c.debate == debate)), None)

    async def want(self, key: ChangeKey, link: str, head: str, asked: Mapping[str, Any]) -> None:
        """Requests a run on ``head``; an earlier request that has not begun is replaced."""
        now = self._db.now()

        def work(conn: sa.Connection) -> None:
            inserted(conn, FOLLOWED_CHANGE, _blank(key, link, now), *_KEY)
            values = {"wanted": head, "asked": dict(asked), "not_before": None, "updated_at": now}
            conn.execute(_update(key).values(**values))

        await self._db.write(work)

    async def due(self) -> Sequence[Followed]:
        """Returns the followed changes that want a debate now and have none running, oldest
        first.
        """
        return await self._read(_DUE, now=self._db.now())

    async def wait(self, followed: Followed, until: datetime) -> None:
        """Puts the next debate of a followed change off until ``until``."""
        await self._change(followed, not_before=until)

    async def unwanted(self, followed: Followed) -> None:
        """Withdraws a request, unless it was replaced by another."""
        await self._change(followed, wanted="", asked={}, not_before=None)

    async def started(self, followed: Followed, head: str, debate: str) -> bool:
        """Records that a run has begun; False if another replica recorded one first. Requests and
        replies that came since ``followed`` was read are left to the next run.
        """
        values: dict[str, Any] = {
            "story": followed.story or debate,
            "debate": debate,
            "head": head,
            "runs": followed.runs + (0 if debate == followed.debate else 1),
        }

        def work(conn: sa.Connection) -> bool:
            now = _present(conn, followed.key)
            if now is None or now.debate != followed.debate:
                return False
            since = [one for one in now.objections if one not in followed.objections]
            done = {"wanted": "", "asked": {}} if now.request == followed.request else {}
            begun = _update(followed.key).values(**values, **done, objections=since)
            return bool(conn.execute(begun).rowcount)

        return await self._db.write(work)

    async def adopt(self, key: ChangeKey, link: str, debate: str, head: str) -> None:
        """Records a run that was not requested here: a person or a schedule started it. ``head`` is
        its head, as far as it is known before the change has been read.
        """
        now = self._db.now()

        def work(conn: sa.Connection) -> None:
            inserted(conn, FOLLOWED_CHANGE, _blank(key, link, now), *_KEY)
            conn.execute(
                _update(key)
                .where(FOLLOWED_CHANGE.c.debate != debate)
                .values(
                    debate=debate,
                    head=head,
                    runs=FOLLOWED_CHANGE.c.runs + 1,
                    story=sa.case(
                        (FOLLOWED_CHANGE.c.story == "", debate), else_=FOLLOWED_CHANGE.c.story
                    ),
                    told="",
                    updated_at=now,
                )
            )

        await self._db.write(work)

    async def objected(self, followed: Followed, objection: Mapping[str, str]) -> bool:
        """Stores a reply for the next run; returns False if it is stored already."""

        def work(conn: sa.Connection) -> bool:
            row = conn.execute(_objections(followed.key)).scalar_one()
            if any(one["source"] == objection["source"] for one in row):
                return False
            kept = [*row, dict(objection)]
            conn.execute(_update(followed.key).values(objections=kept))
            return True

        return await self._db.write(work)

    async def put_off(self, followed: Followed, source: str) -> None:
        """Leaves a reply that the debate's seats could not answer to the next run."""

        def work(conn: sa.Connection) -> None:
            row = conn.execute(_objections(followed.key)).scalar_one()
            waiting = ("author", "text", "source")
            kept = [
                {name: one[name] for name in waiting} if one["source"] == source else one
                for one in row
            ]
            conn.execute(_update(followed.key).values(objections=kept))

        await self._db.write(work)

    async def ended(
        self,
        followed: Followed,
        state: ChangeState,
        at: datetime | None = None,
        merge_commit: str = "",
    ) -> None:
        """Records that the change was merged, closed or opened again. Some time after a merge,
        whose time is ``at``, the bot asks people whether the verdict held.
        """
        values: dict[str, Any] = {"state": state, "ask_at": None, "judge_at": None}
        if state != ChangeState.OPEN:
            values |= {"wanted": "", "asked": {}}
        if state == ChangeState.MERGED and at is not None:
            values |= {"merged_at": at, "merge_commit": merge_commit}
            values |= {"ask_at": at + ASKED_AFTER[0], "judge_at": self._db.now()}
        await self._write(followed.key, **values)

    async def to_ask(self) -> Sequence[Followed]:
        """Returns the merged changes whose day for asking whether the verdict held has come."""
        return await self._read(_TO_ASK, now=self._db.now())

    async def ask_later(self, followed: Followed, at: datetime | None) -> None:
        """Records when people are asked; None for no more."""
        await self._write(followed.key, ask_at=at)

    async def to_judge(self) -> Sequence[Followed]:
        """Returns the merged changes of which code now looks what became of their findings."""
        return await self._read(_TO_JUDGE, now=self._db.now())

    async def judge_later(self, followed: Followed, at: datetime | None) -> None:
        """Records when code looks again; None for no more."""
        await self._write(followed.key, judge_at=at)

    async def note_asked(self, followed: Followed, again: datetime | None) -> bool:
        """Records one more question to people; False if another replica asked first."""
        statement = (
            _update(followed.key)
            .where(FOLLOWED_CHANGE.c.asks == followed.asks)
            .values(asks=followed.asks + 1, ask_at=again)
        )
        return bool(await self._db.change(statement))

    async def untold(self) -> Sequence[tuple[Followed, str]]:
        """Returns the changes whose check on the forge differs from their latest debate, with its
        present state, ``debate:status:decision``. A check that was begun is brought to its end also
        after the change was merged or closed.
        """
        return [(_followed(row), row.said) for row in await self._db.rows(_UNTOLD)]

    async def objected_to(self) -> Sequence[Followed]:
        """Returns the changes with replies of people since their last run."""
        return await self._read(_OBJECTED_TO)

    async def tell(self, followed: Followed, text: str) -> None:
        await self._write(followed.key, told=text)

    async def _select(self, *where: sa.ColumnElement[bool]) -> list[Followed]:
        return await self._read(_selected(*where))

    async def _read(self, query: sa.Select[Any], **values: Any) -> list[Followed]:
        return [_followed(row) for row in await self._db.rows(query, values)]

    async def _change(self, followed: Followed, **values: Any) -> bool:
        """Changes a row and says so, unless its request was replaced meanwhile."""

        def work(conn: sa.Connection) -> bool:
            now = _present(conn, followed.key)
            if now is None or (now.debate, now.request) != (followed.debate, followed.request):
                return False
            return bool(conn.execute(_update(followed.key).values(**values)).rowcount)

        return await self._db.write(work)

    async def _write(self, key: ChangeKey, **values: Any) -> None:
        values["updated_at"] = self._db.now()
        await self._db.change(_update(key).values(**values))


ASKED_AFTER = (timedelta(days=2), timedelta(days=14))
"""The times after a merge of the question whether the verdict held."""

_KEY = ("place", "host", "repository", "number")


def _is(key: ChangeKey) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        FOLLOWED_CHANGE.c.place == key.place,
        FOLLOWED_CHANGE.c.host == key.host,
        FOLLOWED_CHANGE.c.repository == key.repository.lower(),
        FOLLOWED_CHANGE.c.number == key.number,
    )


def _update(key: ChangeKey) -> sa.Update:
    return sa.update(FOLLOWED_CHANGE).where(*_is(key))


def _objections(key: ChangeKey) -> sa.Select[Any]:
    return sa.select(FOLLOWED_CHANGE.c.objections).where(*_is(key))


def _present(conn: sa.Connection, key: ChangeKey) -> Followed | None:
    row = conn.execute(sa.select(FOLLOWED_CHANGE).where(*_is(key))).one_or_none()
    return None if row is None else _followed(row)


def _blank(key: ChangeKey, link: str, now: datetime) -> dict[str, Any]:
    return {
        "place": key.place, "host": key.host, "repository": key.repository.lower(),
        "number": key.number, "link": link, "story": "", "debate": "", "head": "", "runs": 0,
        "wanted": "", "asked": {}, "state": ChangeState.OPEN, "merge_commit": "", "asks": 0,
        "objections": [], "told": "", "updated_at": now,
    }  # fmt: skip


def _followed(row: Any) -> Followed:
    key = ChangeKey(row.place, row.host, row.repository, row.number)
    return value_of(Followed, row, key=key)
