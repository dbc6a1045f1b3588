"""Words the texts between the parts of a debate's page."""

from __future__ import annotations

from core.words.views.course.happenings import VOTES_CHANGED
from core.words.views.course.hot_seat import ASK_SEAT
from core.words.views.course.invitations import HELD as IT_HELD
from core.words.views.course.invitations import NOT_HELD, POST_REVIEW, STOP_SURE
from core.words.views.course.searching import SEARCH_FAILED
from core.words.views.documents.headings import DISAGREES, HOW_DECIDED
from core.words.views.verdict.cruxes import TURNS_ON
from core.words.views.verdict.findings import to_fix
from core.words.views.verdict.objection import EXCHANGE
from core.words.views.verdict.objection import OBJECTION as OBJECTED
from core.words.views.verdict.stances import NOBODY_MOVED
from core.words.views.verdict.votes import HIDDEN

NOBODY_SPEAKS = "Nobody speaks at the moment."
DECIDING = "Findings that decide"
VOTES = "Table of the votes"
USEFUL, DID_HOLD = "Was this verdict useful to you?", "Did this verdict hold?"
VOTE_NOW, VOTE_THEN = "Your vote on the verdict", "Your vote, if it ended now"
VOTE_CLOSED = "The vote on this verdict is closed. An objection opens it again."
NOTHING_FOUND, NOTHING_YET = "Nothing was found.", "Nothing was found yet."
WAITS = "waits for an answer"
WRONG, OBJECTION = "What is wrong with it?", "Your objection; a seat must answer it"
SAY, OBJECT = "Say something", "Object to the verdict"
OBJECTION_AFTER = "Your objection; the seats concerned answer it and decide again"
STANCES, PICTURE, TABLE = "How the stances moved", "Picture of the stances", "Table of the stances"
REPORT = "The report of this debate, as its template asks for it"
NOT_FOUND = "the quote could not be found"
MODEL_HIDDEN = "model hidden until the end"
ARGUMENT = "The argument about it"
CHANGE, SEE_CHANGE = "The change", "See the whole change"
TEXT, SEE_TEXT = "The text", "See the whole text"
AT_LINES, KEYS = "at their lines.", "go to the next and the one before."
ELSEWHERE, NOT_WHOLE = "Findings without a line of the change", "Not read, or not all of it"
PATCH = "The fix as a patch. Code has checked that it fits the change."
PATCH_OF, COPY_PATCH = "The patch", "Copy the patch"
TEST_OF = "The test"
COPY_LINK = "Copy the link"
BRANCHES = "Several branches side by side"
BRANCH_LINES = "One branch on each line: without SEAT, models a,b, assume TEXT or strict"

__all__ = (
    "ASK_SEAT",
    "DISAGREES",
    "EXCHANGE",
    "HIDDEN",
    "HOW_DECIDED",
    "IT_HELD",
    "NOBODY_MOVED",
    "NOT_HELD",
    "OBJECTED",
    "POST_REVIEW",
    "SEARCH_FAILED",
    "STOP_SURE",
    "TURNS_ON",
    "VOTES_CHANGED",
    "to_fix",
)  # fmt: skip
"""The page's texts that it shares with other surfaces."""


def speaks(seat: str) -> str:
    """Names the box that shows a seat's statement while it is being written."""
    return f"What {seat if seat.startswith('participant ') else f'the {seat}'} says"


def described(seats: int, rounds: int) -> str:
    """Describes the picture of the stances for people who do not see it."""
    return f"Stances of {seats} seats over {rounds} rounds; the numbers are below."


def held_words(person: str, held: bool) -> str:
    """Describes a person's later word on whether the verdict held."""
    return f"{person}: the verdict {'held' if held else 'did not hold'}"
