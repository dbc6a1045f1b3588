"""A request for a page, a document or a receipt of a whole debate does not block the loop: for the
largest debates one takes a quarter of a second.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.room.tokens import make_token, service_of
from core.application.commands import Compare, ReplayRequest
from core.application.desk import Caller
from core.application.tokens import TokenTerms
from core.words.outcome import outcome
from storage.database.clock import utc_now
from storage.people.tokens import Tokens
from tests.bot.room.serving import SHELL, Served, served
from tests.trust.loop_watch import MAKERS, watched_loop

_KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
PROGRAM = service_of("program", "")
_PAGES = ("", "/forks", "/receipt", "/receipt-{0}.json", "/live?after=1")
_FILES = ("md", "json", "html", "sarif")
_CALLS = ("", "/wait?seconds=0", "/receipt", *(f"/export?form={f}" for f in (*_FILES, "play")))
_TOOLS = ("wait_debate", "get_verdict")
_RESOURCES = ("verdict", "transcript", "findings.sarif")


async def test_pages_files_and_receipts_are_made_beside_the_loop(tmp_path: Path) -> None:
    """The same for people's browsers and for programs."""
    async with served(tmp_path, DEBATE_SIGNING_KEY=_KEY) as room:
        id = (await room.debate(rounds=1)).id
        for path in (*_PAGES, *(f"/debate-{{0}}.{form}" for form in _FILES)):
            with watched_loop(MAKERS) as seen:
                address = f"{room.bot.address}/d/{id}{path.format(id)}"
                async with room.web.get(address) as answer:
                    assert answer.status == 200, path
                    await answer.content.readany()
            assert not seen, (path, seen)
        id, head = (
            (await room.debate(asker=PROGRAM, place=PROGRAM, rounds=1)).id,
            await bearer(room),
        )
        for path in _CALLS:
            with watched_loop(MAKERS) as seen:
                address = f"{room.bot.address}/api/v1/debates/{id}{path}"
                async with room.web.get(address, headers=head) as answer:
                    assert answer.status == 200, path
                    await answer.read()
            assert not seen, (path, seen)
        request = [("tools/call", {"name": each, "arguments": {"debate": id}}) for each in _TOOLS]
        request += [("resources/read", {"uri": f"debate://{id}/{each}"}) for each in _RESOURCES]
        for method, params in request:
            with watched_loop(MAKERS) as seen:
                assert "error" not in await answer_of(room, head, method, params)
            assert not seen, (params, seen)


async def test_the_end_of_a_debate_and_what_the_desk_shows_is_made_beside_the_loop(
    room: Served,
) -> None:
    with watched_loop((outcome,)) as seen:
        first = (await room.debate(rounds=1)).id
    assert not seen, seen
    second = (await room.debate(rounds=1)).id
    for request in (Compare(first, second), ReplayRequest(first)):
        with watched_loop(MAKERS) as seen:
            answer = await room.parts.desk.take(request, Caller(SHELL, SHELL, "one"))
        assert answer.ok, answer.text
        assert not seen, (request, seen)


async def bearer(room: Served) -> dict[str, str]:
    """Returns the head that a program's requests have."""
    terms = TokenTerms("program", ("read", "start", "act"), 5.0, days=1)
    store = Tokens(room.parts.stores.database)
    return {"Authorization": f"Bearer {(await make_token(store, PROGRAM, terms, utc_now()))[1]}"}


async def answer_of(
    room: Served, head: dict[str, str], method: str, params: dict[str, Any], status: int = 200
) -> Any:
    """Returns the answer of the assistants' protocol."""
    heads = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    url = f"{room.bot.address}/mcp"
    async with room.web.post(url, json=body, headers=head | heads) as answer:
        assert answer.status == status
        return await answer.json()
