"""Deletion: of debates older than the operator's limit, of a workspace's debates after it removed
the bot, and of a person's texts on request.

When a debate's texts are deleted its outcome stays: decision, votes, figures, cost, and the hash of
all its events, so that a receipt can still be checked. Messages on platforms stay there, and so do
backups.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.debates.judged import held_of
from bot.debates.retention.copies import Copies, find_copies
from bot.debates.service import DebateService, parent_outcome
from bot.platforms import same_account
from core.application.forgetting import retained_outcome, without_debate, without_person
from core.application.permissions.policy import Policy, canonical
from core.application.place import Person
from core.debate.errors import Refused
from core.debate.events import DebateRequest, Event, TextsDeleted
from core.debate.ports import Clock
from core.debate.state import Debate
from core.words.outcome import outcome
from core.words.receipt.canonical import digest
from storage.debates.outcomes import Outcomes
from storage.forgetting import Forgetting
from storage.forgetting.removals import Removals
from storage.forgetting.traces import Traces

logger = logging.getLogger(__name__)
LOOK = 3600.0
"""Seconds between two searches for debates to delete."""
_CLEAN = timedelta(days=1)
"""The time between two cleanings of the search index, each of which writes it anew."""
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result of forgetting a person: their debates whose texts are deleted, others in which
    they spoke or voted, those still running and therefore untouched, and whether anything that is
    stored named them.
    """

    deleted: tuple[str, ...]
    changed: tuple[str, ...]
    running: tuple[str, ...]
    copies: Copies = field(default_factory=Copies)
    known: bool = True


@dataclass(slots=True)
class Retention:
    """Deletes texts. ``keep`` is how long they are kept after a debate's end, in seconds (None: for
    ever), and ``keep_removed`` the same for workspaces that removed the bot.
    """

    store: Forgetting
    outcomes: Outcomes
    service: DebateService
    traces: Traces
    removals: Removals
    policy: Policy
    clock: Clock
    keep: float | None
    keep_removed: float
    _unclean: bool = field(init=False)
    _cleaned: datetime | None = None

    def __post_init__(self) -> None:
        self._unclean = self.keep is not None

    async def look(self) -> None:
        """Deletes everything that is due, and cleans the search index once a day if it must be."""
        while await self.tidy():
            self._unclean = True
        now = self.clock.now()
        if self._unclean and (self._cleaned is None or now - self._cleaned >= _CLEAN):
            await self.store.clean_words()
            self._unclean, self._cleaned = False, now

    async def tidy(self) -> int:
        """Deletes the texts of a few expired debates and returns how many there were."""
        count = 0
        if self.keep is not None:
            before = self.clock.now() - timedelta(seconds=self.keep)
            because = f"kept for {_days(self.keep)}"
            count += await self._delete_all(await self.store.find_old(before, _AT_ONCE), because)
        leaving = self.clock.now() - timedelta(seconds=self.keep_removed)
        for workspace, left in await self.store.find_left(leaving):
            old = await self.store.find_old(_ever(left), _AT_ONCE, workspace=workspace)
            count += await self._delete_all(old, "the workspace removed the bot")
            if not old:
                await self.store.purged(workspace)
        return count

    async def _delete_all(self, debates: list[str], because: str) -> int:
        count = 0
        for id in debates:
            try:
                count += await self.delete(await self.service.load(id), because)
            except Exception:  # one that can't be read keeps no other from being deleted
                logger.exception(
                    "a debate's texts can't be deleted", extra={"action": "retention", "debate": id}
                )
        return count

    async def delete(self, debate: Debate, because: str, asker: str = "") -> bool:
        """Deletes the texts of a debate that is over, and replaces the starter's name with
        ``asker`` if given. Returns False if something happened in it meanwhile. Raises ``Refused``.
        """
        if not debate.final:
            raise Refused(
                "Debate {id} is {status}. Stop it first: stop {id}",
                id=debate.id,
                status=debate.status,
            )
        if debate.deleted is not None:
            raise Refused(debate.nothing_because)
        document = outcome(debate, await parent_outcome(self.service.debates, debate))
        request = debate.request
        first = replace(
            debate.requested,
            request=DebateRequest(
                request.template, "", asker or request.asker, request.place,
                schedule=request.schedule, after=request.after, story=request.story,
                again=request.again,
            ),
            fork=debate.fork and replace(debate.fork, assume=""),
        )  # fmt: skip
        deleted = TextsDeleted(
            because, debate.status, retained_outcome(document), digest(document), self.clock.now(),
            debate.private,
        )  # fmt: skip
        done = await self.store.delete_texts(debate.id, debate.count, first, deleted)
        if done:
            await self._keep_outcome(debate)
            facts = {"action": "texts_deleted", "debate": debate.id}
            logger.info("a debate's texts were deleted", extra=facts)
        return done

    async def delete_copies(self, of: Sequence[str], copies: Copies, because: str) -> Forgotten:
        """Deletes the texts of all debates that were made of some, the quotations of them in
        others, and their messages on platforms; a debate that still runs is named and left alone.
        """
        deleted, changed, running = list[str](), list[str](), list[str]()
        for id in copies.debates:
            debate = await self.service.load(id)
            if debate.final and await self.delete(debate, because):
                deleted.append(id)
            else:
                running.append(id)
        await self.removals.add([*of, *deleted])
        for id in copies.quoting:
            debate = await self.service.load(id)
            done = debate.final and await self._replace(
                debate, lambda event: _without(event, (*of, *copies.debates))
            )
            (changed if done else running).append(id)
        await self.store.clean_words()
        return Forgotten(tuple(deleted), tuple(changed), tuple(running))

    async def forget_person(self, person: str) -> Forgotten:
        """Deletes the texts of the debates that a person started, and their name and their texts in
        all others, under every name that the configuration gives them.
        """
        is_them = self._is_one_of(person)
        alias = str(Person("forgotten", "", secrets.token_hex(4)))
        deleted, changed, running = list[str](), list[str](), list[str]()
        accounts = {name.account for name in map(Person.parse, self.policy.accounts(person))}
        named = [id for account in sorted(accounts) for id in await self.store.find_named(account)]
        for id in dict.fromkeys(named):
            debate = await self.service.load(id)
            own = is_them(debate.request.asker)
            if not debate.final:
                running.append(id)
            elif own and debate.deleted is None:
                await self.delete(debate, "its starter asked for it", alias)
                deleted.append(id)
            elif await self._replace_name(debate, is_them, alias):
                changed.append(id)
        rows = await self.store.forget_name(is_them, alias)
        await self.store.clean_words()
        copies = await self.find_copies(deleted)
        known = bool(deleted or changed or running or rows)
        return Forgotten(tuple(deleted), tuple(changed), tuple(running), copies, known)

    async def find_copies(self, debates: Sequence[str]) -> Copies:
        """Returns everything else that holds the texts of these debates."""
        return await find_copies(self.traces, self.service, self.removals, debates)

    async def _replace_name(
        self, debate: Debate, is_them: Callable[[str], bool], alias: str
    ) -> bool:
        asker = debate.request.asker
        if is_them(asker):
            asker = alias
        held = debate.open.terms.held if debate.opened is not None else {}
        turns = {t.id for t in debate.turns if t.seat in held and is_them(held[t.seat].id)}
        return await self._replace(
            debate, lambda event: without_person(event, is_them, alias, turns), asker
        )

    async def _replace(
        self, debate: Debate, change: Callable[[Event], Event], asker: str = ""
    ) -> bool:
        """Replaces each event by the result of ``change``. Returns False if nothing changes, or if
        something happened in the debate meanwhile.
        """
        events = await self.service.debates.load(debate.id)
        if all(change(event) is event for event in events):
            return False
        asker = asker or debate.request.asker
        done = await self.store.replace_events(debate.id, debate.count, change, asker)
        if done:
            await self._keep_outcome(debate)
        return done

    async def _keep_outcome(self, before: Debate) -> None:
        """Stores the rest of a debate's outcome where lists and ratings read it; when it ended, and
        whether it held, stay as ``before``.
        """
        if before.concluded is not None:
            now = outcome(await self.service.load(before.id))
            await self.outcomes.save(before.id, now, before.concluded.at, held_of(before))

    def _is_one_of(self, person: str) -> Callable[[str], bool]:
        one = canonical(self.policy.person(person))

        def is_them(name: str) -> bool:
            return bool(name) and same_account(canonical(self.policy.person(name)), one)

        return is_them


def _without(event: Event, debates: Sequence[str]) -> Event:
    for id in debates:
        event = without_debate(event, id)
    return event


def _ever(left: datetime) -> datetime:
    """Returns a time by which every debate from before the workspace left has ended: they are
    stopped a little after it.
    """
    return left + timedelta(days=1)


def _days(seconds: float) -> str:
    days = seconds / 86400
    if days >= 1:
        return f"{days:g} day{'s' * (days != 1)}"
    return f"{seconds / 3600:g} hours"
