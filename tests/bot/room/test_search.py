"""Searching in the room and in a chat: over everything that one may see, and nothing else."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from bot.debates.search_texts import repository_of
from core.application.commands import parse
from core.application.desk import Caller, DeskAnswer
from core.debate.events import DebateRequest, DebateRequested
from core.debate.state import Debate, replay
from tests.bot.room.serving import Served, served
from tests.bot.room.test_signing_in import signing
from tests.patience import PATIENCE
from tests.storage.samples import AT

SECRET = "slack:T2/C9"
_NO_WORD = "There is no word to search for"


@pytest.fixture(autouse=True)
def quick_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the bot look every moment for statements that cannot be found yet."""
    monkeypatch.setattr("bot.wire.bot.WORDS_EVERY", 0.02)


async def search(room: Served, words: str, **more: str) -> list[str]:
    """Returns the debates of the first page, by id."""
    query = "&".join(f"{name}={quote(value)}" for name, value in ({"q": words} | more).items())
    _, page, _ = await room.get(f"/?{query}")
    return [part.split('"')[0] for part in page.split('</span> <a href="/d/')[1:]]


async def kept(room: Served) -> None:
    """Waits until every statement can be found."""
    async with asyncio.timeout(PATIENCE):
        while await room.parts.stores.search.find_stale(None, 1):  # noqa: ASYNC110 (a database has no event)
            await asyncio.sleep(0.01)


async def test_what_was_said_is_found_with_where_it_stands(tmp_path: Path) -> None:
    """A search for signs without a word is refused."""
    async with served(tmp_path) as room:
        first = await room.settled()
        second = await room.debate("panel", target="Tabs or spaces, <b>once</b> for all?", rounds=1)
        await kept(room)
        assert await search(room, "queue jobs") == [first.id]
        assert await search(room, "spaces <b>") == [second.id]
        assert await search(room, "", template="panel") == [second.id]
        assert await search(room, "", person="ANN") == [second.id, first.id]
        assert await search(room, "", since="2000-01-01") == [second.id, first.id]
        assert await search(room, "", until="2000-01-01") == []
        assert await search(room, "", since="yesterday") == [second.id, first.id]
        statement = next(s for t in first.script.turns if (s := first.statement(t.id)))
        word = max(statement.text.split(), key=len).strip(".,:;!?`*")
        assert first.id in await search(room, word)
        _, page, _ = await room.get("/?q=queue")
        assert "<mark>queue</mark>" in page
        _, page, _ = await room.get("/?q=once")
        assert "&lt;b&gt;<mark>once</mark>&lt;/b&gt;" in page
        for signs in ("*", "->", "_", "🔥"):
            status, page, _ = await room.get(f"/?q={quote(signs)}")
            assert (status, _NO_WORD in page) == (400, True), signs
            assert _NO_WORD in (await ask_desk(room, f"search {signs}")).text, signs


async def ask_desk(room: Served, line: str) -> DeskAnswer:
    """Returns what a person of workspace T1 is answered in a channel there."""
    request = parse(line, templates=("triad", "panel"))
    return await room.parts.desk.take(request, Caller("slack:T1/U1", "slack:T1/C1", line))


async def test_nothing_of_another_workspace_is_found(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        near = await on.room.settled(place="slack:T1/C1", asker="slack:T1/U2")
        await on.room.settled(place=SECRET, asker="slack:T2/U2")
        await on.room.settled(place="slack:T1/D7", asker="slack:T1/U2")
        await kept(on.room)
        await on.sign_in()
        assert await search(on.room, "queue") == [near.id]
        assert await search(on.room, "", person="U2") == [near.id]

        answer = await ask_desk(on.room, "search queue jobs")
        (line,) = [one for one in answer.text.splitlines() if one.startswith("- ")]
        assert re.match(rf"- `{near.id}` \d{{4}}-\d\d-\d\d, triad, ", line)
        assert answer.files == (), "a document is for those who ask for it"
        none = await ask_desk(on.room, "search queue unicorns")
        assert none.text.startswith("No debate that you may see says “queue unicorns”.")
        for narrowed in ("--decision none_such", "--mine", "--template panel", "--by nobody",
                         "--repository acme/shop"):  # fmt: skip
            assert "No debate" in (await ask_desk(on.room, f"search queue {narrowed}")).text
        recent = await ask_desk(on.room, "search queue --since 1h")
        assert near.id in recent.text


def test_the_repository_of_a_change() -> None:
    def debate_about(target: str) -> Debate:
        return replay([DebateRequested("d1", DebateRequest("panel", target, "a", "b"), AT)])

    for target, repository in (
        ("https://github.com/acme/shop/pull/412", "acme/shop"),
        ("https://gitlab.com/a/b/c/-/merge_requests/7", "a/b/c"),
        ("https://example.org/acme/shop", ""),
        ("Which is better?", ""),
        ("", ""),
    ):
        assert repository_of(debate_about(target)) == repository
