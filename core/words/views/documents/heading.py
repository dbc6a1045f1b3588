"""Words a debate's title and its labels."""

from __future__ import annotations

from collections.abc import Mapping

from core.debate.state import Debate
from core.languages import say


def title_of(debate: Debate) -> str:
    if debate.opened is not None:
        return debate.opened.material.title or debate.request.target
    return debate.request.target or debate.request.template


def labels_line(labels: Mapping[str, str], *, demo: bool = False) -> str:
    """Lists a debate's labels: "payments, high priority, due 2027-01-31"; a demonstration is one
    of them.
    """
    priority, due = labels.get("priority", ""), labels.get("target-date", "")
    parts = (
        labels.get("department", ""),
        say("{priority} priority", priority=priority) if priority else "",
        say("due {due}", due=due) if due else "",
        say("demonstration") if demo else "",
    )
    return ", ".join(filter(None, parts))
