"""The rules of a channel that is bound to a repository: what starts debates there, and how they are
held.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from core.debate.errors import BadInput
from core.languages import ENGLISH, english_name

_HOURS = re.compile(r"([01]?\d|2[0-3])(?::00)?\s*-\s*([01]?\d|2[0-3])(?::00)?")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one binding.

    ``labels`` start a debate when one is added; ``comments`` lets people write ``/debate`` on the
    pull request; ``opened`` debates every new pull request, ``drafts`` also drafts. ``quiet`` is
    "22-7" in the time zone ``tz``: runs wanted then begin afterwards. ``budget`` is USD for one
    debate, ``language`` that of reviews and checks on the forge.
    """

    labels: tuple[str, ...] = ("debate",)
    comments: bool = True
    opened: bool = False
    drafts: bool = False
    pushes: bool = True
    template: str = "code_review"
    budget: float | None = None
    quiet: str = ""
    tz: str = "UTC"
    request_changes: bool = False
    checks: bool = True
    language: str = ENGLISH


def rules_of(stored: Mapping[str, Any]) -> Rules:
    """Returns the stored rules, with the default for each that is missing."""
    return msgspec.convert(dict(stored), Rules)


def stored(rules: Rules) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(rules)
    return made


def checked(rules: Rules) -> Rules:
    """Raises ``BadInput`` for invalid hours, an unknown time zone, or a budget of nothing."""
    if rules.quiet and _HOURS.fullmatch(rules.quiet) is None:
        raise BadInput("Quiet hours are written like 22-7.")
    if rules.budget is not None and rules.budget <= 0:
        raise BadInput(f"--budget is an amount of USD above 0, not {rules.budget}.")
    try:
        ZoneInfo(rules.tz)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise BadInput(f"{rules.tz} is no time zone. Write one like Europe/Berlin.") from error
    return rules


def quiet_until(rules: Rules, now: datetime) -> datetime | None:
    """Returns the end of the quiet hours, or None if it is not quiet now."""
    hours = _HOURS.fullmatch(rules.quiet)
    if hours is None:
        return None
    first, last = int(hours[1]) % 24, int(hours[2]) % 24
    here = now.astimezone(ZoneInfo(rules.tz))
    length = (last - first) % 24 or 24
    if (here.hour - first) % 24 >= length:
        return None
    end = here.replace(hour=last, minute=0, second=0, microsecond=0)
    if end <= here:
        end += timedelta(days=1)
    return end.astimezone(now.tzinfo)


def describe_rules(rules: Rules) -> str:
    """Describes the rules for people."""
    starts = []
    if rules.labels:
        starts.append(f"the label {', '.join(rules.labels)}")
    if rules.comments:
        starts.append("a comment /debate by somebody who may write there")
    if rules.opened:
        starts.append("every opened pull request" + (", drafts too" if rules.drafts else ""))
    lines = [f"Starts a debate: {'; '.join(starts) or 'nothing but a command here'}."]
    pushes = "Pushes start nothing."
    if rules.pushes:
        pushes = "After each push what is new is debated."
    lines.append(pushes)
    budget = ""
    if rules.budget is not None:
        budget = f", at most {rules.budget:.2f} USD each"
    lines.append(f"Template: {rules.template}{budget}.")
    if rules.quiet:
        lines.append(f"Quiet from {rules.quiet.replace('-', ' to ')} o'clock ({rules.tz}).")
    asks = "only comments"
    if rules.request_changes:
        asks = "may ask for changes"
    lines.append(f"An approved review {asks}; it never approves.")
    if rules.language != ENGLISH:
        lines.append(f"Reviews are written in {english_name(rules.language)}.")
    return "\n".join(lines)
