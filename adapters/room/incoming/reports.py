"""What stands around the debates: ratings, costs, receipts, and the state of the installation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from adapters.room.incoming.forms import text_of
from adapters.room.incoming.guard import NotFound
from adapters.room.incoming.visitors import Visitor
from adapters.room.outgoing.curve import curve
from adapters.room.outgoing.reply import shown
from adapters.room.outgoing.words import person
from adapters.room.port import CheckedReceipt, Cost, Records, Reports
from core.errors import BadInput, Refused

DAYS = (7, 30, 90)
LARGEST = 1_000_000
"""Bytes of a receipt."""


@dataclass(frozen=True, slots=True)
class Sum:
    """What one day, person or model came to; ``share`` of the most expensive one, in [0, 1]."""

    name: str
    usd: float
    calls: int
    unpriced: int
    share: float


class ReportPages:
    def __init__(self, reports: Reports, records: Records) -> None:
        self._reports, self._records = reports, records

    async def leaderboard(self, _request: web.Request, visitor: Visitor) -> web.StreamResponse:
        rated = await self._reports.ratings()
        values = {
            "standings": rated.models,
            "curve": curve(rated.curve),
            "seats": rated.seats,
            "dissent": [one for one in rated.dissent if one.failed],
        }
        return shown("leaderboard.html", visitor, "/leaderboard", values)

    async def costs(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        asked = request.query.get("days", "")
        days = int(asked) if asked in map(str, DAYS) else 30
        found = await self._reports.costs(visitor.caller(), days)
        values = {
            "days": days,
            "choices": DAYS,
            "total": summed(found, lambda _: "all"),
            "by_day": summed(found, lambda cost: cost.day, in_order=True),
            "by_person": summed(found, lambda cost: person(cost.person)),
            "by_model": summed(found, lambda cost: cost.model),
        }
        return shown("costs.html", visitor, "/costs", values)

    async def doctor(self, _request: web.Request, visitor: Visitor) -> web.StreamResponse:
        if not self._reports.operates(visitor.caller()):
            raise Refused("Only who looks after this installation sees this page.")
        values = {"found": await self._reports.doctor()}
        return shown("doctor.html", visitor, "/doctor", values)

    async def receipt(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Signs the record of a debate and checks it, as anybody can who has the public key."""
        id = request.match_info["id"]
        try:
            debate = await self._records.debate(id, visitor.caller())
        except BadInput as error:
            raise NotFound(str(error)) from error
        if not debate.final:
            raise Refused("A receipt is made of a debate's end.")
        values = _checked(await self._reports.receipt(debate, visitor.caller())) | {
            "debate": debate.id
        }
        return shown("receipt.html", visitor, request.path, values)

    async def receipt_file(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        debate = await self._records.debate(request.match_info["id"], visitor.caller())
        found = await self._reports.receipt(debate, visitor.caller())
        return web.Response(
            body=json.dumps(found.document, ensure_ascii=False, indent=2).encode(),
            content_type="application/json",
            charset="utf-8",
            headers={"Content-Disposition": f'attachment; filename="receipt-{debate.id}.json"'},
        )

    async def receipts(self, _request: web.Request, visitor: Visitor) -> web.StreamResponse:
        return shown("receipts.html", visitor, "/receipts", {"receipt": None, "key": ""})

    async def check(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """A receipt that somebody brought."""
        form = await request.post()
        text, file = text_of(form, "text"), form.get("file")
        if isinstance(file, web.FileField) and file.filename:
            text = file.file.read(LARGEST).decode("utf-8", "replace")
        try:
            document = json.loads(text)
        except ValueError as error:
            raise BadInput("That is no receipt: give the JSON file as it was saved.") from error
        if not isinstance(document, dict):
            raise BadInput("That is no receipt: give the JSON file as it was saved.")
        key = text_of(form, "key")
        values = _checked(self._reports.checked(document, key)) | {"key": key}
        return shown("receipts.html", visitor, "/receipts", values)


def _checked(receipt: CheckedReceipt) -> dict[str, Any]:
    claim = receipt.document.get("claim")
    said: Mapping[str, Any] = claim if isinstance(claim, dict) else {}
    return {"receipt": receipt, "claim": str(said.get("statement", ""))[:2000]}


def summed(
    costs: Sequence[Cost], of: Callable[[Cost], str], *, in_order: bool = False
) -> list[Sum]:
    """Costs added up by what ``of`` says of each, the most expensive first unless ``in_order``."""
    groups: dict[str, list[Cost]] = {}
    for cost in costs:
        groups.setdefault(of(cost), []).append(cost)
    totals = {name: sum(c.usd for c in mine) for name, mine in groups.items()}
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
