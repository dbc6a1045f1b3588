"""Words the invitations to readers: buttons, forms, questions, and the commands that do the
same.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from core.debate.material import ChangeState
from core.debate.state import Debate
from core.debate.status import DebateStatus
from core.words.views.course.progress import is_asked, votes_count

STOP_SURE = "Stop this debate? What was said so far is kept and closed with a report."
YOUR_VOTE = "Your vote on this verdict"
HELD, NOT_HELD = "It held", "It did not hold"
USEFUL, NOT_USEFUL = "Useful", "Not useful"
POST_REVIEW, OPEN_ISSUES = "Post the review", "Create issues"
CHALLENGE, TRANSCRIPT, AGAIN, MORE = "Challenge", "Transcript", "Re-run", "More …"
SHOW_WHOLE = "show the whole"
MORE_BELOW, MORE_IN_REPORT = "… more in the thread", "More is in the report."
TYPE_HERE = "Type a challenge or a vote and press Enter · Ctrl-C pauses"
PAUSES = "Ctrl-C pauses"
CONTINUED = "continued"
_PROMPTS = {
    "challenge": "Your challenge to the seats",
    "say": "Your statement",
    "fork": "What a new run should take as given",
    "vote": "Your choice",
}
"""The texts of forms by the action of the button that opens them."""
_SOON = timedelta(days=1)
"""The time after a verdict before which people are not asked whether it held, unless a merge or a
close answers it.
"""


def prompt(action: str) -> str:
    """Returns the prompt of a form's one field."""
    return _PROMPTS.get(action, "Your text")


def judgement_counts(debate: Debate) -> bool:
    """True if a verdict came from models good enough for people to be asked about it, so not from
    the embedded model.
    """
    return not (debate.lost or debate.open.terms.demo)


def known_at_once(debate: Debate) -> bool:
    """True if people can tell at once if the verdict held: the change was merged or closed before
    the debate.
    """
    over = debate.final or not debate.open.terms.vote_window
    settled = debate.open.material.facts.get("state", ChangeState.OPEN) != ChangeState.OPEN
    return judgement_counts(debate) and over and settled


def can_be_known(debate: Debate, now: datetime | None = None) -> bool:
    """True if people can tell if the verdict held, and nobody has yet: at once, on the follow-up
    day, or a day later; without ``now`` its age does not count.
    """
    if debate.resolved is not None or debate.concluded is None or not judgement_counts(debate):
        return False
    old = debate.final and now is not None and now - debate.concluded.at >= _SOON
    return old or is_asked(debate) or known_at_once(debate)


def unfolds_line(character: str) -> str:
    """Explains how to show a quiet debate in full."""
    return f"{character} on this message shows the whole"


def commands(debate: Debate) -> tuple[str, ...]:
    """Lists the shell commands for a finished debate, one a line."""
    id, later = debate.id, ""
    if debate.status is DebateStatus.FAILED:
        more = f"all of it: debate show {id}"
        return (f"With another model: debate fork {id} --models NAME · {more}",)
    if judgement_counts(debate):
        later = f" · later: debate held {id} yes|no"
    lines = (
        f"What if: debate fork {id} --without SEAT{later}",
        f"To send on: debate export {id} html · all of it: debate show {id}",
    )
    if not votes_count(debate):
        return lines
    over = f"When their time is over: debate resume {id}"
    return (f"Votes still count: debate vote {id} OPTION. {over}", *lines)


def more_line(rest: int, id: str) -> str:
    """Says where to find the items for which a screen has no room."""
    return f"and {rest} more: debate show {id}"
