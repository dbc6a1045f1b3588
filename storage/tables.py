"""The tables. Only ``event`` is the truth about a debate; ``debate`` holds who may write to it and
what lists need, the rest is pending work, finished work, or a projection that can be built again.

Times are UTC and aware, money is USD, durations are seconds.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import sqlalchemy as sa

from core.debate.material import ChangeState


class Moment(sa.TypeDecorator[datetime]):
    """The column type of an instant. It refuses naive times, and returns aware ones in UTC on every
    database.
    """

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


class ForeignText(sa.TypeDecorator[str]):
    """The column type of foreign text: NUL and half surrogate pairs, which PostgreSQL and UTF-8
    refuse, become U+FFFD and "?".
    """

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        if value is None or (value.isascii() and "\0" not in value):
            return value
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Holds all tables. Every constraint has a name, or a migration of SQLite could not find it."""


def _column(
    kind: type[sa.types.TypeEngine[Any]],
    name: str,
    *more: sa.ForeignKey,
    nullable: bool = False,
    **rest: Any,
) -> sa.Column[Any]:
    """Builds a column with a value in every row, unless it is ``nullable``."""
    return sa.Column(name, kind, *more, nullable=nullable, **rest)


_text = partial(_column, ForeignText)
_moment = partial(_column, Moment)
_integer = partial(_column, sa.Integer)
_double = partial(_column, sa.Double)
_boolean = partial(_column, sa.Boolean)
_json = partial(_column, sa.JSON)


def _debate_key(**rest: Any) -> sa.Column[Any]:
    """Builds the foreign key to the debate with which a row is deleted."""
    return _text("debate_id", sa.ForeignKey("debate.id", ondelete="CASCADE"), **rest)


def _few_of(name: str, where: str, *columns: str) -> sa.Index:
    """Builds an index of only some rows, on both databases."""
    few = sa.Index(name, *columns, sqlite_where=sa.text(where))

    def same(index: sa.Index, connection: sa.Connection, **_: Any) -> None:
        """Imports PostgreSQL's dialect only here; at module level it would load at each start."""
        if connection.dialect.name == "postgresql":
            index.dialect_options["postgresql"]["where"] = sa.text(where)

    sa.event.listen(few, "before_create", same)
    return few


COMPATIBLE = sa.Table("compatible", METADATA, _text("least", primary_key=True))
"""One row: the oldest migration whose release may use these tables. A migration that takes away
what an older release reads raises it, one release after the last that reads it.
"""

DEBATE = sa.Table(
    "debate",
    METADATA,
    _text("id", primary_key=True),
    _text("status"),
    _text("title", default=""),
    _text("template"),
    _text("place"),
    _text("asker"),
    _boolean("private", default=False),
    _integer("epoch", default=0),
    _integer("events", default=0),
    _integer("needs", default=1),
    _text("owner", default=""),
    _moment("beat_at", nullable=True),
    _moment("wake_at", nullable=True),
    _moment("deadline", nullable=True),
    _double("cost", default=0.0),
    _double("reserve", default=0.0),
    _text("origin_key", unique=True, nullable=True),
    _text("parent", default=""),
    _moment("created_at"),
    _moment("updated_at"),
    _json("facts", default=dict),
    _boolean("emptied", default=False, server_default=sa.false()),
    sa.Index(None, "place", "created_at"),
    sa.Index(None, "status", "wake_at"),
    sa.Index(None, "created_at"),
    sa.Index(None, "parent"),
    sa.Index(None, "updated_at"),
    sa.Index(None, "emptied", "updated_at"),
    _few_of("ix_debate_owner", "owner != ''", "owner"),
    _few_of("ix_debate_wake_at", "wake_at IS NOT NULL", "wake_at"),
)
"""One debate. ``epoch`` is the fence: a claim raises it, and writes of an older epoch fail.
``events`` is the next ``seq``; ``reserve`` is for its closing turns while it is played; ``emptied``
means that its texts were deleted.
"""

EVENT = sa.Table(
    "event",
    METADATA,
    _debate_key(primary_key=True),
    _integer("seq", primary_key=True),
    _text("kind"),
    _integer("version"),
    _json("payload"),
    _integer("epoch"),
    _moment("at"),
    _text("digest", default="", server_default=""),
)
"""The events of a debate, in order, never deleted one by one. If the text of one was deleted later,
``digest`` is the hash of the original, else "".
"""

CALL = sa.Table(
    "llm_call",
    METADATA,
    _debate_key(primary_key=True),
    _text("turn", primary_key=True),
    _integer("attempt", primary_key=True),
    _text("model"),
    _text("state"),
    _text("request_hash"),
    _text("response"),
    _text("error"),
    _json("usage"),
    _double("usd", nullable=True),
    _double("estimate", nullable=True),
    _moment("at"),
    sa.Index("ix_llm_call_spent", "at", "state", "model", "usd", "debate_id"),
)
"""One paid request to a model: written as ``intent`` before it is made, settled in the commit of
the event it led to. ``estimate`` is the most it costs.
"""

DAY_SPENT = sa.Table(
    "day_spent",
    METADATA,
    _text("day", primary_key=True),
    _debate_key(primary_key=True),
    _text("model", primary_key=True),
    _double("usd"),
    _integer("calls"),
    _integer("unpriced"),
    sa.Index(None, "debate_id"),
)
"""The calls of one past day (UTC) to one model, summed over the debates that one person began in
one place. ``debate_id`` is the first of these debates and identifies the person and the place, so
that no name is stored twice.
"""


_IS_OPEN, _IS_UNCERTAIN = "state IN ('pending', 'sending')", "state = 'uncertain'"
"""The states of posts that wait, are being sent, or need a person's decision."""


OUTBOX = sa.Table(
    "outbox",
    METADATA,
    _integer("id", primary_key=True, autoincrement=True),
    _debate_key(),
    _text("place"),
    _text("key"),
    _text("op"),
    _text("target"),
    _json("body"),
    _text("state"),
    _text("claimed_by", default=""),
    _integer("attempts", default=0),
    _moment("created_at"),
    _moment("first_attempt_at", nullable=True),
    _moment("next_at"),
    _json("done", default=list),
    sa.Column("ref", sa.JSON(none_as_null=True), nullable=True),
    _text("reason", default=""),
    sa.UniqueConstraint("place", "key"),
    _few_of("ix_outbox_open", _IS_OPEN, "debate_id", "place", "id"),
    _few_of("ix_outbox_due", _IS_OPEN, "place", "next_at"),
    _few_of("ix_outbox_uncertain", _IS_UNCERTAIN, "debate_id"),
    sa.Index(None, "debate_id"),
)
"""One post to be sent. Rows of one thread, (debate, place), leave in order of ``id``; ``done`` are
ids of parts that have arrived.
"""

SLOT = sa.Table(
    "slot",
    METADATA,
    _text("place", primary_key=True),
    _moment("free_at"),
)
"""The time at which a channel may be posted to again, over all debates and all replicas."""

MESSAGE = sa.Table(
    "message",
    METADATA,
    _text("place", primary_key=True),
    _text("message", primary_key=True),
    _text("thread"),
    _debate_key(),
    _text("key"),
    _text("subject", nullable=True),
    _moment("at"),
    sa.Index(None, "place", "thread"),
    sa.Index(None, "place", "at"),
    sa.Index(None, "debate_id", "place"),
)
"""One of the bot's messages on a platform, the target of a reaction, a reply or a button.
``subject`` None: reactions mean nothing.
"""

COMMAND = sa.Table(
    "signal",
    METADATA,
    _integer("id", primary_key=True, autoincrement=True),
    _debate_key(),
    _text("kind"),
    _integer("version"),
    _json("payload"),
    _text("source_key", unique=True),
    _moment("at"),
    _integer("applied_seq", nullable=True),
    _text("answer", default=""),
    sa.Index(None, "debate_id", "applied_seq"),
    _few_of("ix_signal_waiting", "applied_seq IS NULL", "applied_seq", "debate_id"),
)
"""A queued command to the debate's writer; ``answer`` is the writer's answer to the person, "" when
it was simply accepted.
"""

SEEN = sa.Table(
    "seen",
    METADATA,
    _text("key", primary_key=True),
    _moment("at"),
    sa.Index(None, "at"),
)
"""A platform event that was taken already, because platforms deliver again. Rows expire."""

SCHEDULE = sa.Table(
    "schedule",
    METADATA,
    _text("id", primary_key=True),
    _text("cron"),
    _text("tz"),
    _double("grace"),
    _moment("next_at", nullable=True),
    _boolean("enabled"),
    _text("template"),
    _text("target"),
    _json("options"),
    _json("filters"),
    _text("place"),
    _text("owner"),
    _moment("created_at"),
    _text("outcome"),
    _json("heads"),
    _integer("misses"),
    sa.Index(None, "enabled", "next_at"),
)
"""A recurring debate.

``heads`` remembers the last seen revision of each target, ``misses`` counts failed runs in a row.
"""

SCHEDULE_RUN = sa.Table(
    "schedule_run",
    METADATA,
    _text("schedule_id", sa.ForeignKey("schedule.id", ondelete="CASCADE"), primary_key=True),
    _moment("fire_at", primary_key=True),
    _moment("taken_at"),
    _text("taken_by"),
    _moment("finished_at", nullable=True),
    _json("debates", default=list),
    _text("outcome", default=""),
)
"""One firing of a schedule: its key makes sure that only one replica takes it. ``finished_at``
None: taken, not finished.
"""

OUTCOME = sa.Table(
    "outcome",
    METADATA,
    _debate_key(primary_key=True),
    _text("template"),
    _text("format"),
    _text("status"),
    _text("because"),
    _text("decision"),
    _boolean("reached"),
    _text("title"),
    _text("source"),
    _text("place"),
    _boolean("private"),
    _double("cost", nullable=True),
    _boolean("held", nullable=True),
    _moment("concluded_at"),
    _json("document"),
    sa.Index(None, "template", "concluded_at"),
    sa.Index(None, "decision"),
    sa.Index(None, "held", "concluded_at"),
    sa.Index(None, "concluded_at", "debate_id", "place"),
    sa.Index(None, "format", "concluded_at", "debate_id"),
)
"""The result of a finished debate, for search, ratings and calibration. It is a projection that can
be made again from the events.
"""

FINDING_OUTCOME = sa.Table(
    "finding_outcome",
    METADATA,
    _debate_key(primary_key=True),
    _text("mark", primary_key=True),
    _text("repository"),
    _text("change"),
    _text("template"),
    _text("category"),
    _boolean("demanded"),
    _double("stated"),
    _double("forecast", nullable=True),
    _text("became"),
    _moment("at"),
    sa.Index(None, "repository", "at"),
    sa.Index(None, "template", "at"),
)
"""What became of each finding, for the right to block and for how sure a finding is. It is a
projection that can be made again from the events; it holds no text.
"""

OF_PERSON = "@"
"""The repository of the row of a binding that holds a person's own settings."""
BINDING = sa.Table(
    "binding",
    METADATA,
    _text("place", primary_key=True),
    _text("repository", primary_key=True),
    _text("by"),
    _moment("at"),
    _json("rules", default=dict),
    _text("repository_id", default="", server_default=""),
    _json("former", default=dict, server_default="{}"),
)
"""An admin's grant that a place may read a private repository; ``rules`` define what starts debates
there. ``repository_id`` is the forge's id with its host ("" until the forge has named it),
``former`` are earlier names, each with the time of the first word of the next. Without a repository
they are the settings of a place or a person, such as the language.
"""

WORK = sa.Table(
    "work",
    METADATA,
    _text("key", primary_key=True),
    _text("kind"),
    _debate_key(nullable=True),
    _text("target"),
    _text("by"),
    _json("payload"),
    _text("state"),
    _text("claimed_by", default=""),
    _integer("attempts", default=0),
    _moment("at"),
    _moment("next_at"),
    sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
    _text("reason", default=""),
    sa.Index(None, "state", "next_at"),
    sa.Index(None, "kind", "at"),
    sa.Index(None, "debate_id"),
)
"""One piece of work for a forge or a chat (``storage.work``). ``target`` is its pull request or
place, ``by`` the person who approved it. ``state``: pending, sending (an earlier try may have
arrived), done or dead. A claim is a lease until ``next_at``; ``reason`` is the last problem,
``result`` the forge's id of what was written.
"""

FOLLOWED_CHANGE = sa.Table(
    "followed_change",
    METADATA,
    _text("place", primary_key=True),
    _text("host", primary_key=True),
    _text("repository", primary_key=True),
    _integer("number", primary_key=True),
    _text("link"),
    _text("story", default=""),
    _text("debate", default=""),
    _text("head", default=""),
    _integer("runs", default=0),
    _text("wanted", default=""),
    _json("asked", default=dict),
    _moment("not_before", nullable=True),
    _text("state", default=ChangeState.OPEN),
    _moment("merged_at", nullable=True),
    _text("merge_commit", default=""),
    _moment("ask_at", nullable=True),
    _integer("asks", default=0),
    _moment("judge_at", nullable=True),
    _json("objections", default=list),
    _text("told", default=""),
    _moment("updated_at"),
    sa.Index(None, "host", "repository", "number"),
    sa.Index(None, "wanted"),
    sa.Index(None, "ask_at"),
    sa.Index(None, "judge_at"),
)
"""A pull request that a place follows: its runs share one thread, that of the debate ``story``.
``head`` is that of the latest debate, ``debate``; ``wanted`` a head to be debated ("" none);
``asked`` the options requested with it. ``asks`` counts how often the bot asked whether the verdict
held, ``judge_at`` is when code checks what became of the findings, ``told`` is the state that the
forge's check shows.
"""

FORGE_INSTALLATION = sa.Table(
    "forge_installation",
    METADATA,
    _text("host", primary_key=True),
    _integer("installation", primary_key=True),
    _text("account"),
    _text("workspace"),
    _text("by"),
    _moment("at"),
    _text("giver", default="", server_default=""),
    sa.Index(None, "host", "account"),
)
"""A GitHub App's installation on an account, the workspace that it serves, and the person
on the forge who gave it to them. Tokens are never here: they are made when they are needed.
"""

WATCH = sa.Table(
    "watch",
    METADATA,
    _text("host", primary_key=True),
    _text("repository", primary_key=True),
    _json("tags"),
    _json("seen"),
    _moment("at"),
)
"""The progress of polling a repository: the tags that make repeated requests cheap, and the known
revisions.
"""

INSTALLATION = sa.Table(
    "installation",
    METADATA,
    _text("workspace", primary_key=True),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    _moment("at"),
)
"""A workspace that installed the app; ``sealed`` is its token, encrypted by the code that stores
it, never plain text.
"""

AUDIT = sa.Table(
    "audit",
    METADATA,
    _integer("number", primary_key=True, autoincrement=False),
    _moment("at"),
    _text("who"),
    _text("salt"),
    _text("who_hash"),
    _text("surface"),
    _text("place"),
    _text("what"),
    _text("about"),
    _json("detail"),
    _text("hash"),
    sa.Index(None, "at"),
)
"""One line of the audit log (``storage.audit``): written once, never changed but for the name of
someone who is forgotten.
"""

LEFT = sa.Table(
    "left_workspace",
    METADATA,
    _text("workspace", primary_key=True),
    _moment("at"),
)
"""A workspace that removed the bot: its texts are deleted some time after ``at``."""

DEBATE_LABEL = sa.Table(
    "debate_label",
    METADATA,
    _debate_key(primary_key=True),
    _text("name", primary_key=True),
    _text("value"),
    sa.Index(None, "name", "value", "debate_id"),
)
"""The labels by which people sort debates: a projection of the request, ``value`` in small letters.
"""

DEBATE_TEXT = sa.Table(
    "debate_text",
    METADATA,
    _integer("number", primary_key=True),
    _debate_key(unique=True),
    _text("words"),
    _text("repository"),
    _integer("events"),
    sa.Index(None, "repository", "number"),
)
"""The searchable text of a debate: a projection of its first ``events`` events. ``number``
identifies it in ``storage.word_index``; ``repository`` is ``owner/name`` in small letters.
"""

SESSION = sa.Table(
    "session",
    METADATA,
    _text("id", primary_key=True),
    _text("key_hash", unique=True),
    _text("platform"),
    _text("account"),
    _text("name"),
    _text("workspace"),
    _json("workspaces"),
    _text("browser"),
    _moment("created_at"),
    _moment("seen_at"),
    _moment("checked_at"),
    _moment("expires_at"),
    sa.Index(None, "platform", "account"),
)
"""A signed-in browser. ``key_hash`` is the digest of its cookie's secret; ``workspaces`` says for
each workspace of the account whether it is an admin there, ``workspace`` is the one it looks at.
"""

LINK = sa.Table(
    "link",
    METADATA,
    _text("id", primary_key=True),
    _debate_key(),
    _text("made_by"),
    _moment("created_at"),
    _moment("expires_at"),
    _moment("revoked_at", nullable=True),
    sa.Index(None, "debate_id"),
)
"""A link under which one debate can be read without signing in; its seal is not stored."""

INVITATION = sa.Table(
    "invitation",
    METADATA,
    _text("secret_hash", primary_key=True),
    _text("person"),
    _text("debate"),
    _moment("expires_at"),
)
"""A one-time link that lets one browser in as ``person``; ``secret_hash`` is the digest of the
secret in its address, ``debate`` the page that it leads to, "" for the first one.
"""

TOKEN = sa.Table(
    "token",
    METADATA,
    _text("id", primary_key=True),
    _text("secret_hash", unique=True),
    _text("person"),
    _text("place"),
    _text("name"),
    _json("scopes"),
    _double("purse"),
    _moment("created_at"),
    _moment("expires_at"),
)
"""A token by which a program acts as ``person`` in ``place``; ``secret_hash`` is the digest of its
secret, ``purse`` its budget: the USD that all debates it starts may cost together.
"""

TOKEN_START = sa.Table(
    "token_start",
    METADATA,
    _text("token", primary_key=True),
    _text("key", primary_key=True),
    _text("asked_hash"),
    _double("budget"),
    _text("debate"),
)
"""A debate that a token requested under an idempotency key: the digest of the request, the part of
the token's budget that it reserves, and the debate, "" until it is stored.
"""

HOOK = sa.Table(
    "hook",
    METADATA,
    _text("id", primary_key=True),
    _text("place"),
    _text("address"),
    _json("kinds"),
    _boolean("full"),
    _text("made_by"),
    _moment("created_at"),
    _integer("generation", default=1),
    _moment("rotated_at", nullable=True),
    _text("ended", default=""),
    sa.Index(None, "place"),
)
"""An address that receives the debates of ``place``, all of them if that is "". Its secret is made
of the operator's signing key, its id and ``generation``; the one before stays valid for a day after
``rotated_at``. ``ended`` says why nothing is sent any more, "" while it is.
"""

RUNNING_BOT = sa.Table(
    "running_bot",
    METADATA,
    _text("owner", primary_key=True),
    _text("address"),
    _moment("since"),
    _json("opens", default=list, server_default="[]"),
)
"""A running bot: its process as ``bot.debates.owners`` names it, and the address at which it
answers HTTP; ``opens`` are the ids of the keys with which it opens sealed data. The row of a killed
bot stays until another one starts.
"""
