"""Who has to agree to a price, and which debates are refused because nobody knows theirs."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from bot.debates.opening.money import needs_consent, require_known
from bot.settings import Settings
from bot.settings.choices import UnknownPrice
from core.debate.errors import BadInput

ALLOW, ASK, REFUSE = UnknownPrice.ALLOW, UnknownPrice.ASK, UnknownPrice.REFUSE


def test_a_price_above_the_limit_needs_a_yes_or_a_budget_and_an_unknown_one_a_yes() -> None:
    cases: list[tuple[UnknownPrice | None, float | None, dict[str, bool], bool]] = [
        (None, 0.5, {}, False), (None, 0.51, {}, True), (ALLOW, 0.51, {}, True),
        (None, 0.51, {"yes": True}, False), (None, 0.51, {"budget": True}, False),
        (None, None, {}, True), (ASK, None, {}, True), (ALLOW, None, {}, False),
        (None, None, {"budget": True}, True), (ASK, None, {"budget": True}, True),
        (None, None, {"yes": True}, False), (ASK, None, {"yes": True}, False),
    ]  # fmt: skip
    for unknown, usd, given, asks in cases:
        settings = Settings(ask_above=0.5, unknown_price=unknown)
        assert needs_consent(settings, usd, **given) is asks, (unknown, usd, given)


def test_an_unknown_price_is_refused_if_no_budget_could_be_kept_or_the_operator_says_so() -> None:
    cases: list[tuple[UnknownPrice | None, bool, float | None, str]] = [
        (None, False, None, ""), (ASK, True, 1.0, ""), (ALLOW, True, 1.0, ""),
        (None, False, 1.0, r"a budget of \$1.00 cannot be kept"),
        (None, False, 0.0, "a budget of .* cannot be kept"),
        (None, True, None, "a budget cannot be kept"), (REFUSE, False, None, "refuses that"),
    ]  # fmt: skip
    for unknown, budgeted, budget, why in cases:
        settings = Settings(unknown_price=unknown, daily_budget=1.0 if budgeted else None)
        require_known(settings, [], budget)
        with pytest.raises(BadInput, match=f"openai/acme.*{why}") if why else nullcontext():
            require_known(settings, ["openai/acme"], budget)
