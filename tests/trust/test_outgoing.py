"""Everything that leaves goes through one place, which refuses what lies inside: over real sockets,
with a name server of our own.
"""

from __future__ import annotations

import ast
import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import aiohttp
import pytest
from aiohttp import web

from adapters.discord.settings import DiscordSettings
from adapters.discord.setup.diagnosis import diagnose
from adapters.forges.wire import WireLimits, open_wire
from adapters.material.web import WebRules, fetch
from adapters.models.wire import Http
from adapters.network import PUBLIC, HostNotAllowed, HostReach, not_allowed_behind, reach_of
from adapters.network.blocking import opener
from adapters.network.programs import route_to
from adapters.network.session import session
from adapters.network.vendors import allow_vendors, hold_httpx
from adapters.processes.git import fetching
from adapters.room.setup.providers import ask
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from core.application.check import DoctorState
from core.debate.errors import BadInput, CouldNotFinish, ModelError
from tests.project import ROOT

_CLIENTS = {
    "ClientSession", "TCPConnector", "UnixConnector", "urlopen", "build_opener", "urlretrieve",
    "AsyncClient", "HTTPConnection", "HTTPSConnection", "create_connection", "open_connection",
    "create_datagram_endpoint", "getaddrinfo", "socket", "AsyncWebClient", "SlackClient",
    "WebClient",
    "SocketModeClient", "DDGS", "Client", "AutoShardedClient",
}  # fmt: skip
"""The calls that open a connection, or make a client of somebody's library."""

ELSEWHERE = {
    ("adapters/slack/workspaces.py", "SlackClient"): "with our session, or it is not made",
    ("adapters/discord/setup/diagnosis.py", "Client"): "with our connector",
    ("adapters/discord/setup/manifest.py", "Client"): "never connects",
    ("adapters/discord/app.py", "Client"): "our own class, with our connector",
    ("adapters/models/search.py", "DDGS"): "one fixed host, off unless enabled, our proxy",
    ("bot/doctor/configured.py", "create_connection"): "to the room's own port on this machine",
}
"""The modules that make one all the same, and why none is a second way out."""


_MAY_MAKE = re.compile(rf"\b(?:{'|'.join(sorted(_CLIENTS))})\s*\(")


def _made(source: str) -> Iterator[str]:
    if not _MAY_MAKE.search(source):
        return  # parsing every module takes a second and more
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in _CLIENTS:
                yield name


def test_no_client_is_made_elsewhere() -> None:
    files = [p for top in ("adapters", "bot", "core") for p in (ROOT / top).rglob("*.py")]
    makers = {
        (str(path.relative_to(ROOT)), name)
        for path in files
        if path.parent.name != "network"
        for name in _made(path.read_text("utf-8"))
    }
    assert makers == set(ELSEWHERE)


def test_the_finder_finds_what_it_looks_for() -> None:
    source = "import aiohttp\nasync def f():\n    async with aiohttp.ClientSession() as s: ...\n"
    assert list(_made(source)) == ["ClientSession"]


@dataclass
class Inside:
    """A service on this machine that must not be reached, and the requests that reached it."""

    port: int = 0
    requests: list[str] = field(default_factory=list)
    leads: str = ""


@pytest.fixture
async def inside() -> AsyncIterator[Inside]:
    server = Inside()

    async def answer(request: web.Request) -> web.StreamResponse:
        server.requests.append(str(request.raw_path if "//" in request.raw_path else request.path))
        if server.leads and request.path == "/away":
            return web.Response(status=302, headers={"Location": server.leads})
        return web.json_response({"ok": True, "team_id": "T1", "user_id": "U1"})

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.port = runner.addresses[0][1]
    yield server
    await runner.cleanup()


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Resolves names; every other name leads to this machine. Each answer, which may be several
    addresses, is given once, the last for good.
    """
    known: dict[str, list[str]] = {}

    def look_up(host: object, port: object, *_: object, **__: object) -> list[object]:
        answers = known.get(str(host), ["127.0.0.1"])
        addresses = (answers.pop(0) if len(answers) > 1 else answers[0]).split()
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (x, port or 0)) for x in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return known


@contextmanager
def refused(*kinds: type[Exception]) -> Iterator[None]:
    """Expects an error of these kinds because an address is not allowed."""
    with pytest.raises(kinds or aiohttp.ClientError) as caught:
        yield
    assert not_allowed_behind(caught.value) is not None


async def _slack() -> None:
    workspaces = Workspaces(SlackSettings(bot_token="xoxb-1"))
    await workspaces.open()
    try:
        await workspaces.make_client("xoxb-1").auth_test()
    finally:
        await workspaces.close()


async def _models() -> None:
    http = Http()
    try:
        await http.get("https://api.openai.com/v1/models", {}, most=1000)
    finally:
        await http.aclose()


async def _forge() -> None:
    api, now = "https://api.github.com", datetime.now(UTC)
    async with open_wire(None, api, "GitHub", WireLimits(), now) as wire:
        await wire.get("/repos/a/b", {})


async def _page() -> None:
    await fetch("https://docs.example.com/plan", WebRules())


async def _sign_in() -> None:
    await ask("Slack", "GET", "https://slack.com/api/openid.connect.token", object)


async def _vendor() -> None:
    import httpx

    await asyncio.to_thread(hold_httpx)
    async with httpx.AsyncClient() as client:
        await client.get("https://bedrock-runtime.us-east-1.amazonaws.com/")


async def _standard_library() -> None:
    await asyncio.to_thread(opener(PUBLIC).open, "https://weights.example.com/model.gguf")


@pytest.mark.parametrize(
    "client",
    [_slack, _models, _forge, _page, _sign_in, _vendor, _standard_library],
    ids=lambda made: made.__name__.strip("_"),
)
@pytest.mark.usefixtures("only_this_machine")
async def test_no_client_goes_inside_under_a_public_name(
    client: Callable[[], Awaitable[None]], name_server: dict[str, list[str]]
) -> None:
    names = (
        "slack.com", "api.openai.com", "api.github.com", "docs.example.com",
        "bedrock-runtime.us-east-1.amazonaws.com", "weights.example.com",
    )  # fmt: skip
    for address in ("127.0.0.1", "10.0.0.8", "169.254.169.254"):
        name_server |= {name: [address] for name in names}
        with refused(OSError, aiohttp.ClientError, ModelError, CouldNotFinish, BadInput):
            await client()


async def test_discord_goes_inside_under_no_public_name(
    name_server: dict[str, list[str]],
) -> None:
    checks = await diagnose(DiscordSettings(token="token"))
    assert [each.state for each in checks] == [DoctorState.BROKEN]
    assert "cannot be reached" in checks[0].what


async def test_what_the_operator_named_may_be_inside(
    inside: Inside, name_server: dict[str, list[str]]
) -> None:
    base = f"http://git.acme.example:{inside.port}"
    async with session(reach_of(base)) as client, client.get(f"{base}/x") as answer:
        assert answer.status == 200
    own = reach_of(base, own=("git.acme.example",))
    async with session(own) as client:
        with refused():
            await client.get(f"{base}/x")
    assert inside.requests == ["/x"]


async def test_a_client_asks_no_host_but_its_own(
    inside: Inside, name_server: dict[str, list[str]]
) -> None:
    base = f"http://git.acme.example:{inside.port}"
    async with session(reach_of(base)) as client:
        for other in ("evil.example", "git.acme.example.evil.example", "127.0.0.1", "localhost"):
            with refused():
                await client.get(f"http://{other}:{inside.port}/")
    assert inside.requests == []


@pytest.mark.parametrize(
    "to", ["http://127.0.0.1:{port}/", "http://169.254.169.254/", "http://other.example:{port}/"]
)
async def test_a_redirect_is_a_new_request(
    inside: Inside, name_server: dict[str, list[str]], to: str
) -> None:
    inside.leads = to.format(port=inside.port)
    base = f"http://git.acme.example:{inside.port}"
    async with session(HostReach(None, ("git.acme.example",))) as client:
        with refused():
            await client.get(f"{base}/away")
    with refused(OSError):
        await asyncio.to_thread(opener(HostReach(None, ("git.acme.example",))).open, f"{base}/away")
    assert inside.requests == ["/away", "/away"]


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "100.100.100.200", "fd00:ec2::254", "::ffff:169.254.169.254"]
)
async def test_credentials_of_a_cloud_are_asked_for_by_nobody(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    named = reach_of(f"http://{host}/")
    async with session(named) as client:
        with refused():
            await client.get(f"http://{host}/latest/meta-data/")


async def test_the_connection_goes_to_the_address_that_was_checked(
    inside: Inside, name_server: dict[str, list[str]]
) -> None:
    name_server["git.acme.example"] = ["127.0.0.1", "169.254.169.254"]
    base = f"http://git.acme.example:{inside.port}"
    async with session(reach_of(base), limit=1) as client:
        async with client.get(f"{base}/once", headers={"Connection": "close"}) as answer:
            assert answer.status == 200
        with refused():
            await client.get(f"{base}/twice")
    assert inside.requests == ["/once"]


async def test_a_vendor_s_connection_goes_there_too(
    inside: Inside, name_server: dict[str, list[str]]
) -> None:
    import httpx

    await asyncio.to_thread(hold_httpx)
    for number, client in enumerate((_vendor_waits, _vendor_blocks)):
        name_server[f"{number}.example.com"] = ["93.184.216.34", "127.0.0.1"]
        with refused(OSError, httpx.HTTPError):
            await client(f"http://{number}.example.com:{inside.port}/")
    assert inside.requests == []
    allow_vendors("bedrock.acme.example")
    name_server["bedrock.acme.example"] = ["127.0.0.1"]
    for client in (_vendor_waits, _vendor_blocks):
        await client(f"http://bedrock.acme.example:{inside.port}/")
    assert inside.requests == ["/", "/"]


async def test_a_vendor_s_connection_goes_to_ipv4_first(
    inside: Inside, name_server: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, connect = list[str](), socket.create_connection

    def create_connection(address: tuple[str, int], *args: object, **more: object) -> socket.socket:
        tried.append(address[0])
        return connect(address, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", create_connection)
    await asyncio.to_thread(hold_httpx)
    allow_vendors("both.acme.example")
    name_server["both.acme.example"] = ["::1 127.0.0.1"]
    await _vendor_blocks(f"http://both.acme.example:{inside.port}/")
    assert (tried, inside.requests) == (["127.0.0.1"], ["/"])


async def test_a_vendor_asks_the_proxy_too(
    inside: Inside, name_server: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(hold_httpx)
    monkeypatch.setenv("HTTP_PROXY", f"http://proxy.acme.example:{inside.port}")
    name_server["docs.example.com"] = ["93.184.216.34"]
    for client in (_vendor_waits, _vendor_blocks):
        await client("http://docs.example.com/plan")
        with refused(OSError):
            await client("http://intranet.example/")
    assert inside.requests == ["http://docs.example.com/plan"] * 2


async def _vendor_waits(url: str) -> None:
    import httpx

    async with httpx.AsyncClient() as client:
        assert (await client.get(url)).status_code == 200


async def _vendor_blocks(url: str) -> None:
    import httpx

    def ask() -> None:
        with httpx.Client() as client:
            assert client.get(url).status_code == 200

    await asyncio.to_thread(ask)


async def test_a_proxy_is_asked_instead(
    inside: Inside, name_server: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://user:word@proxy.acme.example:{inside.port}")
    monkeypatch.setenv("NO_PROXY", "git.acme.example")
    name_server["docs.example.com"] = [""]  # only the proxy can resolve it
    async with session(PUBLIC) as client:
        async with client.get("http://docs.example.com/plan") as answer:
            assert answer.status == 200
        with refused():
            await client.get("http://intranet.example/")
    with await asyncio.to_thread(opener(PUBLIC).open, "http://docs.example.com/weights") as thread:
        assert thread.status == 200
    with pytest.raises(HostNotAllowed):
        await asyncio.to_thread(opener(PUBLIC).open, "http://intranet.example/")
    assert inside.requests == ["http://docs.example.com/plan", "http://docs.example.com/weights"]
    base = f"http://git.acme.example:{inside.port}"
    async with session(reach_of(base)) as client, client.get(f"{base}/direct") as answer:
        assert answer.status == 200
    assert inside.requests[-1] == "/direct"


async def test_slack_s_own_reading_of_the_environment_changes_nothing(
    inside: Inside, name_server: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:1")
    workspaces = Workspaces(SlackSettings(api_url=f"http://127.0.0.1:{inside.port}/api/"))
    await workspaces.open()
    try:
        assert (await workspaces.make_client("xoxb-1").auth_test())["ok"]
    finally:
        await workspaces.close()
    assert inside.requests == ["/api/auth.test"]


@pytest.mark.usefixtures("name_server")
async def test_git_goes_to_the_address_that_was_checked_or_nowhere() -> None:
    with pytest.raises(HostNotAllowed, match="not among the hosts"):
        await route_to("https://example.org/o/r.git", HostReach(("github.com",)))
    url = "http://localhost:8080/o/r.git"
    route = await route_to(url, reach_of(url))
    assert (route.scheme, route.pinned) == ("http", "localhost:8080:127.0.0.1")
    variables = fetching(route)
    assert variables["GIT_ALLOW_PROTOCOL"] == "http"
    assert route.pinned in variables.values()


@pytest.mark.usefixtures("name_server")
async def test_git_behind_a_proxy_is_led_to_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    route = await route_to("https://192.0.2.7/o/r.git", reach_of("https://192.0.2.7"))
    assert (route.proxy, route.pinned) == ("http://proxy.example:3128", "")
    assert "http://proxy.example:3128" in fetching(route).values()
