"""Sums up the cost of a debate so far from the usage that each call reported, in figures and in
words.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any

from core.debate.state import Debate
from core.languages import money, msgid, number, say, say_if
from core.words.views.language.grammar import amount, dollars, plural


def cost(debate: Debate) -> dict[str, Any]:
    """Returns the outcome document's ``cost``.

    ``usd`` is None when no price is known at all; ``unpriced`` counts turns whose price is unknown.
    ``calls`` are the requests that were answered, at least one for each turn that was paid for.
    Calls before the opening count; those that a fork took over from its parent do not, for the
    parent paid them.
    """
    used = [
        u
        for u in debate.usages
        if u.prompt_chars or u.prompt_tokens or u.completion_tokens or u.usd != 0
    ]
    unpriced = sum(u.usd is None for u in used)
    usd: float | None = round(fsum(u.usd or 0.0 for u in used), 6)
    if used and unpriced == len(used):
        usd = None
    return {
        "usd": usd,
        "calls": sum(max(u.calls, 1) for u in used),
        "prompt_tokens": sum(u.prompt_tokens for u in used),
        "cached_tokens": sum(u.cached_tokens for u in used),
        "completion_tokens": sum(u.completion_tokens for u in used),
        "prompt_chars": sum(u.prompt_chars for u in used),
        "unpriced": unpriced,
    }


def price_words(figures: Mapping[str, Any]) -> str:
    """Writes a document's cost as a price, with an unknown price named as such. Before the first
    answer nobody knows that a debate is free.
    """
    if figures["usd"] is None:
        return say("price unknown")
    if not figures["calls"] and not figures["usd"]:
        return nothing()
    price = dollars(figures["usd"])
    if figures["unpriced"]:
        price = amount(figures["usd"])
        return say(
            "{price} and {calls} of unknown price",
            price=price,
            calls=plural(figures["unpriced"], "call"),
        )
    return price


def calls_words(figures: Mapping[str, Any]) -> str:
    """Writes calls and tokens: "7 calls · 700 tokens read (280 from a cache) · 140 written"."""
    cached = figures["cached_tokens"]
    cached = say_if(cached, msgid(" ({figures} from a cache)"), figures=number(cached))
    return say(
        "{calls} · {figures} tokens read{cached} · {figures2} written",
        calls=plural(figures["calls"], "call"),
        figures=number(figures["prompt_tokens"]),
        cached=cached,
        figures2=number(figures["completion_tokens"]),
    )


def nothing() -> str:
    """Writes that nothing has been spent yet, on what may cost money."""
    return money(0, whole=True)


def spent_line(debate: Debate) -> str:
    """Describes the money spent, of the budget."""
    price, limit = _spent(debate), debate.open.terms.budget
    if limit is None or price == dollars(0):
        return _so_far(debate, price)
    if cost(debate)["unpriced"]:
        return f"{price}, {say('limit {usd}', usd=amount(limit))}"
    return say("{price} of {limit}", price=price, limit=amount(limit))


def spent(debate: Debate) -> str:
    """Describes the money spent by now, without a limit."""
    return _so_far(debate, _spent(debate))


def spent_so_far(debate: Debate) -> str:
    """Describes the money spent so far, of the estimate."""
    price, estimate = _spent(debate), debate.open.terms.estimate
    if not estimate or cost(debate)["unpriced"]:
        return _so_far(debate, price)
    return say("{price} of about {estimate}", price=price, estimate=dollars(estimate))


def _spent(debate: Debate) -> str:
    """Writes the money spent; a debate whose calls cost money is not free before the first one."""
    figures, estimate = cost(debate), debate.open.terms.estimate
    costs = bool(estimate) or (estimate is None and not debate.over)
    if figures["usd"] != 0 or figures["unpriced"]:
        return price_words(figures)
    return nothing() if costs else dollars(0)


def estimated_line(debate: Debate) -> str:
    """Repeats the price that its starter was shown; empty if it is over, or if it is free."""
    estimate = debate.open.terms.estimate
    if not estimate or debate.over:
        return ""
    return say("estimated {estimate}", estimate=dollars(estimate))


def _so_far(debate: Debate, price: str) -> str:
    so_far = price == nothing() and not debate.over
    return say_if(so_far, msgid("{price} so far"), price=price) or price
