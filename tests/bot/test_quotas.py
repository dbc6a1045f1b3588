"""Prices count for an hour, for the person and for the place, whatever was counted before."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.limits import Limits
from bot.quotas import Quotas, TooMany
from core.application.desk import Caller
from tests.bot.parts import Hands
from tests.core.table import START

NOTHING: Any = None  # prices are counted in memory


def quotas(clock: Hands, limits: Limits) -> Quotas:
    return Quotas(limits, NOTHING, NOTHING, NOTHING, NOTHING, clock)


def asks(counted: Quotas, person: str, place: str) -> None:
    counted.permit_price(Caller(person, place, "event"), person)


def test_a_person_has_as_many_prices_in_an_hour_as_the_limit_says() -> None:
    clock = Hands(START)
    counted = quotas(clock, Limits(person_prices=3, place_prices=9))
    for minutes in (0, 10, 20):
        clock.time = START + timedelta(minutes=minutes)
        asks(counted, "slack:T1/U1", "slack:T1/C1")
    with pytest.raises(TooMany) as refused:
        asks(counted, "slack:T1/U1", "slack:T1/C2")
    assert str(refused.value) == (
        "You asked for 3 prices in an hour, and 3 is the most "
        "(limit person-prices in DEBATE_LIMITS)."
    )
    asks(counted, "slack:T1/U2", "slack:T1/C1")
    clock.time = START + timedelta(minutes=59)
    with pytest.raises(TooMany):
        asks(counted, "slack:T1/U1", "slack:T1/C1")
    clock.time = START + timedelta(minutes=60)
    asks(counted, "slack:T1/U1", "slack:T1/C1")
    with pytest.raises(TooMany):
        asks(counted, "slack:T1/U1", "slack:T1/C1")


def test_a_place_has_its_own_limit_and_a_shell_none() -> None:
    clock = Hands(START)
    counted = quotas(clock, Limits(person_prices=9, place_prices=2))
    for person in ("slack:T1/U1", "slack:T1/U2"):
        asks(counted, person, "slack:T1/C1")
    with pytest.raises(TooMany, match=r"^People here asked for 2 prices in an hour, and 2 is"):
        asks(counted, "slack:T1/U3", "slack:T1/C1")
    asks(counted, "slack:T1/U3", "slack:T1/C2")
    for _ in range(4):
        asks(counted, "shell:ann", "shell:ann")
