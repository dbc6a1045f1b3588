"""What is configured, what is missing, and the next step for each: the answer to "why does it not".

Nothing is sent anywhere but to this machine (a local model server, the database), to the chats that
are configured, which are asked what their tokens may do, and to the servers of default models that
no table knows, which are asked for their lists. ``live`` tries the rest. No secret is shown: only
that it is there.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.doctor import chats, configured, machine, models
from bot.doctor.finding import Finding, State
from bot.settings import Settings, variables

__all__ = ["Finding", "State", "as_document", "as_text", "examine"]


async def examine(settings: Settings) -> list[Finding]:
    """Looks at everything. Never raises for what it finds."""
    return [
        *machine.machine(),
        *await models.chosen(settings),
        *models.described(settings),
        *machine.embedded(settings),
        *await machine.database(settings),
        *machine.part(settings),
        *await chats.slack(settings),
        *await chats.discord(settings),
        *configured.forges(settings),
        *configured.templates(settings),
        *configured.plugins(settings),
        configured.receipts(settings),
        configured.room(settings),
        configured.figures(settings),
        configured.budgets(settings),
        *configured.dotenv(settings),
    ]


def as_text(findings: list[Finding]) -> str:
    """A table of plain lines, what needs doing below each."""
    width = max(len(f.part) for f in findings)
    marks = {State.OK: "ok    ", State.OFF: "off   ", State.CARE: "care  ", State.BROKEN: "BROKEN"}
    lines = []
    for f in findings:
        lines.append(f"{marks[f.state]}  {f.part:<{width}}  {f.what}")
        if f.next:
            first, *more = f.next.splitlines()
            lines.append(f"{'':8}{'':{width}}  -> {first}")
            lines += [f"{'':8}{'':{width}}     {line}" for line in more]
    return "\n".join(lines)


def as_document(findings: list[Finding], settings: Settings) -> dict[str, Any]:
    """For machines: the findings, and which names of the environment are set (never what they
    hold).
    """
    return {
        "findings": [asdict(f) for f in findings],
        "environment": {v.name: bool(v.value) for v in variables(settings)},
        "ok": not any(f.state is State.BROKEN for f in findings),
    }
