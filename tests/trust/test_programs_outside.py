"""A program of its own (git) goes to the address that was checked, or nowhere."""

from __future__ import annotations

import pytest

from adapters.network import HostNotAllowed, HostReach, reach_of
from adapters.network.programs import route_to
from adapters.processes.git import fetching


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


async def test_a_host_that_is_not_listed_is_refused() -> None:
    with pytest.raises(HostNotAllowed, match="not among the hosts"):
        await route_to("https://example.org/o/r.git", HostReach(("github.com",)))


@pytest.mark.parametrize("url", ["http://localhost:1/o/r.git", "http://127.0.0.1:1/o/r.git"])
async def test_a_name_that_leads_inside_is_refused(url: str) -> None:
    with pytest.raises(HostNotAllowed, match="inside the network"):
        await route_to(url, HostReach(None))


async def test_what_the_operator_named_is_pinned_to_what_it_led_to() -> None:
    url = "http://localhost:8080/o/r.git"
    route = await route_to(url, reach_of(url))
    assert route.scheme == "http"
    assert route.pinned.startswith("localhost:8080:")
    assert "127.0.0.1" in route.pinned or "[::1]" in route.pinned
    variables = fetching(route)
    assert variables["GIT_ALLOW_PROTOCOL"] == "http"
    assert route.pinned in variables.values()


async def test_behind_a_proxy_the_proxy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    route = await route_to("https://192.0.2.7/o/r.git", reach_of("https://192.0.2.7"))
    assert (route.proxy, route.pinned) == ("http://proxy.example:3128", "")
    assert "http://proxy.example:3128" in fetching(route).values()
