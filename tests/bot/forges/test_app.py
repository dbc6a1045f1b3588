"""The App: one link makes it, a person who proves to own it installs it for their workspace, and it
reads with nothing but its own short-lived tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientSession

from adapters.forges.github.app import manifest
from adapters.forges.links import ChangeLink
from adapters.forges.port import Host
from adapters.forges.refusals import NotAllowed
from adapters.routes.serving import serve_routes
from bot.forges.access.connect import ForgeConnections
from bot.forges.access.setup import AppSetup, SetupState, read_state
from core.debate.errors import BadInput, CouldNotFinish
from storage.audit import AuditLog
from tests.bot.forges.town import SEALING, Clock, Town, town
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.github_enterprise import enterprise
from tests.standins.github_state import Person
from tests.standins.serving import serving

OLGA = "github:github.com/olga"

HOST = "github.com"
OWN = "git.acme.com"


@dataclass
class Office:
    town: Town
    connections: ForgeConnections
    setup: AppSetup
    address: str

    @property
    def github(self) -> GitHubStandIn:
        return self.town.github

    @property
    def clock(self) -> Clock:
        return self.town.clock

    async def slug(self) -> str:
        """Returns the name of the App of the first host, "" without one."""
        app = await self.connections.app_of(HOST)
        return "" if app is None else app.slug

    async def get(self, path: str, **query: str) -> tuple[int, str]:
        async with (
            ClientSession() as session,
            session.get(f"{self.address}{path}", params=query) as answer,
        ):
            return answer.status, await answer.text()

    async def installed(
        self, person: Person, installation: int, workspace: str, host: str = HOST
    ) -> tuple[int, str]:
        """Installs the App on GitHub as a workspace's admin does, by the link."""
        self.github.app.codes["code"] = person
        link = await self.setup.install_link(host, workspace, f"{workspace}/U1")
        state = parse_qs(urlsplit(link).query)["state"][0]
        status, page = await self.get(
            "/github/app/installed", state=state, installation_id=f"{installation}", code="code"
        )
        match = re.search(r'name="state" value="([^"]+)"', page)
        return (status, page) if match is None else await self.give(match[1])

    async def give(self, state: str) -> tuple[int, str]:
        """Confirms that the workspace on the page gets the installation."""
        async with (
            ClientSession() as session,
            session.post(f"{self.address}/github/app/given", data={"state": state}) as answer,
        ):
            return answer.status, await answer.text()


@asynccontextmanager
async def office(folder: Path, *, app: bool = True) -> AsyncIterator[Office]:
    """Runs a bot with the App of one host, or with none, beside two hosts."""
    env = {"DEBATE_GITHUB_HOSTS": OWN, "DEBATE_PRIVATE_WORKSPACES": "slack:T1,slack:T2"}
    if not app:
        env |= {"GITHUB_TOKEN": ""} | SEALING
    clock = Clock(datetime.now(UTC))
    async with town(folder, app=app, env=env, clock=clock) as t, enterprise(t.github) as own:
        t.github.pulls["acme/shop", 1] = Pull(private=True)
        t.github.written.permissions["acme/shop", "olga"] = "admin"
        connections = t.parts.context.connections
        hosts = {HOST: connections.library.hosts[HOST], OWN: Host("github", f"{own}/api/v3")}
        connections.library.hosts.update(hosts)  # type: ignore[attr-defined]  # theirs is https
        yield Office(t, connections, t.parts.setup, t.hooks)


def test_the_manifest_on_file_is_the_one_the_code_makes() -> None:
    on_file = json.loads(Path("manifests/github.json").read_text("utf-8"))
    assert on_file == manifest("https://debatebot.example")


def test_without_a_public_address_no_webhook_is_promised() -> None:
    local = manifest("http://127.0.0.1:8765")
    assert (local["hook_attributes"]["active"], local["default_events"]) == (False, [])


async def test_one_link_makes_the_app(tmp_path: Path) -> None:
    async with office(tmp_path, app=False) as o:
        link = urlsplit(o.setup.making_link(HOST))
        status, page = await o.get(f"{link.path}?{link.query}")
        assert status == 200
        assert "settings/apps/new" in page
        assert "https://bot.example/github/events" in page
        for code in ("fresh", "another"):
            o.github.app.manifests[code] = manifest("https://bot.example")
        state = parse_qs(link.query)["state"][0]
        assert await o.slug() == ""
        status, page = await o.get("/github/app/made", state=state, code="fresh")
        assert (status, await o.slug()) == (200, "debatebot-of-acme")
        assert "BEGIN RSA" not in page
        made = await o.connections.app_of(HOST)
        for code in ("fresh", "another"):
            status, page = await o.get("/github/app/made", state=state, code=code)
            assert status == 400, "a code and a link are taken once"
            assert await o.connections.app_of(HOST) == made


async def test_a_host_gets_no_token_of_another_one(tmp_path: Path) -> None:
    """Two hosts may have an installation of one number, and a repository of one name."""
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop")
        credentials = await o.connections.app_of(HOST)
        assert credentials is not None
        tokens = []
        for host in (HOST, OWN):
            async with o.connections.wire(host) as wire:
                tokens += [
                    await o.connections.tokens.token(wire, credentials, installed.id, "acme/shop")
                    for _ in range(2)
                ]
        assert tokens[0] == tokens[1] != tokens[2] == tokens[3]


async def test_an_installation_belongs_to_the_workspace_that_proved_it(tmp_path: Path) -> None:
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop")
        owner = Person("olga", 7, {installed.id: {"acme/shop": True}})
        status, page = await o.installed(owner, installed.id, "slack:T1")
        assert (status, "Linked" in page) == (200, True)
        token = await o.connections.token("github.com", "acme/shop", "slack:T1/C9")
        assert token.startswith("ghs_")
        assert await o.connections.token("github.com", "acme/shop", "slack:T2/C9") == ""
        assert (await o.connections.token("github.com", "acme/shop", "shell:me")) == token
        lines = await AuditLog(o.town.bot.stores.database).load()
        assert [(line.who, line.surface, line.what) for line in lines] == [
            ("slack:T1/U1", "slack", "link an installation"),
            (OLGA, "forge", "give an installation"),
        ]
        status, _page = await o.installed(owner, installed.id, "slack:T2")
        assert status == 200, "the latest proof of an owner counts"
        assert await o.connections.token("github.com", "acme/shop", "slack:T1/C9") == ""
        assert (await o.connections.token("github.com", "acme/shop", "slack:T2/C9")) == token


async def test_repositories_added_later_and_lost_rights_are_asked_about(tmp_path: Path) -> None:
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop")
        owner = Person("olga", 7, {installed.id: {"acme/shop": True}})
        await o.installed(owner, installed.id, "slack:T1")
        place = "slack:T1/C9"
        assert (await o.connections.token(HOST, "acme/shop", place)).startswith("ghs_")
        installed.repositories.append("acme/payroll")  # another admin of the account adds it
        with pytest.raises(NotAllowed, match="administers acme/payroll"):
            await o.connections.token(HOST, "acme/payroll", place)
        o.github.written.permissions["acme/payroll", "olga"] = "admin"
        assert (await o.connections.token(HOST, "acme/payroll", place)).startswith("ghs_")
        o.github.written.permissions["acme/shop", "olga"] = "write"  # olga leaves the admins
        assert await o.connections.token(HOST, "acme/shop", place), "believed for an hour"
        o.clock.go(minutes=61)
        with pytest.raises(NotAllowed, match="link the App again"):
            await o.connections.token(HOST, "acme/shop", place)


async def test_the_operators_token_serves_one_team_and_never_strangers(tmp_path: Path) -> None:
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop")
        await o.connections.installations.keep(
            "github.com", installed.id, "acme", "slack:T1", "x", OLGA
        )
        hosts = {"github.com": Host("github", o.github.url, "operators")}
        library = replace(o.connections.library, hosts=hosts)
        team = replace(o.connections, library=library, shared=False)
        many = replace(team, shared=True)
        repository = ("github.com", "acme/shop")
        assert await team.token(*repository, "slack:T2/C1") == "operators"
        assert await many.token(*repository, "slack:T2/C1") == ""
        assert await many.reading(*repository, "slack:T2/C1") == "operators"  # what is public
        assert await many.token(*repository, "shell:me") != ""
        assert (await many.token(*repository, "slack:T1/C1")).startswith("ghs_")


async def test_who_only_reads_a_repository_can_give_it_to_nobody(tmp_path: Path) -> None:
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop", "acme/payroll")
        reader = Person("ron", 8, {installed.id: {"acme/shop": False}})
        half = Person("hal", 9, {installed.id: {"acme/shop": True}})
        stranger = Person("eve", 10)
        for size, person in ((100, reader), (100, half), (100, stranger), (1, half)):
            o.github.app.page_size = size  # a page that is not full is not always the last one
            status, _ = await o.installed(person, installed.id, "slack:T2")
            assert status == 400
            assert await o.connections.token("github.com", "acme/shop", "slack:T2/C1") == ""


async def test_a_link_that_is_not_ours_links_nothing(tmp_path: Path) -> None:
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop")
        owner = Person("olga", 7, {installed.id: {"acme/shop": True}})
        o.github.app.codes["code"] = owner
        for wrong in ("state", "purpose", "code", "late"):
            until = int((o.clock.now() + timedelta(minutes=5)).timestamp())
            purpose = "make" if wrong == "purpose" else "install"
            secret = "another" if wrong == "state" else o.setup.secret
            state = SetupState(purpose, "slack:T2", "slack:T2/U1", until).sign(secret)
            if wrong == "late":
                o.clock.go(minutes=6)
            code = "other" if wrong == "code" else "code"
            status, _ = await o.get(
                "/github/app/installed", state=state, installation_id=f"{installed.id}", code=code
            )
            assert status == 400, wrong
            assert await o.connections.token("github.com", "acme/shop", "slack:T2/C1") == ""


async def test_who_installed_it_is_asked_whom_they_give_it_to(tmp_path: Path) -> None:
    """The link may have come from a stranger."""
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop")
        o.github.app.codes["code"] = Person("olga", 7, {installed.id: {"acme/shop": True}})
        link = await o.setup.install_link(HOST, "slack:T2", "slack:T2/U9")
        state = parse_qs(urlsplit(link).query)["state"][0]
        status, page = await o.get(
            "/github/app/installed", state=state, installation_id=f"{installed.id}", code="code"
        )
        assert status == 200
        assert "olga, this lets the workspace slack:T2 read and review" in page
        assert "slack:T2/U9 asked for it there" in page
        assert await o.connections.token("github.com", "acme/shop", "slack:T2/C1") == ""
        assert (await o.give(state))[0] == 400  # the link alone gives nothing
        assert (await o.give("x.y"))[0] == 400
        match = re.search(r'name="state" value="([^"]+)"', page)
        assert match is not None
        assert [(await o.give(match[1]))[0] for _ in range(2)] == [200, 400]


async def test_tokens_are_short_narrow_and_kept_until_a_minute_before_their_end(
    tmp_path: Path,
) -> None:
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop", "acme/other")
        await o.connections.installations.keep(
            "github.com", installed.id, "acme", "slack:T1", "x", OLGA
        )
        place = "slack:T1/C1"
        first = await o.connections.token("github.com", "acme/shop", place)
        assert o.github.app.minted == [{"installation": installed.id, "repositories": ["shop"]}]
        o.clock.go(minutes=58)
        assert await o.connections.token("github.com", "acme/shop", place) == first
        o.clock.go(minutes=1, seconds=30)
        assert await o.connections.token("github.com", "acme/shop", place) != first
        with pytest.raises(CouldNotFinish, match="no access to acme/gone"):
            await o.connections.token("github.com", "acme/gone", place)
        installed.suspended = True
        assert "ghs_" not in (tmp_path / "debate.db").read_bytes().decode("latin-1")


async def test_a_token_that_is_refused_is_made_anew(tmp_path: Path) -> None:
    """The App's permissions were changed, or somebody revoked the token."""
    async with office(tmp_path) as o:
        installed = o.github.app.install("acme", "acme/shop")
        await o.connections.installations.keep(HOST, installed.id, "acme", "slack:T1", "x", OLGA)
        place = (HOST, "acme/shop", "slack:T1/C1")
        first = await o.connections.token(*place)
        o.github.app.tokens.clear()
        link = ChangeLink("github", HOST, "acme/shop", 1)
        with pytest.raises(NotAllowed, match="no longer accepts the stored credential"):
            async with o.connections.poster(*place) as poster:
                await poster.change(link)
        async with o.connections.poster(*place) as poster:
            assert (await poster.change(link)).private
        assert await o.connections.token(*place) != first


async def test_a_webhook_is_proved_by_the_secret_of_its_own_host(tmp_path: Path) -> None:
    async with town(tmp_path) as t:

        async def secrets() -> dict[str, str]:
            return {HOST: "of-github", OWN: "of-acme"}

        webhooks = replace(t.parts.webhooks, github_secrets=secrets)
        async with serving(serve_routes(webhooks.routes())) as t.hooks:

            async def post_event(host: str, secret: str) -> int:
                t.host = host
                return await t.tell("pull_request", "labeled", secret=secret, work=False)

            # Acme's own says nothing about github.com
            assert await post_event(HOST, "of-acme") == 400
            assert await post_event(HOST, "of-nobody") == 401
            assert await post_event(HOST, "of-github") == 202
            assert await post_event(OWN, "of-acme") == 202


def test_a_state_says_nothing_to_who_has_no_secret() -> None:
    with pytest.raises(BadInput, match="not made here"):
        read_state("x.y", "", "make", datetime(2026, 1, 1, tzinfo=UTC))
