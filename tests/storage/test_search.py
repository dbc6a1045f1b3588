"""Finding debates by their words and by what is known of them, on both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from core.application.listing import Filter
from core.debate.log import Append
from storage.database import Database
from storage.debates import Debates
from storage.debates.outcomes import Outcomes
from storage.search import Search
from storage.tables import DEBATE
from storage.word_index import BEGINS, ENDS, asked_words, excerpt
from tests.storage.conftest import ON_SQLITE, Hands
from tests.storage.samples import AT, opened, requested

TEXT = "The retry may charge twice: the idempotency key is drawn in `attempt`. Größe egal."


async def stored(
    db: Database, hands: Hands, id: str, words: str, place: str = "slack:T1/C1"
) -> None:
    await Debates(db).create(requested(id, place), id)
    await Search(db).save(id, words, "Acme/Shop", 1)
    hands.pass_by(1)


async def ids(db: Database, **wanted: Any) -> list[str]:
    scope: Any = {name: wanted.pop(name) for name in ("within", "own", "decided") if name in wanted}
    page = await Search(db).find_page(Filter(**wanted), 10, **scope)
    return [one.line.id for one in page]


async def test_all_words_must_be_there_from_their_beginning(db: Database, hands: Hands) -> None:
    await stored(db, hands, "aa1", TEXT)
    for words, matches in (
        ("charge twice", True),
        ("CHARGE", True),
        ("twice charge", True),
        ("idempot", True),
        ("größe", True),
        ("charge thrice", False),
        ("harge", False),
        ('"charge" OR (nothing) AND NOT key*', False),
        ("key* ^charge:", True),
        ("'; DROP TABLE debate; --", False),
        ("%", True),
        ("", True),
        (" ".join(["key"] * 400), True),
    ):
        assert bool(await ids(db, words=words)) is matches, words


@ON_SQLITE
async def test_the_excerpt_shows_the_words_that_were_asked_for(db: Database, hands: Hands) -> None:
    await stored(db, hands, "aa1", "Something else. " * 200 + TEXT)
    (hits,) = await Search(db).find_page(Filter(words="idempotency"), 5)
    assert ("idempotency", True) in hits.excerpt
    assert len(hits.text) < 400


async def test_a_text_is_replaced_and_goes_with_its_debate(db: Database, hands: Hands) -> None:
    await stored(db, hands, "aa1", TEXT)
    await Search(db).save("aa1", "caching", "", 2)
    assert await ids(db, words="charge") == []
    assert await ids(db, words="caching") == ["aa1"]
    await db.write(
        lambda conn: conn.execute(sa.delete(DEBATE).where(DEBATE.c.id == "aa1")).rowcount
    )
    assert await ids(db, words="caching") == []


async def test_lists_are_narrowed_by_what_is_known(db: Database, hands: Hands) -> None:
    for id, place in (("aa1", "slack:T1/C1"), ("ab2", "discord:G/1"), ("ac3", "slack:T10/C1")):
        await stored(db, hands, id, TEXT, place)
    document = {"template": "code_review", "verdict": {"decision": "approve"}}
    await Outcomes(db).save("ab2", document, AT)
    assert await ids(db) == ["ac3", "ab2", "aa1"]
    assert await ids(db, decision="approve") == ["ab2"]
    assert await ids(db, within=("slack:T1/",)) == ["aa1"]
    assert await ids(db, within=(), own="slack:T1/U1") == ["ac3", "ab2", "aa1"]
    assert await ids(db, within=()) == []
    assert await ids(db, repository="acme/SHOP") == ["ac3", "ab2", "aa1"]
    assert await ids(db, repository="shop_") == []
    assert await ids(db, person="u1") == ["ac3", "ab2", "aa1"]
    assert await ids(db, person="u2") == []
    assert await ids(db, template="triad") == []


@ON_SQLITE
async def test_of_many_repositories_those_that_fit_are_read(
    db: Database, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stored(db, hands, "aa1", TEXT)
    for number in range(7):
        await Debates(db).create(requested(f"ab{number}"), f"ab{number}")
        await Search(db).save(f"ab{number}", "nothing", f"zoo/den{number % 3}", 1)
    fitting = [f"ab{number}" for number in range(6, -1, -1)]
    for most in (500, 5, 2):
        monkeypatch.setattr("storage.search._FEW", most)
        assert sorted(await ids(db, repository="ZOO/")) == sorted(fitting)
        assert await ids(db, repository="den9") == []
        assert await ids(db, repository="shop", words="charge") == ["aa1"]


async def test_what_is_not_made_yet_or_has_ended_since_is_stale(db: Database, hands: Hands) -> None:
    debates, search = Debates(db), Search(db)
    await debates.create(requested("aa1"), "k")
    assert await search.find_stale(None, 10) == []
    log = await debates.claim("aa1", "me")
    await log.append(Append("aa1", 1, (opened(),), status="running"))
    assert await search.find_stale(None, 10) == ["aa1"]
    await search.save("aa1", "caching", "", 1)
    assert await search.find_stale(None, 10) == []
    hands.pass_by(60)
    await log.append(Append("aa1", 2, (), status="finished"))
    assert await search.find_stale(None, 10) == ["aa1"]
    assert await search.find_stale(hands.now() + timedelta(seconds=1), 10) == []
    await search.save("aa1", "caching", "", 2)
    assert await search.find_stale(None, 10) == []


@pytest.mark.parametrize(
    ("text", "words", "matches"),
    [
        ("a Größe b", "grosse", ""),
        ("a Größe b", "größe", "Größe"),
        ("a Größe b", "große", "Größe"),
        ("the cafe is a café", "café", "cafe"),
        ("retrying retries", "retr", "retrying"),
        ("in C or in Cobol", "c", "C"),
        ("re.sub( (a|b)*", "sub", "sub"),
        ("", "x", ""),
    ],
)
def test_an_excerpt_marks_words_from_their_beginning(text: str, words: str, matches: str) -> None:
    marked = excerpt(text, asked_words(words)).partition(BEGINS)[2].partition(ENDS)[0]
    assert marked == matches


@given(st.text(max_size=600), st.text(alphabet="aeé ", max_size=6))
def test_an_excerpt_is_a_part_of_its_text(text: str, words: str) -> None:
    text = text.replace(BEGINS, "").replace(ENDS, "").replace("…", "")
    rendered = excerpt(text, asked_words(words)).replace(BEGINS, "").replace(ENDS, "")
    assert rendered.strip("…") in text
    assert len(rendered) <= 202


async def test_of_one_letter_only_the_letter_itself_is_found(db: Database, hands: Hands) -> None:
    await stored(db, hands, "aa1", "written in Cobol")
    await stored(db, hands, "ab2", "written in C")
    assert await ids(db, words="c") == ["ab2"]


async def test_a_longer_history_is_no_other_statement(db: Database, hands: Hands) -> None:
    """A cache of statements, compiled or prepared, would otherwise hold one for each number of
    hits.
    """
    statements: set[str] = set()

    def note(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        statements.add(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        for number in range(20):
            await stored(db, hands, f"aa{number}", TEXT)
            assert len(await Search(db).find_page(Filter(words="charge"), 50)) == number + 1
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
    for listed in ("debate_text.number IN", "debate.id IN"):
        looks = {one for one in statements if listed in one}
        assert len(looks) <= 6  # lists of 1, 2, 4, 8, 16 and 32


@ON_SQLITE
async def test_a_span_holds_its_first_moment_and_not_its_last(db: Database, hands: Hands) -> None:
    for id in ("aa1", "aa2", "aa3"):
        await stored(db, hands, id, TEXT)
    rows = await Debates(db).find_recent()
    moments = {row.id: row.created_at for row in rows}
    assert await ids(db, since=moments["aa2"], until=moments["aa3"]) == ["aa2"]
    assert await ids(db, since=moments["aa2"], words="key") == ["aa3", "aa2"]
    assert await ids(db, before=(moments["aa2"], "aa2")) == ["aa1"]
    assert await ids(db, before=(moments["aa2"], "aa3")) == ["aa2", "aa1"]
    assert await Search(db).find_stale(moments["aa3"] + timedelta(seconds=1), 10) == []
