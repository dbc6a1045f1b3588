"""Starts the runs that are wanted: one for each head and place, in the thread of the change, when
no other run of it is going on and the place has no quiet hours.

A run that is wanted is a row in the store. This module asks the forge for the present state before
it starts one, so an event that came late or twice starts nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from adapters.forges.events import ForgeEventKind
from adapters.forges.port import ForgeChange
from adapters.forges.refusals import NotAllowed, RateLimited
from adapters.redaction.texts import one_line
from bot.debates.changes import head_of, was_held
from bot.forges.context import ForgeContext
from bot.forges.names import origin
from bot.forges.reactions import SETTLING, try_reactions
from bot.forges.rules import quiet_until, rules_of
from bot.quotas import Quotas, TooMany
from core.application.permissions import Permissions
from core.application.permissions.audience import Copy
from core.application.place import Person
from core.debate import commands as c
from core.debate import events as e
from core.debate.errors import BadInput, CouldNotFinish, DebateError
from core.debate.events import DebateRequest, ForgeNote
from core.debate.material import ChangeState
from core.debate.state import Debate
from core.words.views.documents.forge import limit_line
from storage.forges.followed import ANY, Followed, unanswered
from storage.places import Binding

logger = logging.getLogger(__name__)
AGAIN = 60.0
"""Seconds until the next request to a forge that did not answer."""
REFUSED = 900.0
"""Seconds until the next request to a forge that refused the credential."""
_DAY = timedelta(days=1)
_NOT_OF_DRAFTS = (ForgeEventKind.OPENED, ForgeEventKind.PUSHED, ForgeEventKind.RETARGETED)
"""What starts no run of a draft, also of a change that became one meanwhile; when it is ready, that
starts one.
"""
_FULL = 300.0
"""Seconds until the next try in a place that already runs as many debates as it may."""


@dataclass(frozen=True, slots=True)
class Runs:
    context: ForgeContext
    permissions: Permissions
    quotas: Quotas

    async def start_due(self) -> list[str]:
        """Starts the runs that are due and returns the ids of their debates."""
        started = []
        for row in await self.context.followed.due():
            try:
                if (id := await self._start(row)) is not None:
                    started.append(id)
            except TooMany as error:
                logger.warning("a run must wait", extra=_facts(row) | {"reason": str(error)})
                await self.context.followed.wait(
                    row, self.context.clock.now() + timedelta(seconds=_FULL)
                )
            except CouldNotFinish as error:
                logger.warning("a run must wait", extra=_facts(row) | {"reason": str(error)})
                await self.context.followed.wait(row, _later(self.context.clock.now(), error))
            except DebateError as error:
                logger.warning("a run can't start", extra=_facts(row) | {"reason": str(error)})
                await self.context.followed.unwanted(row)
        return started

    async def _start(self, row: Followed) -> str | None:
        bound = await self.context.binding(row)
        if bound is None:
            await self.context.followed.unwanted(row)
            return None
        rules = rules_of(bound.rules)
        if (until := quiet_until(rules, self.context.clock.now())) is not None:
            await self.context.followed.wait(row, until)
            return None
        async with self.context.connections.change(row.link, row.key.place) as (poster, link):
            change = await poster.change(link)
        before = None
        if row.debate:
            before = await self.context.service.load(row.debate)
        waits = change.draft and not rules.drafts and row.asked.get("why") in _NOT_OF_DRAFTS
        if change.state != ChangeState.OPEN or waits or not self._new(row, change, before):
            await self._settled(row, change)
            return None
        if row.state != ChangeState.OPEN:  # nobody told that it was opened again
            await self.context.followed.ended(row, ChangeState.OPEN)
        if before is not None and (until := await self._full_until(row, before)) is not None:
            await self.context.followed.wait(row, until)
            text = limit_line(self.quotas.limits.change_reviews, until)
            note = e.ForgeNoted(ForgeNote.LIMIT, text, self.context.clock.now())
            await self.context.queue.enqueue(row.debate, note, f"limit:{row.debate}:{until}")
            return None
        if before is not None and await try_reactions(self.context, row):
            await self.context.followed.wait(row, self.context.clock.now() + SETTLING)
            return None  # the review reads what people judged
        return await self._begin(row, bound, change, before)

    def _new(self, row: Followed, change: ForgeChange, before: Debate | None) -> bool:
        """True if there is something to debate: another head, another branch into which it goes, a
        run that never began, or a person's request.
        """
        if before is None or change.head != head_of(row, before):
            return True
        wish = row.asked
        retargeted = wish.get("why") == ForgeEventKind.RETARGETED
        if before.opened is not None:
            base = before.open.material.facts.get("base_branch", "")
            retargeted = base != one_line(change.base_branch).text
        return (
            retargeted
            or not was_held(before)
            or bool(wish.get("again"))
            or wish.get("why") == "objection"
        )

    async def _full_until(self, row: Followed, before: Debate) -> datetime | None:
        """Returns when the change may be reviewed again if it was reviewed as often as a day
        allows; None for now, and for a review that a person asks for.
        """
        if row.asked.get("again") or row.asked.get("why") in ("recheck", "objection"):
            return None
        since, debate, count = self.context.clock.now() - _DAY, before, 0
        while debate.requested.at > since:
            count += debate.opened is not None
            if count >= self.quotas.limits.change_reviews:
                return debate.requested.at + _DAY
            if not debate.request.after:
                return None
            debate = await self.context.service.load(debate.request.after)
        return None

    async def _settled(self, row: Followed, change: ForgeChange) -> None:
        await self.context.followed.unwanted(row)
        if change.state != ChangeState.OPEN and row.state == ChangeState.OPEN:
            when = change.ended or self.context.clock.now()
            await self.context.followed.ended(row, change.state, when, change.merge_commit)

    async def _begin(
        self, row: Followed, bound: Binding, change: ForgeChange, before: Debate | None
    ) -> str:
        wish, rules = row.asked, rules_of(bound.rules)
        request = DebateRequest(
            template=str(wish.get("template") or rules.template),
            target=row.link,
            asker=self.permissions.person(str(wish.get("asker") or "forge:")),
            owner=bound.by,
            place=row.key.place,
            budget=rules.budget,
            after=row.debate,
            story=row.story,
        )
        self.permissions.require_on_forge(request.asker, row.key.place)
        again = str(wish.get("again") or row.debate)
        somebody = ""
        if Person.parse(request.asker).account:
            somebody = request.asker
        key = origin(row.key.place, change.link, change.head, again)
        async with self.quotas.started(somebody, row.key.place):
            id = await self.context.service.take(request, key)
        for one in unanswered(row):
            command = c.RaiseChallenge(one["author"], one["text"], (), one["source"])
            await self.context.queue.enqueue(id, command, f"{one['source']}:{id}")
        await self.context.followed.started(row, change.head, id)
        logger.info("a run begins", extra=_facts(row) | {"debate": id, "head": change.head})
        return id

    async def recheck(self, copy: Copy, asker: str) -> str:
        """Requests a run for the new commits, or for comments on the forge, on behalf of a person.
        Raises ``BadInput`` if the change is not followed.
        """
        row = await self.context.followed.about(copy.debate.id)
        if row is None or row.key.place != copy.place:
            raise BadInput("This debate has been followed by a newer one; use that one's buttons.")
        if await self.context.binding(row) is None:
            raise BadInput(
                "This channel does not follow {repository}. Ask for a debate of it as it is now: "
                "code_review {link}",
                repository=row.key.repository,
                link=row.link,
            )
        why = "recheck"
        if unanswered(row):
            why = "objection"
        wish: Mapping[str, str] = {"asker": asker, "why": why}
        await self.context.followed.want(row.key, row.link, ANY, wish)
        return "Taken: it starts as soon as the forge has answered."


def _later(now: datetime, error: CouldNotFinish) -> datetime:
    """Returns when to ask the forge again: at the time it names, else in a minute, and later if a
    person has to change something first.
    """
    if isinstance(error, RateLimited) and error.free_at is not None:
        return error.free_at
    seconds = AGAIN
    if isinstance(error, NotAllowed):
        seconds = REFUSED
    return now + timedelta(seconds=seconds)


def _facts(row: Followed) -> dict[str, object]:
    return {"action": "run", "change": row.link, "place": row.key.place}
