"""The loop on a GitHub Enterprise host, with an App of its own: it is made, installed, sends
events, is read and written with; github.com gets no request.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientSession

from adapters.forges.github.app import manifest
from adapters.forges.port import Host
from bot.shell.playing.run import shell_caller
from core.application.commands import Setup
from core.debate.errors import BadInput
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from tests.bot.forges.test_loop import installed
from tests.bot.forges.town import NUMBER, PLACE, REPO, SEALING, Town, diff, town
from tests.standins.github_enterprise import enterprise

OWN = "git.acme.com"
ENV = SEALING | {
    "DEBATE_GITHUB_HOSTS": OWN,
    "GITHUB_TOKEN": "",
    "GITHUB_WEBHOOK_SECRET": "",
    "GITHUB_API_URL": "http://127.0.0.1:9",  # nobody listens there
}


async def made(t: Town) -> None:
    """Makes the App on that host, by the link that the operator's shell prints."""
    text = (await t.bot.desk.take(Setup(), shell_caller("shell:me"))).text
    link = re.search(rf"on {OWN} within half an hour, while the bot runs: (\S+)", text)
    assert link is not None, text
    t.github.app.manifests["fresh"] = manifest("https://bot.example")
    given = {"state": parse_qs(urlsplit(link[1]).query)["state"][0], "code": "fresh"}
    async with (
        ClientSession() as session,
        session.get(f"{t.hooks}/github/app/made", params=given) as answer,
    ):
        assert answer.status == 200, await answer.text()


async def test_from_the_link_to_a_resolved_thread(tmp_path: Path) -> None:
    first = diff(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"])
    async with town(tmp_path, env=ENV, diff=first, private=True) as t, enterprise(t.github) as own:
        t.bot.forges.context.connections.library.hosts[OWN] = Host("github", f"{own}/api/v3")  # type: ignore[index]  # theirs is https
        t.host, secret = OWN, t.github.app.webhook_secret
        t.github.app.page = f"{own}/github-apps/debatebot-of-acme"
        with pytest.raises(BadInput, match="no GitHub App on git"):
            await t.bot.forges.setup.install_link(OWN, "slack:T1", "slack:T1/U1")
        await made(t)
        await installed(t)
        token = t.bot.forges.context.connections.token
        assert (await token(OWN, REPO, PLACE)).startswith("ghs_")
        assert await token("github.com", REPO, PLACE) == ""
        assert await token(OWN, REPO, "slack:T2/C9") == ""
        bound = await t.ask(f"setup github {OWN}/{REPO} --labels debate --on push")
        assert f"pull requests of {OWN}/{REPO}" in bound.text

        label = {"name": "debate"}
        assert await t.tell("pull_request", "labeled", label=label, secret="another") == 401
        assert await t.tell("pull_request", "labeled", label=label, secret=secret) == 202
        debate = await t.settle()
        assert debate.open.material.source == f"https://{OWN}/{REPO}/pull/{NUMBER}"
        await t.approve()
        assert t.threads() == [("src/a.py", 11, False), ("src/b.py", 11, False)]
        t.pull.push("c" * 40, diff(a=["x = 1 # fine now"], b=["y = 2 # BUG two"]))
        await t.tell("pull_request", "synchronize", secret=secret)
        rerun = await t.settle()
        states = {m.wording.title: m.state for m in merge_findings(rerun)}
        assert states == {"Defect one": FindingState.RESOLVED, "Defect two": FindingState.OPEN}
        await t.approve()
        assert t.threads() == [("src/a.py", 11, True), ("src/b.py", 11, False)]
        tokens = {one.authorization for one in t.github.seen if one.path.startswith("/repos/")}
        assert all("ghs_" in token for token in tokens)
