"""Which addresses count as Slack's, how fast it is called, and whom it knows."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from adapters.slack import places
from adapters.slack.incoming.attachments import _is_slack
from adapters.slack.outgoing import pace
from adapters.slack.outgoing.pace import Pace
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import NOBODY, Workspaces
from core.application.place import Place
from tests.standins.slack import BOT_TOKEN, Fault, SlackStandIn


@pytest.mark.parametrize(
    ("url", "ours"),
    [
        ("https://files.slack.com/a.md", True), ("https://slack.com/a.md", True),
        ("http://files.slack.com/a.md", False), ("https://evilslack.com/a.md", False),
        ("https://slack.com.evil.example/a", False), ("https://u@files.slack.com/a", False),
        ("https:///a", False),
    ],
)  # fmt: skip
def test_our_token_goes_to_slack_alone(url: str, ours: bool) -> None:
    assert _is_slack(url, SlackSettings()) is ours


def test_where_slack_is_redirected_files_lie_beside_it() -> None:
    settings = SlackSettings(api_url="http://127.0.0.1:9/api/")
    urls = ("http://127.0.0.1:9/a", "https://127.0.0.1:9/a", "http://127.0.0.1:8/a",
            "https://files.slack.com/a")  # fmt: skip
    assert [_is_slack(url, settings) for url in urls] == [True, False, False, False]


class _Clock:
    """A loop's clock that sleeping moves on."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, list[float]()

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    made = _Clock()
    library = SimpleNamespace(get_running_loop=lambda: made, sleep=made.sleep)
    monkeypatch.setattr(pace, "asyncio", library)
    return made


def _place(name: str = "C1") -> Place:
    return places.place("T1", name)


def test_calls_for_one_place_keep_their_distance(clock: _Clock) -> None:
    async def wait(*names: str) -> list[float]:
        spaced = Pace(1.5)
        for name in names:
            await spaced.wait(_place(name))
        return clock.slept

    assert asyncio.run(wait("C1", "C2", "C1", "C1")) == [0.0, 0.0, 1.5, 1.5]


def test_after_a_rest_some_calls_go_at_once(clock: _Clock) -> None:
    async def wait() -> list[float]:
        spaced = Pace(1.0, saved=2.0)
        for _ in range(5):
            await spaced.wait(_place())
        clock.now += 1.5
        await spaced.wait(_place())
        return clock.slept

    assert asyncio.run(wait()) == [0.0, 0.0, 0.0, 1.0, 1.0, 0.0]


def test_without_a_pace_nobody_waits(clock: _Clock) -> None:
    asyncio.run(Pace(0.0).wait(_place()))
    assert clock.slept == []


def test_places_that_are_free_again_are_forgotten(
    clock: _Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "_REMEMBERED", 2)

    async def wait() -> list[Place]:
        spaced = Pace(1.0)
        for name in ("C1", "C2"):
            await spaced.wait(_place(name))
        clock.now += 1.0
        await spaced.wait(_place("C3"))
        return list(spaced._free)

    assert asyncio.run(wait()) == [_place("C3")]


async def test_who_is_known_stays_known_while_slack_is_away(slack: SlackStandIn) -> None:
    workspaces = Workspaces(SlackSettings(bot_token=BOT_TOKEN, api_url=slack.url))
    await workspaces.open()
    try:
        slack.world.user("U1", is_admin=True)
        slack.faults.append(Fault("users.info", "500"))
        assert await workspaces.person("T1", "U1") == NOBODY
        ann = await workspaces.person("T1", "U1")
        assert (ann.name, ann.admin) == ("u1", True)
        calls = [call for call in slack.calls if call.method == "users.info"]
        assert await workspaces.person("T1", "U1") == ann
        assert [call for call in slack.calls if call.method == "users.info"] == calls
        workspaces._people["T1", "U1"] = (-1e9, ann)
        slack.faults.append(Fault("users.info", "500"))
        assert await workspaces.person("T1", "U1") == ann
        workspaces.forget("T1")
        slack.faults.append(Fault("users.info", "500"))
        assert await workspaces.person("T1", "U1") == NOBODY
    finally:
        await workspaces.close()
