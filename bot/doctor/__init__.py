"""The doctor: it lists what is configured and what is missing, with the next step for each.

It sends nothing to anyone but this machine (a local model server, the database), the configured
chats, of which it asks the permissions of their tokens, and the servers of default models that no
table has, of which it asks their lists. ``live`` tries the rest. It shows no secret, only that
there is one.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.doctor import chats, configured, machine, models
from bot.settings import VARIABLES, Settings
from core.application.check import DoctorState, PartCheck


async def examine(settings: Settings) -> list[PartCheck]:
    """Examines everything and returns the results. It never raises for a fault that it reports."""
    return [
        *configured.unreadable(settings),
        *machine.machine(),
        *await models.chosen(settings),
        *models.described(settings),
        *machine.embedded(settings),
        *await machine.database(settings),
        *machine.part(settings),
        *await chats.slack(settings),
        *await chats.discord(settings),
        *read_settings(settings),
        *configured.plugins(settings),
        configured.room(settings),
        configured.figures(settings),
        configured.budgets(settings),
        *configured.dotenv(settings),
    ]


def read_settings(settings: Settings) -> list[PartCheck]:
    """Returns the results of the checks that ask nobody and open no database."""
    return [
        *configured.forges(settings),
        configured.gate(settings),
        *configured.templates(settings),
        configured.receipts(settings),
        *configured.tracing(settings),
    ]


def as_text(findings: list[PartCheck]) -> str:
    """Returns a table of plain lines, with the next step below each line that needs one."""
    width = max(len(f.part) for f in findings)
    marks = {
        DoctorState.OK: "ok    ",
        DoctorState.OFF: "off   ",
        DoctorState.CARE: "care  ",
        DoctorState.BROKEN: "BROKEN",
    }
    lines = []
    for f in findings:
        lines.append(f"{marks[f.state]}  {f.part:<{width}}  {f.what}")
        if f.next:
            first, *more = f.next.splitlines()
            lines.append(f"{'':8}{'':{width}}  -> {first}")
            lines += [f"{'':8}{'':{width}}     {line}" for line in more]
    return "\n".join(lines)


def as_document(findings: list[PartCheck], settings: Settings) -> dict[str, Any]:
    """Returns the results for machines, with the names of the environment that are set and never
    their values.
    """
    return {
        "findings": [asdict(f) for f in findings],
        "environment": {one.name: bool(settings.env.get(one.name)) for one in VARIABLES.values()},
        "ok": not any(f.state is DoctorState.BROKEN for f in findings),
    }
