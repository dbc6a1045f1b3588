"""The day on which the bot asks people again whether a decision held."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from core.debate.events import FollowUpDue
from core.debate.state import Debate
from core.debate.stored import stored, stored_many
from core.debate.template import Template
from core.debate.verdict.condition import is_for_show

DATED = ("review_date", "follow_up_date")
"""The sections of a report that name a day."""
DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


def follow_up_date(debate: Debate) -> FollowUpDue | None:
    """Returns the question whether the decision held, and when the bot asks it: on the day that the
    report names, if that is after the debate, else the template's number of days after the verdict.
    """
    template, title = debate.open.template, debate.open.material.title
    question = stored("Did it hold? {title}", title=title)
    for field in DATED:
        if field in check_names(template) and (day := day_in(debate, field)) is not None:
            return FollowUpDue(question, _morning(day))
    days, ended = template.follow_up_days, debate.concluded
    if days is None or ended is None or debate.lost or is_for_show(debate):
        return None
    because = stored_many(days, "The verdict is a day old.", "The verdict is {n} days old.")
    return FollowUpDue(question, _morning(ended.at.date() + timedelta(days)), because)


def pending_follow_up(debate: Debate) -> FollowUpDue | None:
    """Returns the question to a finished debate while it was not posted and nobody answered it."""
    if (
        debate.opened is None
        or debate.closed is None
        or debate.follow_up is not None
        or debate.resolved is not None
    ):
        return None
    return follow_up_date(debate)


def _morning(day: date) -> datetime:
    return datetime.combine(day, time(9), UTC)


def check_names(template: Template) -> tuple[str, ...]:
    given = template.settings.get("checks")
    if isinstance(given, list | tuple):
        return tuple(given)
    return ()


def day_in(debate: Debate, field: str) -> date | None:
    for match in DATE.finditer(section_of(debate, field)):
        try:
            day = date(*map(int, match.groups()))
        except ValueError:
            continue
        if day > debate.open.at.date():
            return day
    return None


def section_of(debate: Debate, name: str) -> str:
    closing = [statement for turn, statement in debate.statements() if turn.closing]
    written = [
        statement.sections[name]
        for statement in closing
        if statement.sections.get(name, "").strip()
    ]
    return next(reversed(written), "")
