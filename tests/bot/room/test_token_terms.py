"""The terms of a program's token, at the edge of what they may be."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.room.tokens import service_of
from core.application.tokens import MOST_BUDGET, MOST_DAYS, SCOPES, TokenTerms
from core.debate.errors import BadInput
from tests.core.table import START

TERMS: dict[str, Any] = {"name": "ci"}


def test_what_is_allowed_lives_for_its_days() -> None:
    cases: list[dict[str, Any]] = [
        {"name": "a" * 40},
        {"name": "0._-Z"},
        {"name": "ci", "scopes": SCOPES, "budget": 0.01},
        {"name": "ci", "budget": MOST_BUDGET, "days": MOST_DAYS},
        {"name": "ci", "scopes": ("act",), "days": 1},
    ]
    for terms in cases:
        made = TokenTerms(**terms)
        assert made.until(START) - START == timedelta(days=terms.get("days", 30))


def test_what_is_not_is_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"name": ""}, "40 at most"),
        ({"name": "a" * 41}, "40 at most"),
        ({"name": "-ci"}, "40 at most"),
        ({"name": "c i"}, "40 at most"),
        (TERMS | {"scopes": ()}, "name one of them at least"),
        (TERMS | {"scopes": ("read", "all")}, "name one of them at least"),
        (TERMS | {"budget": -0.01}, "A budget is 0 to 10,000 USD"),
        (TERMS | {"budget": MOST_BUDGET + 0.01}, "A budget is 0 to 10,000 USD"),
        (TERMS | {"days": 0}, "a token lives 1 to 366 days"),
        (TERMS | {"days": MOST_DAYS + 1}, "a token lives 1 to 366 days"),
        (TERMS | {"scopes": ("start",)}, "Give the budget in USD"),
        (TERMS | {"scopes": ("read", "start"), "budget": 0.0}, "Give the budget in USD"),
    ]
    for terms, reason in cases:
        with pytest.raises(BadInput, match=reason):
            TokenTerms(**terms)


def test_a_service_belongs_to_a_workspace_or_to_this_machine() -> None:
    assert service_of("ci", "slack:T1") != service_of("ci", "") != service_of("cd", "")
