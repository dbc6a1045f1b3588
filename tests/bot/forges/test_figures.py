"""What a run costs: calls to the forge, and prompt characters of a re-review beside a whole one.
``pytest -s`` prints them.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.bot.debates.provider import prompt_of
from tests.bot.forges.town import diff, town

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")


async def test_calls_and_prompt_characters(tmp_path: Path) -> None:
    def lines(name: str, changed: int = -1) -> list[str]:
        return [f"{name}_{n} = {n}  # some words" if n != changed else f"{name} = 0  # BUG new"
                for n in range(250)]  # fmt: skip

    names = ("a", "b", "c", "d", "e")
    whole = {name: lines(name) for name in names}
    async with town(tmp_path, diff=diff(**whole)) as t:
        await t.bind(checks=True)
        started = time.monotonic()
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        assert "o/r#412" in (await t.told())[0] or await t.told()
        seconds = time.monotonic() - started
        await t.settle()
        await t.approve()
        first_calls, first = len(t.calls()), sum(len(prompt_of(r)) for r in t.provider.requests)
        t.provider.requests.clear()
        t.github.seen.clear()
        t.pull.push("c" * 40, diff(**{**whole, "c": lines("c", 60)}))
        await t.tell("pull_request", "synchronize")
        await t.settle()
        await t.approve()
        again = sum(len(prompt_of(r)) for r in t.provider.requests)
    told = {
        "calls to the forge, first run": first_calls,
        "calls to the forge, re-review": len(t.calls()),
        "seconds from webhook to root message": round(seconds, 2),
        "prompt characters": (first, again),
        "share": round(again / first, 3),
    }
    print(told)
    assert first_calls <= 14
    assert len(t.calls()) <= 16
    assert again / first <= 0.35
