"""Words the invitations to readers: buttons, forms, questions, and the commands that do the
same.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from core.debate.material import ChangeState
from core.debate.state import Debate
from core.debate.status import DebateStatus
from core.languages import msgid, say
from core.words.views.course.progress import is_asked, votes_count

STOP_SURE = msgid("Stop this debate? Everything so far is kept and closed with a report.")
YOUR_VOTE = msgid("Your vote on this verdict")
HELD, NOT_HELD = msgid("It held"), msgid("It did not hold")
USEFUL, NOT_USEFUL = msgid("Useful"), msgid("Not useful")
POST_REVIEW, OPEN_ISSUES = msgid("Post the review"), msgid("Create issues")
CHALLENGE, TRANSCRIPT, AGAIN, MORE = (
    msgid("Challenge"),
    msgid("Transcript"),
    msgid("Re-run"),
    msgid("More …"),
)
RECORD = msgid("Decision record")
SHOW_WHOLE = msgid("show the whole")
MORE_BELOW, MORE_IN_REPORT = msgid("… more in the thread"), msgid("More is in the report.")
TYPE_HERE = msgid("Type a challenge or a vote and press Enter · Ctrl-C pauses")
PAUSES = msgid("Ctrl-C pauses")
CONTINUED = msgid("continued")
_PROMPTS = {
    "challenge": msgid("Your challenge to the seats"),
    "say": msgid("Your statement"),
    "fork": msgid("What a new run should take as given"),
    "vote": msgid("Your choice"),
}
"""The texts of forms by the action of the button that opens them."""
_TITLES = {
    "challenge": CHALLENGE,
    "say": msgid("Answer"),
    "fork": msgid("Fork"),
    "stop": msgid("Stop"),
}
"""The titles of forms and questions by the action of the button that opens them."""
_SOON = timedelta(days=1)
"""The time after a verdict before which people are not asked whether it held, unless a merge or a
close answers it.
"""


def prompt(action: str) -> str:
    """Returns the prompt of a form's one field."""
    return say(_PROMPTS.get(action, msgid("Your text")))


def title(action: str, label: str) -> str:
    """Returns the title of the form or the question that a button opens, for the person who
    presses it: ``label`` is in the language of the place.
    """
    return say(_TITLES.get(action, label))


def judgement_counts(debate: Debate) -> bool:
    """True if a verdict came from models good enough to ask people about it, so not from the
    embedded model.
    """
    return not (debate.lost or debate.open.terms.demo)


def known_at_once(debate: Debate) -> bool:
    """True if people can tell at once if the verdict held: the change was merged or closed before
    the debate.
    """
    over = debate.final or (debate.over and not debate.open.terms.vote_window)
    settled = debate.open.material.facts.get("state", ChangeState.OPEN) != ChangeState.OPEN
    return judgement_counts(debate) and over and settled


def can_be_known(debate: Debate, now: datetime | None) -> bool:
    """True if people can tell if the verdict held, and nobody has yet: at once, on the follow-up
    day, or a day later; without ``now`` its age does not count.
    """
    if debate.resolved is not None or debate.concluded is None or not judgement_counts(debate):
        return False
    old = debate.final and now is not None and now - debate.concluded.at >= _SOON
    return old or is_asked(debate) or known_at_once(debate)


def unfolds_line(character: str) -> str:
    """Explains how to show a quiet debate in full."""
    return say("{character} on this message shows the whole", character=character)


def commands(debate: Debate) -> tuple[str, ...]:
    """Lists the shell commands for a finished debate, one a line."""
    id, later = debate.id, ""
    if debate.status is DebateStatus.FAILED:
        more = say("all of it: debate show {id}", id=id)
        return (
            say("With another model: debate fork {id} --models NAME · {more}", id=id, more=more),
        )
    if judgement_counts(debate):
        later = say(" · later: debate held {id} yes|no", id=id)
    lines = (
        say("What if: debate fork {id} --without SEAT{later}", id=id, later=later),
        say("To send on: debate export {id} html · all of it: debate show {id}", id=id),
    )
    if not votes_count(debate):
        return lines
    over = say("When their time is over: debate resume {id}", id=id)
    return (say("Votes still count: debate vote {id} OPTION. {over}", id=id, over=over), *lines)


def more_line(rest: int, id: str) -> str:
    """Says where to find the items for which a screen has no room."""
    return say("and {rest} more: debate show {id}", rest=rest, id=id)
