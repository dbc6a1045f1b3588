"""All stores of one database, made once for a process."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from storage.audit import AuditLog
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import Debates
from storage.debates.calls import Spending
from storage.debates.judged import JudgedFindings
from storage.debates.outcomes import Outcomes
from storage.forgetting import Forgetting
from storage.forgetting.removals import Removals
from storage.hooks import Hooks
from storage.messages import MessageStore
from storage.outbox import Outbox
from storage.places import Places
from storage.schedules import Schedules
from storage.search import Search
from storage.work import WorkQueue


class Stores:
    """The stores of one database; ``lease`` and ``may_see_private`` are as in ``Outbox`` and
    ``Places``.
    """

    def __init__(
        self, database: Database, lease: timedelta, may_see_private: Callable[[str], bool]
    ) -> None:
        self.database = database
        self.audit = AuditLog(database)
        self.queue = CommandQueue(database)
        self.debates = Debates(database)
        self.forgetting = Forgetting(database)
        self.hooks = Hooks(database)
        self.judged = JudgedFindings(database)
        self.messages = MessageStore(database)
        self.outbox = Outbox(database, lease)
        self.outcomes = Outcomes(database)
        self.places = Places(database, may_see_private)
        self.work = WorkQueue(database)
        self.removals = Removals(database, self.work)
        self.schedules = Schedules(database)
        self.search = Search(database)
        self.spending = Spending(database)
