"""The person at the machine sees and changes in the room which repositories channels follow."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet

from bot.forges.rules import Rules, rules_of
from tests.bot.room.serving import Served, served
from tests.standins.github import GitHubStandIn

CHANNEL = "slack:T1/C1"


async def rules(room: Served) -> dict[tuple[str, str], Rules]:
    bound = await room.parts.stores.places.bindings()
    return {(one.place, one.repository): rules_of(one.rules) for one in bound}


def entered(page: str, number: int) -> dict[str, Any]:
    """Returns the values in the fields of one form."""
    form = re.findall(r"<form method=\"post\" action=\"/repositories\">.*?</form>", page, re.DOTALL)
    inputs = re.findall(r'<input [^>]*name="(\w+)"[^>]* value="([^"]*)"', form[number])
    chosen = re.findall(
        r'<select [^>]*name="(\w+)"[^>]*>.*?<option value="(\w+)" selected', form[number]
    )
    return {name: html.unescape(value) for name, value in (*inputs, *chosen)}


async def test_a_binding_is_made_changed_and_taken_back(tmp_path: Path) -> None:
    async with (
        GitHubStandIn().running() as github,
        served(tmp_path, DEBATE_PRIVATE_WORKSPACES="slack:T1", GITHUB_API_URL=github.url) as room,
    ):
        _, page, _ = await room.get("/schedules")
        assert 'href="/repositories"' in page
        _, page, _ = await room.get("/repositories")
        form = entered(page, 0) | {"token": await room.token()}
        assert (form["labels"], form["on"], form["forge"]) == ("debate", "comment,push", "github")

        status, page, _ = await room.post("/repositories", **form | {"repository": "o/r"})
        assert (status, "Name a repository" in page) == (400, True)
        named = form | {"repository": "o/r", "channel": CHANNEL}
        status, page, _ = await room.post("/repositories", **named | {"budget": "lots"})
        assert (status, "budget takes" in page) == (400, True)
        assert entered(page, 0)["channel"] == CHANNEL  # what was typed is still there
        gone = named | {"budget": "lots", "number": "7"}  # a form that the page has no more
        status, page, _ = await room.post("/repositories", **gone)
        assert (status, "budget takes" in page) == (400, True)
        status, page, _ = await room.post("/repositories", **named | {"quiet": "late"})
        assert (status, "Quiet hours are written like 22-7" in page) == (400, True)
        assert await rules(room) == {}
        status, page, _ = await room.post("/repositories", **named | {"channel": "slack:T2/C1"})
        assert (status, "DEBATE_PRIVATE_WORKSPACES does not name slack:T2" in page) == (400, True)
        assert (await room.post("/repositories", **named))[0] == 303
        assert await rules(room) == {(CHANNEL, "o/r"): Rules()}

        _, page, _ = await room.get("/repositories")
        assert "slack:T1/C1, o/r: Starts a debate: the label debate" in page
        form = entered(page, 0) | {"token": await room.token()}
        assert (form["repository"], form["channel"]) == ("o/r", CHANNEL)
        changed = form | {"on": "opened,push", "quiet": "22-7", "request_changes": "yes"}
        assert (await room.post("/repositories", **changed))[0] == 303
        assert await rules(room) == {
            (CHANNEL, "o/r"): Rules(comments=False, opened=True, quiet="22-7", request_changes=True)
        }
        assert (await room.post("/repositories", **form | {"do": "off"}))[0] == 303
        assert await rules(room) == {}


async def test_what_the_app_needs_first_is_a_list_of_steps(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        _, page, _ = await room.get("/repositories")
    assert "<p>Before the GitHub App on github.com can be made:</p>" in page
    [steps] = re.findall(r"<ol>(.*?)</ol>", page)
    first, *_, last = re.findall(r"<li>(.*?)</li>", steps)
    assert first.startswith("Set DEBATE_SIGNING_KEY")
    assert last == "Type it again: debate setup github --app"
    assert "setup github OWNER/REPO" not in page, "the form is there"


async def test_the_app_is_made_by_a_button(tmp_path: Path) -> None:
    sealing = Fernet.generate_key().decode()
    async with served(tmp_path, DEBATE_SIGNING_KEY="ab" * 32, DEBATE_SECRET_KEY=sealing) as room:
        _, page, _ = await room.get("/repositories")
    [(address, label)] = re.findall(r'<p><a class="button main" href="([^"]*)">([^<]*)</a>', page)
    assert label == "Create the GitHub App"
    assert "/github/app/new?state=" in address
    assert page.count(address) == 1
