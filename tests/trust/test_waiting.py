"""Requests that are kept open keep nobody else out: pages that are followed, programs that wait."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from adapters.routes import waiting
from tests.bot.room.serving import Served, served
from tests.trust.test_documents_beside import PROGRAM, answer_of, bearer


async def test_one_person_follows_so_many_pages_and_others_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MOST", 3)
    async with served(tmp_path) as room:
        debate = await room.debate(vote_window=600.0, wait=False)
        address = f"{room.bot.address}/d/{debate.id}/live"
        async with AsyncExitStack() as followed:
            for _ in range(3):
                page = await followed.enter_async_context(room.web.get(address))
                assert page.status == 200
            async with room.web.get(address) as one_more:
                assert one_more.status == 429
            assert (await room.get(f"/d/{debate.id}"))[0] == 200


async def test_a_token_waits_so_often_and_no_more(
    monkeypatch: pytest.MonkeyPatch, room: Served
) -> None:
    id = (await room.debate(asker=PROGRAM, place=PROGRAM, rounds=1)).id
    head, other = await bearer(room), await bearer(room)
    monkeypatch.setattr(waiting, "MOST", 0)
    address = f"{room.bot.address}/api/v1/debates/{id}"
    async with room.web.get(f"{address}/wait", headers=head) as answer:
        assert (answer.status, (await answer.json())["status"]) == (429, 429)
    async with room.web.get(address, headers=head) as answer:
        assert answer.status == 200
    params = {"name": "get_verdict", "arguments": {"debate": id}}
    assert "are waiting" in str(await answer_of(room, head, "tools/call", params, status=429))
    monkeypatch.setattr(waiting, "MOST", 1)
    assert "error" not in await answer_of(room, other, "tools/call", params)
