"""The application as a surface gets it: everything that people and programs can ask for."""

from __future__ import annotations

from dataclasses import dataclass

from core.application.debates import Debates
from core.application.desk import Desk
from core.application.records import Records
from core.application.tokens import Tokens
from core.application.webhooks import Webhooks


@dataclass(frozen=True, slots=True)
class Application:
    """``desk`` executes requests; the others read, each for one caller."""

    desk: Desk
    debates: Debates
    tokens: Tokens
    webhooks: Webhooks
    records: Records
