"""Implements ``core.application.records.Records`` over the store and the desk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from adapters.processes.threads import make_in_thread
from adapters.processes.workers import Work
from bot.debates.receipts import issue_receipt
from bot.desk.lookup import places_of
from bot.desk.parts import DeskParts
from bot.desk.reading.leaderboard import kinds, panels
from bot.desk.reading.readings import note_reading
from bot.doctor import examine
from bot.logs import recent
from core.application.check import PartCheck
from core.application.desk import Caller
from core.application.records import LogEntry
from core.debate.budget.pricing import DaySpent
from core.debate.errors import BadInput
from core.debate.material.escaping import show_hidden
from core.debate.state import Debate
from core.debate.verdict.learned.forecasts import FindingRatings
from core.debate.verdict.learned.ratings import Ratings, rate
from core.debate.verdict.learned.usefulness import GroupStanding
from core.words.receipt.reading import CheckedReceipt, check_receipt, statement_of
from core.words.receipt.signing import public_key, verify


@dataclass(frozen=True, slots=True)
class StoredRecords:
    """``work`` checks texts that people bring, in its own process."""

    desk: DeskParts
    work: Work

    async def ratings(self) -> Ratings:
        return rate(await self.desk.history.records())

    async def panels(self) -> Sequence[GroupStanding]:
        return await panels(self.desk)

    async def kinds(self, caller: Caller) -> Sequence[GroupStanding]:
        return await kinds(self.desk, caller)

    async def findings(self, caller: Caller) -> FindingRatings:
        return await self.desk.history.findings.ratings(caller.place)

    async def costs(self, caller: Caller, days: int) -> Sequence[DaySpent]:
        within = places_of(caller)
        start = (self.desk.clock.now() - timedelta(days=days)).date()
        return await self.desk.stores.spending.by_day(start, within)

    async def doctor(self) -> Sequence[PartCheck]:
        return await examine(self.desk.settings)

    def log(self) -> Sequence[LogEntry]:
        return [_entry_of(line) for line in reversed(tuple(recent))]

    def operates(self, caller: Caller) -> bool:
        person = self.desk.permissions.person(caller.person)
        return caller.shell or person in self.desk.permissions.policy.moderators

    async def receipt(self, debate: Debate, caller: Caller) -> CheckedReceipt:
        document = await issue_receipt(self.desk.service, self.desk.settings.signing_key, debate)
        key = public_key(self.desk.settings.signing_key)
        checks = await make_in_thread(verify, document, key, now=self.desk.clock.now())
        await note_reading(self.desk, caller, debate.id, "receipt")
        return CheckedReceipt(statement_of(document), tuple(checks), document)

    async def checked(self, text: str, key: str) -> CheckedReceipt:
        signing_key = self.desk.settings.signing_key
        if not key and not signing_key:
            raise BadInput("Whose signature? Give the public key of who issued the receipt.")
        now = self.desk.clock.now().isoformat()
        return await self.work(check_receipt, text, key or public_key(signing_key), now)


@lru_cache(recent.maxlen)
def _entry_of(line: str) -> LogEntry:
    """Reads one line of the log with no part left out; one that was cut is shown as it is. It is
    cached, since a page shows it many times.
    """
    try:
        fields = {
            name: show_hidden(text if isinstance(text, str) else json.dumps(text))
            for name, text in json.loads(line).items()
        }
    except ValueError:
        return LogEntry("", "", "", show_hidden(line), ())
    at, level, logger, what = (
        fields.pop(name, "") for name in ("timestamp", "level", "logger", "event")
    )
    return LogEntry(at[:19].replace("T", " "), level, logger, what, tuple(fields.items()))
