"""The browser's form asks for the number of independent openings, for which a chat's commands have
no room.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.bot.room.serving import served
from tests.patience import PATIENCE
from tests.project import ROOT

CHANGE = (ROOT / "examples" / "02-remember-rights.diff").read_text("utf-8")


async def test_a_review_begins_with_as_many_openings_as_the_form_says(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        _, page, _ = await room.get("/new")
        assert 'name="openings"' in page
        form = {
            "token": await room.token(),
            "template": "code_review",
            "attached": CHANGE,
            "attached_name": "rights.diff",
            "format": "contested",
            "openings": "10",
        }
        _, page, _ = await room.post("/new", {}, **form)
        assert "3 to 9" in page
        status, _, headers = await room.post("/new", {}, **form | {"openings": "5"})
        assert status == 303
        id = headers["Location"].rpartition("/")[2]
        async with asyncio.timeout(PATIENCE):
            while (debate := await room.load(id)).opened is None:  # noqa: ASYNC110 (a database has no event)
                await asyncio.sleep(0.02)
        assert len([t for t in debate.script if t.independent]) == 5
