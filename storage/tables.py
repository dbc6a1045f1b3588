"""The tables. ``event`` alone is the truth about a debate; ``debate`` holds who may write to it and
what lists need, the rest is work to do, work done, or a projection that can be built again. Times
are UTC and aware, money is USD, durations are seconds.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Moment(sa.TypeDecorator[datetime]):
    """An instant. Refuses naive times; gives back aware ones in UTC on every database."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            return value.replace(tzinfo=UTC)
        return value.astimezone(UTC)


class Words(sa.TypeDecorator[str]):
    """Text from anywhere: NUL and half surrogate pairs, which PostgreSQL and UTF-8 refuse, become
    U+FFFD and "?".
    """

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        if value is None or (value.isascii() and "\0" not in value):
            return value
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


class Base(DeclarativeBase):
    """Every constraint has a name, or a migration of SQLite could not find it."""

    metadata = sa.MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  SQLAlchemy's own idiom
        datetime: Moment,
        str: Words,
        dict[str, Any]: sa.JSON,
        list[Any]: sa.JSON,
    }


def _debate_key() -> Mapped[str]:
    return mapped_column(sa.ForeignKey("debate.id", ondelete="CASCADE"))


class DebateRow(Base):
    """One debate. ``epoch`` is the fence: a claim raises it, and writes of an older epoch fail.
    ``events`` is the next ``seq``; ``reserve`` stays for its closing turns while it is played.
    """

    __tablename__ = "debate"
    __table_args__ = (
        sa.Index(None, "place", "created_at"),
        sa.Index(None, "status", "wake_at"),
        sa.Index(None, "created_at"),
        sa.Index(None, "parent"),
        sa.Index(None, "updated_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str]
    title: Mapped[str] = mapped_column(default="")
    template: Mapped[str]
    place: Mapped[str]
    asker: Mapped[str]
    private: Mapped[bool] = mapped_column(default=False)
    epoch: Mapped[int] = mapped_column(default=0)
    events: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str] = mapped_column(default="")
    beat_at: Mapped[datetime | None]
    wake_at: Mapped[datetime | None]
    deadline: Mapped[datetime | None]
    cost: Mapped[float] = mapped_column(default=0.0)
    reserve: Mapped[float] = mapped_column(default=0.0)
    origin_key: Mapped[str | None] = mapped_column(unique=True)
    parent: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    facts: Mapped[dict[str, Any]] = mapped_column(default=dict)


class EventRow(Base):
    """What happened, in order; never deleted on its own. Where its text was taken out later,
    ``digest`` is the hash of what it was, else "".
    """

    __tablename__ = "event"

    debate_id: Mapped[str] = mapped_column(
        sa.ForeignKey("debate.id", ondelete="CASCADE"), primary_key=True
    )
    seq: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    version: Mapped[int]
    payload: Mapped[dict[str, Any]]
    epoch: Mapped[int]
    at: Mapped[datetime]
    digest: Mapped[str] = mapped_column(default="", server_default="")


class CallRow(Base):
    """One paid request to a model: written as ``intent`` before it is made, settled in the commit
    of the event it led to. ``estimate`` is what it costs at most.
    """

    __tablename__ = "llm_call"
    __table_args__ = (sa.Index(None, "at"),)

    debate_id: Mapped[str] = mapped_column(
        sa.ForeignKey("debate.id", ondelete="CASCADE"), primary_key=True
    )
    turn: Mapped[str] = mapped_column(primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    model: Mapped[str]
    state: Mapped[str]
    request_hash: Mapped[str]
    response: Mapped[str]
    error: Mapped[str]
    usage: Mapped[dict[str, Any]]
    usd: Mapped[float | None]
    estimate: Mapped[float | None]
    at: Mapped[datetime]


class OutboxRow(Base):
    """One post on its way.

    Rows of one thread, (debate, place), leave in order of ``id``; ``done`` are ids of parts that
    have arrived.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        sa.UniqueConstraint("place", "key"),
        sa.Index(
            "ix_outbox_open",
            "debate_id",
            "place",
            "id",
            sqlite_where=sa.text("state IN ('pending', 'sending')"),
            postgresql_where=sa.text("state IN ('pending', 'sending')"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    debate_id: Mapped[str] = _debate_key()
    place: Mapped[str]
    key: Mapped[str]
    op: Mapped[str]
    target: Mapped[str]
    body: Mapped[dict[str, Any]]
    state: Mapped[str]
    claimed_by: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    first_attempt_at: Mapped[datetime | None]
    next_at: Mapped[datetime]
    done: Mapped[list[Any]] = mapped_column(default=list)
    ref: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    reason: Mapped[str] = mapped_column(default="")


class SlotRow(Base):
    """When a channel may be posted to again, over all debates and all replicas."""

    __tablename__ = "slot"

    place: Mapped[str] = mapped_column(primary_key=True)
    free_at: Mapped[datetime]


class MessageRow(Base):
    """A message of ours on a platform: what a reaction, a reply or a button on it is about.

    ``subject`` None: reactions mean nothing.
    """

    __tablename__ = "message"
    __table_args__ = (sa.Index(None, "place", "thread"), sa.Index(None, "debate_id", "place"))

    place: Mapped[str] = mapped_column(primary_key=True)
    message: Mapped[str] = mapped_column(primary_key=True)
    thread: Mapped[str]
    debate_id: Mapped[str] = _debate_key()
    key: Mapped[str]
    subject: Mapped[str | None]
    at: Mapped[datetime]


class CommandRow(Base):
    """A command under way to the debate's writer; ``answer`` is what the writer told the person, ""
    when it was simply accepted.
    """

    __tablename__ = "signal"
    __table_args__ = (sa.Index(None, "debate_id", "applied_seq"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    debate_id: Mapped[str] = _debate_key()
    kind: Mapped[str]
    version: Mapped[int]
    payload: Mapped[dict[str, Any]]
    source_key: Mapped[str] = mapped_column(unique=True)
    at: Mapped[datetime]
    applied_seq: Mapped[int | None]
    answer: Mapped[str] = mapped_column(default="")


class SeenRow(Base):
    """A platform event that was taken already; platforms deliver again. Rows expire."""

    __tablename__ = "seen"
    __table_args__ = (sa.Index(None, "at"),)

    key: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime]


class ScheduleRow(Base):
    """A recurring debate.

    ``heads`` remembers the last seen revision of each target, ``misses`` counts failed runs in a
    row.
    """

    __tablename__ = "schedule"
    __table_args__ = (sa.Index(None, "enabled", "next_at"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    cron: Mapped[str]
    tz: Mapped[str]
    grace: Mapped[float]
    next_at: Mapped[datetime | None]
    enabled: Mapped[bool]
    template: Mapped[str]
    target: Mapped[str]
    options: Mapped[dict[str, Any]]
    filters: Mapped[dict[str, Any]]
    place: Mapped[str]
    owner: Mapped[str]
    created_at: Mapped[datetime]
    outcome: Mapped[str]
    heads: Mapped[dict[str, Any]]
    misses: Mapped[int]


class ScheduleRunRow(Base):
    """One firing of a schedule: its key makes sure that only one replica takes it.

    ``finished_at`` None: taken, not finished.
    """

    __tablename__ = "schedule_run"

    schedule_id: Mapped[str] = mapped_column(
        sa.ForeignKey("schedule.id", ondelete="CASCADE"), primary_key=True
    )
    fire_at: Mapped[datetime] = mapped_column(primary_key=True)
    taken_at: Mapped[datetime]
    taken_by: Mapped[str]
    finished_at: Mapped[datetime | None]
    debates: Mapped[list[Any]] = mapped_column(default=list)
    outcome: Mapped[str] = mapped_column(default="")


class OutcomeRow(Base):
    """What search, ratings and calibration read about a debate that is over.

    A projection: ``Outcomes.rebuild`` makes it again.
    """

    __tablename__ = "outcome"
    __table_args__ = (sa.Index(None, "template", "concluded_at"), sa.Index(None, "decision"))

    debate_id: Mapped[str] = mapped_column(
        sa.ForeignKey("debate.id", ondelete="CASCADE"), primary_key=True
    )
    template: Mapped[str]
    format: Mapped[str]
    status: Mapped[str]
    because: Mapped[str]
    decision: Mapped[str]
    reached: Mapped[bool]
    title: Mapped[str]
    source: Mapped[str]
    place: Mapped[str]
    private: Mapped[bool]
    cost: Mapped[float | None]
    held: Mapped[bool | None]
    concluded_at: Mapped[datetime]
    document: Mapped[dict[str, Any]]


class BindingRow(Base):
    """An admin's word that a place may read a private repository; ``rules`` say what starts debates
    there.
    """

    __tablename__ = "binding"

    place: Mapped[str] = mapped_column(primary_key=True)
    repository: Mapped[str] = mapped_column(primary_key=True)
    by: Mapped[str]
    at: Mapped[datetime]
    rules: Mapped[dict[str, Any]] = mapped_column(default=dict)


class ForgeEventRow(Base):
    """What a forge told us, stored before it is told that we have it; worked off by any replica.

    ``state``: pending, done or dead. A claim is a lease until ``next_at``.
    """

    __tablename__ = "forge_event"
    __table_args__ = (sa.Index(None, "state", "next_at"), sa.Index(None, "at"))

    key: Mapped[str] = mapped_column(primary_key=True)
    payload: Mapped[dict[str, Any]]
    state: Mapped[str]
    claimed_by: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime]
    next_at: Mapped[datetime]
    reason: Mapped[str] = mapped_column(default="")


class FollowedChangeRow(Base):
    """A pull request that a place follows: its runs share one thread, that of ``story``.

    ``head`` is what ``debate``, the latest, is about; ``wanted`` a head to be debated ("" none);
    ``asked`` what whoever wanted it asked for. ``asks`` counts how often it was asked whether the
    verdict held, ``told`` is what the forge's check shows.
    """

    __tablename__ = "followed_change"
    __table_args__ = (
        sa.Index(None, "host", "repository", "number"),
        sa.Index(None, "wanted"),
        sa.Index(None, "ask_at"),
    )

    place: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str] = mapped_column(primary_key=True)
    repository: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    link: Mapped[str]
    story: Mapped[str] = mapped_column(default="")
    debate: Mapped[str] = mapped_column(default="")
    head: Mapped[str] = mapped_column(default="")
    runs: Mapped[int] = mapped_column(default=0)
    wanted: Mapped[str] = mapped_column(default="")
    asked: Mapped[dict[str, Any]] = mapped_column(default=dict)
    not_before: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(default="open")
    merged_at: Mapped[datetime | None]
    merge_commit: Mapped[str] = mapped_column(default="")
    ask_at: Mapped[datetime | None]
    asks: Mapped[int] = mapped_column(default=0)
    objections: Mapped[list[Any]] = mapped_column(default=list)
    told: Mapped[str] = mapped_column(default="")
    updated_at: Mapped[datetime]


class ForgePostRow(Base):
    """One thing to be written to a forge, stored before it is sent; ``key`` is unique for ever.

    ``state``: pending, sending (an earlier try may have arrived), sent or dead. A claim is a lease
    until ``next_at``. ``by`` is who approved it, ``ref`` what stands there now.
    """

    __tablename__ = "forge_post"
    __table_args__ = (sa.Index(None, "state", "next_at"), sa.Index(None, "debate_id"))

    key: Mapped[str] = mapped_column(primary_key=True)
    debate_id: Mapped[str] = _debate_key()
    kind: Mapped[str]
    link: Mapped[str]
    body: Mapped[dict[str, Any]]
    by: Mapped[str]
    state: Mapped[str]
    claimed_by: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime]
    next_at: Mapped[datetime]
    ref: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    reason: Mapped[str] = mapped_column(default="")


class ForgeInstallationRow(Base):
    """A GitHub App's installation on an account, and the workspace whose admin proved that it is
    theirs. Tokens are never here: they are made when they are needed.
    """

    __tablename__ = "forge_installation"
    __table_args__ = (sa.Index(None, "host", "account"),)

    host: Mapped[str] = mapped_column(primary_key=True)
    installation: Mapped[int] = mapped_column(primary_key=True)
    account: Mapped[str]
    workspace: Mapped[str]
    by: Mapped[str]
    at: Mapped[datetime]


class WatchRow(Base):
    """Where a poll of a repository goes on: the tags that make asking again cheap, and what was
    seen.
    """

    __tablename__ = "watch"

    host: Mapped[str] = mapped_column(primary_key=True)
    repository: Mapped[str] = mapped_column(primary_key=True)
    tags: Mapped[dict[str, Any]]
    seen: Mapped[dict[str, Any]]
    at: Mapped[datetime]


class InstallationRow(Base):
    """A workspace that installed the app; ``sealed`` is its token, encrypted by whoever stores it.
    Never plain text.
    """

    __tablename__ = "installation"

    workspace: Mapped[str] = mapped_column(primary_key=True)
    sealed: Mapped[bytes]
    at: Mapped[datetime]


class AuditRow(Base):
    """One line of the audit log (``storage.audit``): written once, never changed but for the name
    of somebody who is forgotten.
    """

    __tablename__ = "audit"
    __table_args__ = (sa.Index(None, "at"),)

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    who: Mapped[str]
    salt: Mapped[str]
    who_hash: Mapped[str]
    surface: Mapped[str]
    place: Mapped[str]
    what: Mapped[str]
    about: Mapped[str]
    detail: Mapped[dict[str, Any]]
    hash: Mapped[str]


class LeftRow(Base):
    """A workspace that removed the bot: what it said is deleted some time after ``at``."""

    __tablename__ = "left_workspace"

    workspace: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime]


class DebateTextRow(Base):
    """What can be found of a debate: a projection of its first ``events`` events. ``number`` is
    what ``storage.words`` knows it by; ``repository`` is ``owner/name`` in small letters.
    """

    __tablename__ = "debate_text"

    number: Mapped[int] = mapped_column(primary_key=True)
    debate_id: Mapped[str] = mapped_column(
        sa.ForeignKey("debate.id", ondelete="CASCADE"), unique=True
    )
    words: Mapped[str]
    repository: Mapped[str]
    events: Mapped[int]


class SessionRow(Base):
    """Somebody who signed in with a browser. ``key_hash`` is the digest of its cookie's secret;
    ``workspaces`` tells for each that the account belongs to whether it is an admin there,
    ``workspace`` is the one they look at.
    """

    __tablename__ = "session"
    __table_args__ = (sa.Index(None, "platform", "account"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    key_hash: Mapped[str] = mapped_column(unique=True)
    platform: Mapped[str]
    account: Mapped[str]
    name: Mapped[str]
    workspace: Mapped[str]
    workspaces: Mapped[dict[str, Any]]
    browser: Mapped[str]
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    checked_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class LinkRow(Base):
    """A link under which one debate can be read by somebody who can't sign in; its seal is not
    stored.
    """

    __tablename__ = "link"
    __table_args__ = (sa.Index(None, "debate_id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    debate_id: Mapped[str] = _debate_key()
    made_by: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


def table(row: type[Base]) -> sa.Table:
    """The table behind a class, for statements without the ORM's identity map."""
    made = row.__table__
    assert isinstance(made, sa.Table)  # noqa: S101 (every class here is mapped to one table)
    return made
