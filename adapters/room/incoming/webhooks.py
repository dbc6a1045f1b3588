"""Webhooks: the addresses that receive messages about debates, a form for a new one, and the last
deliveries of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from adapters.hooks import ABOUT, CHOICES, USUAL
from adapters.room.outgoing.reply import render_page, see_other
from adapters.room.visitors import Visitor
from adapters.routes.reading import FormEntries, form_of, query_of
from core.application.commands import HookRequest
from core.application.desk import Desk, DeskAnswer
from core.application.webhooks import Webhooks
from core.debate.errors import BadInput
from core.languages import msgid, say

HERE = "/webhooks"
VERBS = {
    "test": msgid("Test"),
    "rotate": msgid("New secret"),
    "replay": msgid("Send the last three days again"),
    "disable": msgid("Disable"),
}
"""The verbs of a webhook's buttons and their labels."""
_BACK = 3 * 86_400.0
"""Seconds that "again" goes back: as long as a message is tried."""
_KIND = "hears-"
KINDS = tuple(f"{_KIND}{kind}" for kind in CHOICES)
"""The form's fields, one for each kind of message."""


class WebhookPages:
    def __init__(self, desk: Desk, webhooks: Webhooks) -> None:
        self._desk, self._webhooks = desk, webhooks

    async def all(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        return await self._shown(request, visitor, looked_at=query_of(request).get("id", ""))

    async def add(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Adds a webhook. Only this answer holds its secret: no address, no cookie and no store
        does.
        """
        form = await form_of(request)
        entered = {name: form.text(name) for name in ("address", "channel", "full", *KINDS)}
        wanted = HookRequest(
            "add",
            entered["address"].strip(),
            kinds=tuple(name.removeprefix(_KIND) for name in KINDS if entered[name]),
            full=entered["full"] == "yes",
            channel=entered["channel"].strip(),
        )
        answer = await self._taken(wanted, form, visitor)
        return await self._shown(request, visitor, entered, answer=answer)

    async def do(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Applies one verb to one webhook; if that makes a secret, the answer shows it."""
        form = await form_of(request)
        verb, id = form.text("verb"), form.text("id")
        if verb not in VERBS:
            raise BadInput(say("This form belongs to an older page: load it again."))
        since = _BACK if verb == "replay" else None
        answer = await self._taken(HookRequest(verb, id, since=since), form, visitor)
        if verb == "rotate" or not answer.ok:
            return await self._shown(request, visitor, answer=answer)
        return see_other(f"{HERE}?id={id}", visitor, answer)

    async def _taken(self, wanted: HookRequest, form: FormEntries, visitor: Visitor) -> DeskAnswer:
        return await self._desk.take(wanted, visitor.sends(form, repr(wanted)))

    async def _shown(
        self,
        request: web.Request,
        visitor: Visitor,
        entered: Mapping[str, str] | None = None,
        *,
        answer: DeskAnswer | None = None,
        looked_at: str = "",
    ) -> web.Response:
        caller = visitor.caller()
        failed = answer is not None and not answer.ok
        hooks = await self._webhooks.listed(caller)
        known = looked_at in {one.id for one, _ in hooks}
        values: dict[str, Any] = {
            "webhooks": hooks,
            "looked_at": looked_at if known else "",
            "deliveries": await self._webhooks.deliveries(looked_at, caller) if known else (),
            "entered": entered if failed and entered else _empty(),
            "kinds": [(f"{_KIND}{kind}", kind, ABOUT[kind]) for kind in CHOICES],
            "verbs": {verb: say(label) for verb, label in VERBS.items()},
            "local": visitor.local,
        }
        if answer is None:
            return render_page(request, visitor, "webhooks.html", values)
        status = 200 if answer.ok else 400
        return render_page(request, visitor, "webhooks.html", values, notice=answer, status=status)


def _empty() -> dict[str, str]:
    usual = {f"{_KIND}{kind}": "yes" for kind in USUAL}
    return {**dict.fromkeys(("address", "channel", "full", *KINDS), ""), **usual}
