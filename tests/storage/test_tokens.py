"""Tokens of programs and their budgets, links that let one browser in, and followed changes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.debate.errors import BadInput, Refused
from core.debate.material import ChangeState
from storage.audit import AuditLog
from storage.database import Database
from storage.forges.followed import ASKED_AFTER, ChangeKey, FollowedChanges
from storage.people.invitations import Invitations
from storage.people.tokens import Tokens
from storage.schema import open_database
from storage.tables import TOKEN_START
from tests.storage.conftest import Hands
from tests.storage.test_sessions import session

HOUR = timedelta(hours=1)
CI, ANN, HERE = "program:slack:T1/ci", "slack:T1/U1", "slack:T1/C1"
KEY = ChangeKey(HERE, "github.com", "O/R", 7)
LINK = "https://github.com/o/r/pull/7"


@pytest.fixture
async def db(tmp_path: Path, hands: Hands) -> AsyncIterator[Database]:
    """A file: nothing here depends on the kind of database."""
    database = await open_database(str(tmp_path / "debate.db"), hands.now)
    yield database
    await database.close()


async def test_a_token_opens_until_its_moment_and_is_deleted_with_the_next(
    db: Database, hands: Hands
) -> None:
    tokens = Tokens(db)
    id, secret = await tokens.make(CI, HERE, "ci", ("read", "start"), 2.5, db.now() + HOUR)
    token = await tokens.find(secret)
    assert token is not None
    assert (token.id, token.person, token.scopes, token.budget, token.held) == (
        id, CI, ("read", "start"), 2.5, 0.0,
    )  # fmt: skip
    assert await tokens.find(secret + "x") is None
    hands.pass_by(3599)
    assert await tokens.find(secret) is not None
    hands.pass_by(1)
    assert await tokens.find(secret) is None
    await tokens.make(CI, HERE, "next", (), 0.0, db.now() + HOUR)
    hands.pass_by(-3600)
    assert await tokens.find(secret) is None, "it is gone"


async def test_tokens_are_listed_for_their_person_and_services_for_their_place(
    db: Database, hands: Hands
) -> None:
    tokens, until = Tokens(db), db.now() + HOUR
    ids = []
    for person, place in ((ANN, HERE), (CI, HERE), (CI, "slack:T2/C1"), ("slack:T1/U2", HERE)):
        ids.append((await tokens.make(person, place, "x", (), 0.0, until))[0])
        hands.pass_by(1)
    assert [one.id for one in await tokens.all()] == ids
    assert [one.id for one in await tokens.of(ANN)] == ids[:1]
    assert [one.id for one in await tokens.of(ANN, HERE)] == ids[:2]
    assert await tokens.end(ids[0]) is True
    assert await tokens.end(ids[0]) is False
    acts = [line.what for line in await AuditLog(db).load()]
    assert acts == ["make a token"] * 4 + ["take a token back"]


async def test_a_budget_is_held_while_debates_start_and_no_more_than_it_holds(db: Database) -> None:
    tokens = Tokens(db)
    id, secret = await tokens.make(CI, HERE, "ci", ("start",), 1.0, db.now() + HOUR)
    assert await tokens.hold(id, "k1", "one", 0.6) == ""
    with pytest.raises(Refused, match=r"has \$0\.40 and the debate may cost \$0\.41"):
        await tokens.hold(id, "k2", "two", 0.41)
    assert await tokens.hold(id, "k2", "two", 0.4) == ""
    with pytest.raises(Refused, match=r"has \$0\.00"):
        await tokens.hold(id, "k3", "three", 0.01)
    token = await tokens.find(secret)
    assert token is not None
    assert token.held == pytest.approx(1.0)
    with pytest.raises(BadInput, match="under way or was cut off"):
        await tokens.hold(id, "k1", "one", 0.6)
    await tokens.settle(id, "k1", "d1")
    await tokens.settle(id, "k2", "")
    assert await tokens.hold(id, "k1", "one", 0.6) == "d1", "the same request once more"
    with pytest.raises(BadInput, match="used for another request"):
        await tokens.hold(id, "k1", "other", 0.6)
    await tokens.settle(id, "k1", "")
    assert await tokens.hold(id, "k1", "one", 0.6) == "d1", "a debate is no reservation"
    assert await tokens.hold(id, "k2", "two", 0.4) == ""
    assert await tokens.end(id)
    rows = await db.read(lambda conn: conn.execute(sa.select(TOKEN_START)).all())
    assert rows == []
    with pytest.raises(Refused, match="taken back"):
        await tokens.hold(id, "k4", "four", 0.0)


async def test_a_link_lets_one_browser_in_until_its_moment(db: Database, hands: Hands) -> None:
    links = Invitations(db)
    secret = await links.make(ANN, db.now() + HOUR, "d1")
    assert await links.find(secret) == (ANN, "d1")
    assert await links.use(secret, "k" * 43, session(db)) is True
    assert await links.use(secret, "l" * 43, session(db, "s2")) is False
    late, ended = await links.make(ANN, db.now() + HOUR), await links.make(ANN, db.now() + HOUR)
    await links.end(ended)
    assert await links.find(ended) is None
    hands.pass_by(3600)
    assert await links.find(late) is None
    assert await links.use(late, "m" * 43, session(db, "s3")) is False


async def test_runs_of_a_followed_change_are_counted_once_each(db: Database) -> None:
    changes = FollowedChanges(db)
    assert await changes.get(KEY) is None
    await changes.want(KEY, LINK, "a1", {"by": ANN})
    row = await changes.get(KEY)
    assert row is not None
    assert (row.key.repository, row.wanted, row.runs) == ("o/r", "a1", 0)
    assert [one.key for one in await changes.due()] == [row.key]
    assert await changes.started(row, "a1", "d1") is True
    assert await changes.started(row, "a1", "d9") is False, "another replica was quicker"
    again = await changes.get(KEY)
    assert again is not None
    assert (again.debate, again.story, again.runs, again.wanted) == ("d1", "d1", 1, "")
    assert await changes.due() == []
    assert await changes.started(again, "a1", "d1") is True
    await changes.adopt(KEY, LINK, "d1", "")
    await changes.adopt(KEY, LINK, "d2", "b2")
    third = await changes.about("d2")
    assert third is not None
    assert (third.runs, third.story, third.head) == (2, "d1", "b2")
    assert await changes.about("d1") is None
    assert len(await changes.of("github.com", "o/R", 7)) == 1


async def test_what_comes_while_a_run_begins_waits_for_the_next_one(db: Database) -> None:
    """The run has read the row already: a reply, a new head, and the same head for another
    reason.
    """
    changes = FollowedChanges(db)
    await changes.want(KEY, LINK, "a1", {"why": "pushed"})
    (row,) = await changes.due()
    assert await changes.objected(row, {"source": "c1", "text": "No."})
    (row,) = await changes.due()
    assert await changes.objected(row, {"source": "c2", "text": "Never."})
    await changes.want(KEY, LINK, "a2", {"why": "pushed"})
    assert await changes.started(row, "a1", "d1")
    began = await changes.about("d1")
    assert began is not None
    assert (began.head, began.runs, began.wanted) == ("a1", 1, "a2")
    assert [one["source"] for one in began.objections] == ["c2"]
    await changes.want(KEY, LINK, "a2", {"why": "commented"})
    await changes.unwanted(began)
    assert await changes.started(began, "a2", "d2")
    last = await changes.about("d2")
    assert last is not None
    assert (last.request, last.objections) == (("a2", {"why": "commented"}), [])


async def test_a_change_waits_and_is_asked_about_at_its_moments(db: Database, hands: Hands) -> None:
    changes = FollowedChanges(db)
    await changes.want(KEY, LINK, "a1", {})
    (row,) = await changes.due()
    await changes.wait(row, db.now() + HOUR)
    assert await changes.due() == []
    hands.pass_by(3600)
    assert len(await changes.due()) == 1
    await changes.unwanted(row)
    assert await changes.due() == []
    assert await changes.objected(row, {"source": "c1", "text": "No."}) is True
    assert await changes.objected(row, {"source": "c1", "text": "No."}) is False
    await changes.want(KEY, LINK, "a2", {})
    merged = db.now()
    await changes.ended(row, ChangeState.MERGED, merged, "f00")
    assert await changes.due() == [], "nothing of a merged change is debated"
    assert await changes.to_ask() == []
    hands.pass_by(ASKED_AFTER[0].total_seconds())
    (due,) = await changes.to_ask()
    assert (due.merged_at, due.merge_commit, due.asks) == (merged, "f00", 0)
    assert await changes.note_asked(due, merged + ASKED_AFTER[1]) is True
    assert await changes.note_asked(due, None) is False
    assert await changes.to_ask() == []
    await changes.ended(due, ChangeState.OPEN)
    hands.pass_by(ASKED_AFTER[1].total_seconds())
    assert await changes.to_ask() == [], "it was opened again"
