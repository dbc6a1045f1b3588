"""The last entries of the log, on a page for the operator."""

from __future__ import annotations

import io
import logging
from pathlib import Path

from bot.logs import recent
from bot.serve.journal import open_journal
from tests.bot.room.serving import served

SECRET = "xoxb-very-secret"


async def test_the_log_shows_the_newest_entry_first_without_secrets_and_to_nobody_else(
    tmp_path: Path,
) -> None:
    root = logging.getLogger()
    kept = (root.handlers[:], root.level)
    try:
        open_journal("info", (SECRET,), lambda text: text, out=io.StringIO())
        for number in range(1_100):
            root.info("entry %s <b>", number, extra={"action": "tried", "token": SECRET})
        assert len(recent) == 1_000
        async with served(tmp_path) as room:
            status, page, _ = await room.get("/log")
            assert status == 200
            newest = page.index("entry 1099 &lt;b&gt;")
            assert newest < page.index("entry 1098 &lt;b&gt;")
            assert "action: tried · token: [secret]" in page
            assert "entry 1020 &lt;b&gt;" in page
            assert "entry 980 &lt;b&gt;" not in page
            assert 'href="/log?after=100"' in page
            status, page, _ = await room.get("/log?after=100")
            assert status == 200
            assert "entry 1020 &lt;b&gt;" not in page
            assert "entry 950 &lt;b&gt;" in page
            status, page, _ = await room.get("/log?after=950")
            assert (status, "entry 120 &lt;b&gt;" in page, "Older" in page) == (200, True, False)
            for odd in ("99999", "9" * 200, "-1", "x", "١"):
                assert (await room.get(f"/log?after={odd}"))[0] == 200
            assert "entry 50 &lt;b&gt;" not in page
            assert SECRET not in page
            room.web.cookie_jar.clear()
            assert (await room.get("/log"))[0] in (303, 401)
    finally:
        root.handlers[:], root.level = kept
        recent.clear()
