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
from core.languages import ENGLISH, LANGUAGES, cents, english_name, say, spoken

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
        raise BadInput("--budget is an amount of USD above 0, not {budget}.", budget=rules.budget)
    try:
        ZoneInfo(rules.tz)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise BadInput(
            "{tz} is no time zone. Write one like Europe/Berlin.", tz=rules.tz
        ) from error
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
        starts.append(say("the label {labels}", labels=", ".join(rules.labels)))
    if rules.comments:
        starts.append(say("a comment /debate by somebody who may write there"))
    if rules.opened and rules.drafts:
        starts.append(say("every opened pull request, drafts too"))
    elif rules.opened:
        starts.append(say("every opened pull request"))
    causes = "; ".join(starts) or say("nothing but a command here")
    lines = [say("Starts a debate: {causes}.", causes=causes)]
    if rules.pushes:
        lines.append(say("After each push what is new is debated."))
    else:
        lines.append(say("Pushes start nothing."))
    template, usd = rules.template, cents(rules.budget or 0)
    if rules.budget is None:
        lines.append(say("Template: {template}.", template=template))
    else:
        lines.append(
            say("Template: {template}, at most {usd} USD each.", template=template, usd=usd)
        )
    if rules.quiet:
        start, _, end = rules.quiet.partition("-")
        lines.append(
            say("Quiet from {start} to {end} o'clock ({tz}).", start=start, end=end, tz=rules.tz)
        )
    if rules.request_changes:
        lines.append(say("An approved review may ask for changes; it never approves."))
    else:
        lines.append(say("An approved review only comments; it never approves."))
    if rules.language != ENGLISH:
        language = LANGUAGES.get(rules.language, rules.language)
        if spoken() == ENGLISH:
            language = english_name(rules.language)
        lines.append(say("Reviews are written in {language}.", language=language))
    return "\n".join(lines)
