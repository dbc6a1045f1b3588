"""The page of a debate, as it goes to a browser."""

from __future__ import annotations

import re
from pathlib import Path

from tests.bot.room.serving import served


async def test_it_is_the_same_for_its_first_reader_and_the_next_packed_or_not(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as room:
        debate = await room.debate()
        await room.get("/")  # a cookie: with it all forms say the same
        pages = [
            await room.get(f"/d/{debate.id}", **{"Accept-Encoding": how})
            for how in ("identity", "gzip", "identity")
        ]
        assert [headers.get("Content-Encoding") for *_, headers in pages] == [None, "gzip", None]
        first, *others = [page for _, page, _ in pages]
        assert others == [first, first]
        _, _, transcript = first.partition('<div id="rounds">')
        spoken = [f"turn-{turn.id}" for turn in debate.turns if turn.id in debate.finished]
        assert re.findall(r'<article class="turn" id="([^"]*)"', transcript) == spoken
        assert first.rstrip().endswith("</html>")


async def test_its_head_alone_has_no_body(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        id = (await room.debate()).id
        async with room.web.head(f"{room.bot.address}/d/{id}") as answer:
            assert answer.status == 200
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert await answer.read() == b""
