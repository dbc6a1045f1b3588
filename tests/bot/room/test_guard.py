"""The guard stands before every page."""

from __future__ import annotations

import asyncio
from pathlib import Path

from aiohttp import ClientSession

from bot.serve.platforms import seat_pictures
from core.words.views.language.faces import FACES
from tests.bot.room.serving import served


async def test_nothing_foreign_may_run_load_or_frame_a_page_and_no_cache_keeps_a_debate(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, DEBATE_SIGNING_KEY="0" * 64) as room:
        id = (await room.settled()).id
        files = [f"/d/{id}/debate-{id}.{form}" for form in ("md", "json", "html", "sarif")]
        for path in (*files, f"/d/{id}", f"/d/{id}/receipt", f"/d/{id}/receipt-{id}.json", "/"):
            status, _, headers = await room.get(path)
            assert (status, headers["Cache-Control"]) == (200, "no-store"), path
        for path in ("/", f"/d/{id}", "/d/nosuchid", f"/d/{id}/debate-{id}.html", "/nowhere"):
            _, page, headers = await room.get(path)
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["X-Frame-Options"] == "DENY"
            assert headers["X-Content-Type-Options"] == "nosniff"
            if "attachment" not in headers.get("Content-Disposition", ""):
                assert "<style" not in page
                assert " style=" not in page
                assert " onclick=" not in page


async def raw_status(port: int, path: bytes, cookie: bytes) -> bytes:
    """Returns the status of an answer to a cookie that no client sends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = b"GET %b HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nCookie: %b\r\n\r\n"
    writer.write(head % (path, port, cookie))
    line = await reader.readline()
    writer.close()
    return line.split()[1]


async def test_assets_pictures_odd_bytes_and_pages_that_are_not_there(tmp_path: Path) -> None:
    public = "https://debates.example.com"
    pictures = seat_pictures(public)
    assert pictures.keys() == FACES
    async with served(tmp_path) as room, ClientSession() as anybody:
        _, page, _ = await room.get("/")
        address = next(part for part in page.split('"') if part.endswith(".css"))
        status, css, headers = await room.get(address)
        assert (status, headers["Content-Encoding"]) == (200, "gzip")
        assert "immutable" in headers["Cache-Control"]
        assert "@media print" in css
        assert (await room.get("/assets/room.css"))[0] == 404
        for address in pictures.values():  # Discord asks for them without signing in
            async with anybody.get(room.bot.address + address.removeprefix(public)) as answer:
                assert (answer.status, answer.content_type) == (200, "image/webp")
                assert (await answer.read())[8:12] == b"WEBP"
        for path in ("/d/nosuchid", "/nowhere", "/d/nosuchid/live"):
            status, page, _ = await room.get(path)
            assert (status, "<h1>Not found</h1>" in page) == (404, True)
        for odd in ({"X-Token": "\udcff"}, {"Cookie": "notice=YQ.\udcff"}):
            assert (await room.post("/press", odd, action="pause", value="x"))[0] in (401, 403)
            assert (await room.get("/", **odd))[0] in (200, 303)
        port = int(room.bot.address.rpartition(":")[2])
        for cookie in (b"notice=\xff.x", b"room-%d=\xff" % port):
            assert await raw_status(port, b"/nowhere", cookie) == b"404"
            assert await raw_status(port, b"/sign-in", cookie) == b"200"


async def test_a_form_says_what_only_our_page_can_know(tmp_path: Path) -> None:
    async with served(tmp_path, DEBATE_SCRIPTED_LATENCY="600") as room:
        id = (await room.debate(wait=False, vote_window=600.0)).id
        token = await room.token()
        form = {"action": "pause", "value": id}
        assert (await room.post("/press", {}, **form))[0] == 403
        assert (await room.post("/press", {}, token="0" * 32, **form))[0] == 403
        elsewhere = {"Origin": "https://evil.example"}
        assert (await room.post("/press", elsewhere, token=token, **form))[0] == 403
        crossed = {"Sec-Fetch-Site": "cross-site"}
        assert (await room.post("/press", crossed, token=token, **form))[0] == 403
        assert (await room.load(id)).paused is None
        own = {"Origin": room.bot.address, "Sec-Fetch-Site": "same-origin"}
        status, _, headers = await room.post("/press", own, token=token, **form)
        assert (status, headers["Location"]) == (303, f"/d/{id}")
        _, page, _ = await room.get(f"/d/{id}")
        assert "pausing" in page
        _, again, _ = await room.get(f"/d/{id}")
        assert "pausing" not in again
