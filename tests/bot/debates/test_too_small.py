"""A debate that its budget or the day's cannot hold is refused before it opens, on every way to
start one; no printed amount is negative.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.debates.opening.size import _warning
from bot.wire.parts import Parts, open_parts
from core.application.commands import parse
from core.application.desk import Caller
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.events import DebateRequest
from core.debate.formats.complexity import Complexity, choose
from core.debate.state import Debate
from core.words.views.language.grammar import amount, dollars
from tests.bot.calls import spent
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.debates.test_money import Priced
from tests.origins import origin

QUESTION = "Should the queue of jobs live in PostgreSQL?"
AMOUNTS = st.floats(-10, 10, allow_nan=False) | st.sampled_from((0.0, -0.0, -1e-12, 1e-12, -0.15))
DAY = (
    r"^The day's budget has \$0\.00 left and cannot hold this debate: its first round and its "
    r"verdict may cost up to \$0\.\d\d\. A new day begins at 00:00 UTC; .+ DEBATE_DAILY_BUDGET or"
)


@asynccontextmanager
async def priced(folder: Path, **more: Any) -> AsyncIterator[Parts]:
    settings = settings_for(str(folder / "debate.db"), folder, **more)
    async with open_parts(settings, shell=False, measured=Priced) as parts:
        yield parts


def wish(budget: float | None = None) -> DebateRequest:
    return DebateRequest("triad", QUESTION, ASKER, PLACE, vote_window=0.0, budget=budget)


async def answer(parts: Parts, text: str, source: str = "e1") -> tuple[bool, str]:
    caller = Caller(ASKER, PLACE, source, confirms_price=True)
    names = [template.id for template in parts.desk.templates()]
    refusal = await parts.desk.take(parse(text, templates=names), caller)
    return refusal.ok, refusal.text


async def played(parts: Parts, budget: float | None = None, source: str = "e1") -> Debate:
    id = await parts.service.take(wish(budget), origin(source))
    return await parts.advancer.advance(id)


async def test_a_budget_below_the_first_round_is_refused_with_the_way_to_raise_it(
    tmp_path: Path,
) -> None:
    async with priced(tmp_path) as parts:
        ok, text = await answer(parts, f"triad {QUESTION} --budget .12")
        assert not ok
        refusal = re.search(
            r"A budget of \$0\.12 cannot hold this debate \(about \$\d\.\d\d\): its first round "
            r"and its verdict may cost up to \$(\d\.\d\d)\. Raise it to (\S+) \(--budget, or "
            r"DEBATE_BUDGET\), or choose cheaper models \(--models\)\.",
            text,
        )
        assert refusal, text
        with pytest.raises(BadInput, match=r"A budget of \$0\.12 cannot hold this debate"):
            await parts.service.prepare(wish(0.12))
        assert await parts.stores.debates.find_recent() == []
        debate = await played(parts, 0.12)
        assert "cannot hold this debate" in debate.failure
        assert debate.spent == 0
        enough = await played(parts, float(refusal[2]), "e2")
        assert enough.concluded is not None
        assert enough.concluded.reached, "it keeps enough for its verdict"
        assert enough.spent <= float(refusal[2])


async def test_a_day_without_money_opens_no_debate(tmp_path: Path) -> None:
    async with priced(tmp_path) as parts:
        first = await played(parts)
        await parts.service.price(wish())
    async with priced(tmp_path, daily_budget=first.spent - 0.15) as parts:
        before = await spent(parts, first.open.at)
        for attempt in (parts.service.prepare, parts.service.price):
            with pytest.raises(CouldNotFinish, match=DAY):
                await attempt(wish())
        ok, text = await answer(parts, f"triad {QUESTION}")
        assert (ok, "The day's budget has $0.00 left" in text) == (False, True), text
        ok, text = await answer(parts, f"fork {first.id} --assume it_is_small", "e2")
        assert (ok, "The day's budget has $0.00 left" in text) == (False, True), text
        assert re.match(DAY, (await played(parts, source="e3")).failure)
        assert await spent(parts, first.open.at) == before


async def test_a_price_that_was_shown_earlier_is_compared_with_what_is_left_now(
    tmp_path: Path,
) -> None:
    async with priced(tmp_path, daily_budget=0.3) as parts:
        await parts.service.price(wish())
        for n in range(3):
            await played(parts, source=f"e{n}")
        for attempt in (parts.service.price, parts.service.prepare):
            with pytest.raises(CouldNotFinish, match="cannot hold this debate"):
                await attempt(wish())


@given(AMOUNTS, AMOUNTS)
def test_no_amount_is_negative(left: float, price: float) -> None:
    complexity = Complexity(0.9, (), "complexity 0.90", 3)
    texts = [
        amount(left), dollars(left), _warning(price, left), _warning(left, price),
        choose(complexity, "critical", left, abs(price))[2],
    ]  # fmt: skip
    assert not [text for text in texts if "$-" in text or "-$" in text or "free are" in text]
