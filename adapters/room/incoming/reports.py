"""The pages around the debates: ratings, costs, receipts, and the state of the installation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from aiohttp import web

from adapters.room.incoming.guard import debate_of
from adapters.room.outgoing.reply import download, render_page
from adapters.room.visitors import Visitor
from adapters.routes.reading import form_of, query_of
from core.application.debates import Debates
from core.application.records import Records
from core.debate.budget.pricing import DaySpent
from core.debate.errors import Refused
from core.debate.verdict.learned.ratings import CurvePoint
from core.languages import say
from core.words.views.documents.headings import curve_words
from core.words.views.history import category_lines, needed
from core.words.views.language.people import person_name

DAYS = (7, 30, 90)
ENTRIES = 100
"""Entries of the log on a page."""
SIZE, EDGE = 260, 46
"""Units of the curve's square, and of the room for its labels."""


@dataclass(frozen=True, slots=True)
class Sum:
    """The costs of one day, person or model; ``share`` is relative to the most expensive one, in
    [0, 1].
    """

    name: str
    usd: float
    calls: int
    unpriced: int
    share: float


@dataclass(frozen=True, slots=True)
class CurveDot:
    """One step of confidence: the position of its point and the ends of its interval; ``radius``
    grows with the number of seats.
    """

    x: float
    y: float
    top: float
    bottom: float
    radius: float
    title: str
    point: CurvePoint


class ReportPages:
    def __init__(self, records: Records, debates: Debates) -> None:
        self._records, self._debates = records, debates

    async def leaderboard(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        rated = await self._records.ratings()
        findings = await self._records.findings(visitor.caller())
        values = {
            "standings": rated.models,
            "curve": curve(rated.curve),
            "seats": rated.seats,
            "dissent": [one for one in rated.dissent if one.failed],
            "panels": await self._records.panels(),
            "kinds": await self._records.kinds(visitor.caller()),
            "findings": findings,
            "categories": category_lines(findings),
            "needed": needed(findings.threshold),
        }
        return render_page(request, visitor, "leaderboard.html", values)

    async def costs(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        days_text = query_of(request).get("days", "")
        days = int(days_text) if days_text in map(str, DAYS) else 30
        costs = await self._records.costs(visitor.caller(), days)
        values = {
            "days": days,
            "choices": DAYS,
            "total": summed(costs, lambda _: ""),
            "by_day": summed(costs, lambda cost: cost.day, in_order=True),
            "by_person": summed(costs, lambda cost: person_name(cost.asker)),
            "by_model": summed(costs, lambda cost: cost.model),
        }
        return render_page(request, visitor, "costs.html", values)

    async def doctor(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        self._require_operator(visitor)
        values = {"found": await self._records.doctor()}
        return render_page(request, visitor, "doctor.html", values)

    async def log(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        self._require_operator(visitor)
        entries = self._records.log()
        after = query_of(request).get("after", "")
        first = min(int(after), len(entries)) if after.isdecimal() and len(after) < 9 else 0
        older = first + ENTRIES
        values = {
            "entries": entries[first:older],
            "first": first,
            "older": older if older < len(entries) else 0,
        }
        return render_page(request, visitor, "log.html", values)

    def _require_operator(self, visitor: Visitor) -> None:
        if not self._records.operates(visitor.caller()):
            raise Refused(say("Only the operator of this installation can see this page."))

    async def receipt(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Signs the record of a debate and checks it, as anyone can who has the public key."""
        debate = await debate_of(self._debates, request, visitor)
        if not debate.final:
            raise Refused(say("A receipt is made of a debate's end."))
        receipt = await self._records.receipt(debate, visitor.caller())
        values = {"receipt": receipt, "claim": receipt.claim, "debate": debate.id}
        return render_page(request, visitor, "receipt.html", values)

    async def receipt_file(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        debate = await debate_of(self._debates, request, visitor)
        receipt = await self._records.receipt(debate, visitor.caller())
        text = json.dumps(receipt.document, ensure_ascii=False, indent=2)
        return download(text, f"receipt-{debate.id}.json", "application/json")

    async def receipts(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        return render_page(request, visitor, "receipts.html", {"receipt": None, "key": ""})

    async def check(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Checks a receipt that a visitor pasted."""
        form = await form_of(request)
        key = form.text("key")
        result = await self._records.checked(form.document(), key)
        values = {"receipt": result, "claim": result.claim, "key": key}
        return render_page(request, visitor, "receipts.html", values)


def summed(
    costs: Sequence[DaySpent], of: Callable[[DaySpent], str], *, in_order: bool = False
) -> list[Sum]:
    """Returns costs added up by the key that ``of`` gives for each, the most expensive first unless
    ``in_order``.
    """
    groups: dict[str, list[DaySpent]] = {}
    for cost in costs:
        groups.setdefault(of(cost), []).append(cost)
    totals = {name: fsum(c.usd for c in mine) for name, mine in groups.items()}
    most = max(totals.values(), default=0.0)
    made = [
        Sum(
            name,
            totals[name],
            sum(c.calls for c in mine),
            sum(c.unpriced for c in mine),
            totals[name] / most if most else 0.0,
        )
        for name, mine in groups.items()
    ]
    if in_order:
        return made
    return sorted(made, key=lambda s: (-s.usd, -s.calls, s.name))


def curve(points: Sequence[CurvePoint]) -> Sequence[CurveDot]:
    """Returns the points of the curve, confidence to the right and being right upwards."""
    most = max((p.n for p in points), default=1)
    return [
        CurveDot(
            EDGE + SIZE * p.stated,
            SIZE * (1 - p.right) + 8,
            SIZE * (1 - p.interval.high) + 8,
            SIZE * (1 - p.interval.low) + 8,
            4 + 5 * (p.n / most) ** 0.5,
            curve_words(p.n, p.stated, p.right),
            p,
        )
        for p in points
    ]
