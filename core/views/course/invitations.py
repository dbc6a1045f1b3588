"""What readers are asked to do: buttons, forms, questions, and the commands that do the same."""

from __future__ import annotations

from core.debate import Debate
from core.views.course.progress import votes_count

STOP_SURE = "Stop this debate? What was said so far is kept and closed with a report."
YOUR_VOTE = "Your vote on this verdict"
HELD, NOT_HELD = "It held", "It did not hold"
USEFUL, NOT_USEFUL = "Useful", "Not useful"
POST_REVIEW, OPEN_ISSUES = "Post the review", "Create issues"
CHALLENGE, TRANSCRIPT, AGAIN, MORE = "Challenge", "Transcript", "Re-run", "More …"
SHOW_WHOLE = "show the whole"
MORE_BELOW, MORE_IN_REPORT = "… more in the thread", "More stands in the report."
TYPE_HERE = "Type a challenge or a vote and press Enter · Ctrl-C pauses"
PAUSES = "Ctrl-C pauses"
CONTINUED = "continued"
_PROMPTS = {
    "challenge": "Your challenge to the seats",
    "fork": "What a new run should take as given",
    "vote": "Your choice",
}
"""By the action of the button that opens the form."""


def prompt(action: str) -> str:
    """What a form asks for in its one field."""
    return _PROMPTS.get(action, "Your text")


def unfolds_line(character: str) -> str:
    """How a quiet debate is shown whole."""
    return f"{character} on this message shows the whole"


def commands(debate: Debate) -> tuple[str, ...]:
    """What can be done in a shell with a debate that is over, a line each."""
    id, later = debate.id, ""
    if not (debate.lost or debate.open.terms.demo):
        later = f" · later: debate held {id} yes|no"
    told = (
        f"What if: debate fork {id} --without SEAT{later}",
        f"To send on: debate export {id} html · all of it: debate show {id}",
    )
    if not votes_count(debate):
        return told
    over = f"When their time is over: debate resume {id}"
    return (f"Votes still count: debate vote {id} OPTION. {over}", *told)


def more_line(rest: int, id: str) -> str:
    """Where those stand that a screen has no room for."""
    return f"and {rest} more: debate show {id}"
