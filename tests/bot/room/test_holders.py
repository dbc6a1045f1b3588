"""Who holds a token is asked of their platform now and then, and remembered while it is away."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from bot.room.holders import Holders, place_of
from bot.room.people import TRUSTED
from core.application.presence import DeliveryError, Member
from core.application.tokens import Bearer, Token
from core.debate.errors import CouldNotFinish
from tests.bot.parts import Hands
from tests.core.table import START


@dataclass
class Slack:
    """A workspace with one member, which can be away."""

    member_: Member | None
    away: bool = False
    calls: list[tuple[str, str]] = field(default_factory=list)

    async def member(self, workspace: str, account: str) -> Member | None:
        self.calls.append((workspace, account))
        if self.away:
            raise DeliveryError("retry", "Slack failed (503).")
        return self.member_


def token(person: str) -> Token:
    end = START + timedelta(days=1)
    return Token("t1", person, "room:slack:T1", "ci", ("read",), 1.0, 0.0, START, end)


ANN = token("slack:T1/U1")


def holders(slack: Slack, clock: Hands) -> Holders:
    platforms: Any = {"slack": slack}
    return Holders(platforms, clock)


async def test_a_member_is_asked_about_once_an_hour() -> None:
    slack, clock = Slack(Member("Ann", admin=True)), Hands(START)
    known = holders(slack, clock)
    bearer = await known.bearer(ANN)
    assert bearer is not None
    assert bearer == Bearer(ANN, Member("Ann", admin=True))
    for minutes, calls in ((59, 1), (60, 2), (61, 2)):
        clock.time = START + timedelta(minutes=minutes)
        await known.bearer(ANN)
        assert len(slack.calls) == calls
    slack.member_ = None
    clock.time = START + timedelta(hours=3)
    assert await known.bearer(ANN) is None, "they have left"
    assert slack.calls[-1] == ("slack:T1", "U1")


async def test_while_a_platform_is_away_what_it_last_said_counts_for_a_time() -> None:
    slack, clock = Slack(Member("Ann", admin=False), away=True), Hands(START)
    known = holders(slack, clock)
    with pytest.raises(CouldNotFinish, match="Slack can't confirm who you are"):
        await known.bearer(ANN)
    slack.away = False
    assert await known.bearer(ANN) is not None
    slack.away = True
    clock.time = START + TRUSTED - timedelta(seconds=1)
    assert await known.bearer(ANN) is not None
    clock.time = START + TRUSTED
    with pytest.raises(CouldNotFinish):
        await known.bearer(ANN)


async def test_a_service_is_its_own_holder_and_a_shell_s_token_opens_nothing() -> None:
    known = holders(Slack(None), Hands(START))
    bearer = await known.bearer(token("program:slack:T1/ci"))
    assert bearer is not None
    assert (bearer.token.place, bearer.member) == ("room:slack:T1", Member("ci", admin=False))
    assert await known.bearer(token("shell:ann")) is None
    with pytest.raises(CouldNotFinish, match="Discord can't confirm who you are"):
        await known.bearer(token("discord:9/U1"))
    assert place_of("shell:ann") == "shell:ann"
    assert place_of("slack:T1/U1") == place_of("slack:T1/U2") != place_of("slack:T2/U1")
