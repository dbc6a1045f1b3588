"""The texts that people paste into the start page's field, and the debates that they start."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from adapters.room.incoming.starting import TakenFor, take
from core.debate.events import DebateRequest
from tests.bot.room.serving import Served, served
from tests.patience import PATIENCE
from tests.project import ROOT

PLAIN = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n"
WINDOWS = ("diff --git a/a.py b/a.py\n" + PLAIN).replace("\n", "\r\n")
MAILED = "From: Ann\nSubject: b is three\n\n---\n" + PLAIN


def test_what_a_text_is_taken_for() -> None:
    cases: list[tuple[str, TakenFor, str]] = [
        (PLAIN, TakenFor.CHANGE, "code_review"),
        (PLAIN.replace("\n", "\r\n"), TakenFor.CHANGE, "code_review"),
        (WINDOWS, TakenFor.CHANGE, "code_review"),
        (MAILED, TakenFor.CHANGE, "code_review"),
        ("\n\n" + PLAIN, TakenFor.CHANGE, "code_review"),
        ("https://github.com/acme/shop/pull/412", TakenFor.LINK, "code_review"),
        ("acme/shop#412", TakenFor.LINK, "code_review"),
        ("acme/shop#412 breaks our build", TakenFor.QUESTION, "panel"),
        ("Which of both is better?", TakenFor.QUESTION, "panel"),
        ("One\n--- two\nthree\nfour", TakenFor.TEXT, "panel"),
        ("hello", TakenFor.UNCLEAR, ""),
        ("/debate list", TakenFor.COMMAND, ""),
    ]
    for typed, what, template in cases:
        assert take(typed) is what
        assert what.template == template


async def started(room: Served, target: str, **more: str) -> DebateRequest:
    """Sends the form of a new debate, and returns the request that was stored."""
    form = {"token": await room.token(), "target": target, **more}
    status, _, headers = await room.post("/new", {}, **form)
    assert status == 303
    return (await room.load(headers["Location"].removeprefix("/d/"))).request


async def test_a_pasted_diff_is_reviewed_and_hello_starts_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        form = {"token": await room.token()}
        status, page, _ = await room.post("/new", {}, **form, target="hello")
        assert status == 400
        assert "Too short for a question" in page
        _, body, _ = await room.post("/new", {}, **form, target=WINDOWS, do="look")
        assert json.loads(body)["text"] == "Taken for a change of code: Code Review."
        _, body, _ = await room.post("/new", {}, **form, target="/debate list", do="look")
        assert json.loads(body)["text"].startswith("Taken for a command.")
        czech = {"Accept-Language": "cs"}
        _, body, _ = await room.post("/new", czech, **form, target=WINDOWS, do="look")
        assert json.loads(body)["text"] == "Přijato jako změna kódu: Revize kódu."
        assert await room.parts.stores.debates.find_recent() == []
        assert (await started(room, WINDOWS)).template == "code_review"
        request = await started(room, f"please look\n```diff\n{PLAIN}```")
        assert (request.template, request.target) == ("code_review", "please look")
        assert request.text == PLAIN
        blank = PLAIN.replace("-1,2 +1,2", "-1,3 +1,3") + " \n"
        request = await started(room, blank)
        assert request.text == blank, "a diff may end in a line that is one blank"
        _, page, _ = await room.get("/new?example=1")
        assert "pictures-in-folders.diff</b> is attached" in page


CHANGE = (ROOT / "examples" / "02-remember-rights.diff").read_text("utf-8")


async def test_a_form_says_how_many_openings_and_a_slip_in_a_templates_name_is_corrected(
    tmp_path: Path,
) -> None:
    """As in a chat and in a shell, also without "/debate" before it."""
    async with served(tmp_path) as room:
        form = {"token": await room.token()}
        link = "https://github.com/o/r/pull/412"
        for typed in (f"code_reviw {link}", f"/debate code_reviw {link}"):
            status, page, _ = await room.post("/new", {}, **form, target=typed)
            assert status == 400
            assert "Did you mean code_review?" in page
        question = "Should the jobs move?"  # a link would be read, by a server that is not here
        request = await started(room, f"design-doc {question}")
        assert (request.template, request.target) == ("design_doc", question)

        _, page, _ = await room.get("/new")
        assert 'name="openings"' in page
        form |= {"template": "code_review", "attached": CHANGE, "attached_name": "rights.diff"}
        form |= {"format": "contested", "openings": "10"}
        _, page, _ = await room.post("/new", {}, **form)
        assert "3 to 9" in page
        status, _, headers = await room.post("/new", {}, **form | {"openings": "5"})
        assert status == 303
        id = headers["Location"].rpartition("/")[2]
        async with asyncio.timeout(PATIENCE):
            while (debate := await room.load(id)).opened is None:  # noqa: ASYNC110 (a database has no event)
                await asyncio.sleep(0.02)
        assert len([t for t in debate.script if t.independent]) == 5
