"""Which hosts a client may ask, and through which proxy."""

from __future__ import annotations

import pytest

from adapters.network import PUBLIC, HostNotAllowed, HostReach, not_allowed_behind, reach_of
from adapters.network.programs import PinnedRoute, route_to
from adapters.network.reach import on_this_machine, proxy_for

FORGE = reach_of("https://git.acme.example/api", own=("github.com", ".github.com"))


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_only_hosts_within_reach_may_be_asked() -> None:
    for host in ("git.acme.example", "GIT.acme.example.", "raw.git.acme.example", "github.com"):
        FORGE.require_host(host)
    FORGE.require_host("api.github.com")
    for host in ("acme.example", "evilgit.acme.example", "evilgithub.com", ""):
        with pytest.raises(HostNotAllowed, match="is not among the hosts"):
            FORGE.require_host(host)


def test_an_address_in_place_of_a_name_is_checked_at_once() -> None:
    PUBLIC.require_host("93.184.216.34")
    for host in ("10.0.0.8", "[::1]"):
        with pytest.raises(HostNotAllowed, match="inside the network"):
            PUBLIC.require_host(host)
    reach_of("http://10.0.0.8:8080").require_host("10.0.0.8")
    with pytest.raises(HostNotAllowed, match="that nothing may ask"):
        reach_of("http://169.254.169.254").require_host("169.254.169.254")


def test_every_address_of_a_name_must_be_allowed() -> None:
    PUBLIC.require_addresses("docs.example.com", ["93.184.216.34", "2606:2800:220:1::1"])
    FORGE.require_addresses("git.acme.example", ["10.0.0.8", "93.184.216.34"])
    FORGE.require_addresses("raw.git.acme.example", ["10.0.0.8"])
    for host, addresses, why in (
        ("docs.example.com", ["93.184.216.34", "10.0.0.8"], "inside the network"),
        ("github.com", ["10.0.0.8"], "inside the network"),
        ("git.acme.example", ["10.0.0.8", "169.254.169.254"], "that nothing may ask"),
        ("git.acme.example", ["no address"], "that nothing may ask"),
        ("git.acme.example", [], "leads nowhere"),
    ):
        with pytest.raises(HostNotAllowed, match=why):
            FORGE.require_addresses(host, addresses)


def test_a_proxy_is_one_host_more_that_may_be_inside() -> None:
    reach = HostReach(("slack.com",)).with_host("Proxy.acme.example.")
    reach.require_host("proxy.acme.example")
    reach.require_host("slack.com")
    reach.require_addresses("proxy.acme.example", ["10.0.0.8"])
    with pytest.raises(HostNotAllowed):
        reach.require_host("docs.example.com")
    with pytest.raises(HostNotAllowed):
        reach.require_addresses("slack.com", ["10.0.0.8"])
    assert PUBLIC.with_host("proxy.acme.example").hosts is None


def test_a_service_s_own_hosts_are_public_though_they_are_configured() -> None:
    reach = reach_of("https://github.com", "", own=("github.com",))
    assert reach == HostReach(("github.com",), ())


def test_this_machine_is_known_by_its_text() -> None:
    for url in ("http://localhost:1", "http://127.0.0.2/x", "http://[::1]:1/"):
        assert on_this_machine(url), url
    for url in ("http://10.0.0.8", "http://localhost.example", ""):
        assert not on_this_machine(url), url


def test_the_proxy_is_the_environment_s(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proxy_for("https://docs.example.com") is None
    monkeypatch.setenv("all_proxy", "socks5://all.example:1")
    monkeypatch.setenv("http_proxy", "plain.example:3128")
    monkeypatch.setenv("no_proxy", "git.acme.example")
    assert proxy_for("http://docs.example.com") == "http://plain.example:3128"
    assert proxy_for("ws://docs.example.com") == "http://plain.example:3128"
    assert proxy_for("https://docs.example.com") == "socks5://all.example:1"
    assert proxy_for("wss://docs.example.com") == "socks5://all.example:1"
    for direct in ("http://git.acme.example", "http://localhost:1", "http://127.0.0.1"):
        assert proxy_for(direct) is None


def test_a_refusal_is_found_behind_a_library_s_error() -> None:
    refusal = HostNotAllowed("no")

    class Wrapping(Exception):
        os_error: BaseException | None = None
        reason: BaseException | None = None

    by_os_error, by_reason = Wrapping(), Wrapping()
    by_os_error.os_error, by_reason.reason = refusal, refusal
    from_cause, while_handling = ValueError(), ValueError()
    from_cause.__cause__ = by_reason
    while_handling.__context__ = ValueError()
    while_handling.__context__.__context__ = refusal
    for error in (refusal, by_os_error, by_reason, from_cause, while_handling):
        assert not_allowed_behind(error) is refusal
    assert not_allowed_behind(Wrapping()) is None


async def test_a_program_is_led_past_the_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = reach_of("http://127.0.0.1")
    assert await route_to("http://127.0.0.1/x", inside) == PinnedRoute("http", "", "")
    named = reach_of("http://localhost")
    for url, port in (
        ("http://localhost/", 80),
        ("https://localhost", 443),
        ("x://localhost:9", 9),
    ):
        pinned = (await route_to(url, named)).pinned
        assert pinned.startswith(f"localhost:{port}:")
        assert set(pinned.removeprefix(f"localhost:{port}:").split(",")) <= {"127.0.0.1", "[::1]"}
    for url in ("http://localhost/", "http://127.0.0.1/"):
        with pytest.raises(HostNotAllowed):
            await route_to(url, PUBLIC)
    monkeypatch.setenv("https_proxy", "http://proxy.example:1")
    assert await route_to("https://93.184.216.34/", PUBLIC) == PinnedRoute(
        "https", "http://proxy.example:1", ""
    )
    with pytest.raises(HostNotAllowed):
        await route_to("https://10.0.0.8/", PUBLIC)
