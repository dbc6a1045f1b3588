"""Words the texts between the parts of a debate's page."""

from __future__ import annotations

from core.languages import msgid, say
from core.words.views.course.happenings import SEARCH_FAILED, VOTES_CHANGED
from core.words.views.course.hot_seat import ASK_SEAT
from core.words.views.course.invitations import HELD as IT_HELD
from core.words.views.course.invitations import NOT_HELD, POST_REVIEW, RECORD, STOP_SURE
from core.words.views.documents.headings import DISAGREES, HOW_DECIDED
from core.words.views.verdict.cruxes import TURNS_ON
from core.words.views.verdict.dissent import SETTLES
from core.words.views.verdict.findings import to_fix
from core.words.views.verdict.objection import EXCHANGE
from core.words.views.verdict.objection import OBJECTION as OBJECTED
from core.words.views.verdict.stances import HIDDEN, NOBODY_MOVED

NOBODY_SPEAKS = msgid("Nobody speaks at the moment.")
DECIDING = msgid("Findings that decide")
VOTES = msgid("Table of the votes")
USEFUL, DID_HOLD = msgid("Was this verdict useful to you?"), msgid("Did this verdict hold?")
VOTE_NOW, VOTE_THEN = msgid("Your vote on the verdict"), msgid("Your vote, if it ended now")
VOTE_CLOSED = msgid("The vote on this verdict is closed.")
OPENS_AGAIN = msgid("An objection opens it again.")
NOTHING_FOUND, NOTHING_YET = msgid("Nothing was found."), msgid("Nothing was found yet.")
WAITS = msgid("waits for an answer")
WRONG, OBJECTION = msgid("What is wrong with it?"), msgid("Your objection; a seat must answer it")
SAY, OBJECT = msgid("Say something"), msgid("Object to the verdict")
NO_JUDGE = msgid("It was a demonstration, whose models cannot judge an objection.")
OTHER_MODELS = msgid("Start a debate with other models")
OBJECTION_AFTER = msgid("Your objection; the seats concerned answer it and decide again")
STANCES, PICTURE, TABLE = (
    msgid("How the stances moved"),
    msgid("Picture of the stances"),
    msgid("Table of the stances"),
)
REPORT = msgid("The report of this debate, as its template asks for it")
NOT_FOUND = msgid("the quote could not be found")
MODEL_HIDDEN = msgid("model hidden until the end")
ARGUMENT = msgid("The argument about it")
CHANGE, SEE_CHANGE = msgid("The change"), msgid("See the whole change")
TEXT, SEE_TEXT = msgid("The text"), msgid("See the whole text")
AT_LINES, KEYS = msgid("at their lines."), msgid("go to the next and the one before.")
ELSEWHERE, NOT_WHOLE = (
    msgid("Findings without a line of the change"),
    msgid("Not read, or not all of it"),
)
PATCH = msgid("The fix as a patch. Code has checked that it fits the change.")
PATCH_OF, COPY_PATCH = msgid("The patch"), msgid("Copy the patch")
TEST_OF = msgid("The test")
COPY_LINK = msgid("Copy the link")
BRANCHES = msgid("Several branches side by side")
BRANCH_LINES = msgid("One branch on each line: without SEAT, models a,b, assume TEXT or strict")

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
    "RECORD",
    "SEARCH_FAILED",
    "SETTLES",
    "STOP_SURE",
    "TURNS_ON",
    "VOTES_CHANGED",
    "to_fix",
)  # fmt: skip
"""The page's texts that it shares with other surfaces."""


def speaks(seat: str) -> str:
    """Names the box that shows a seat's statement while it is being written."""
    if not seat.startswith("participant "):
        seat = say("the {name}", name=seat)
    return say("What {seat} says", seat=seat)


def described(seats: int, rounds: int) -> str:
    """Describes the picture of the stances for people who do not see it."""
    return say(
        "Stances of {seats} seats over {rounds} rounds; the numbers are below.",
        seats=seats,
        rounds=rounds,
    )


def held_words(person: str, held: bool) -> str:
    """Describes a person's later word on whether the verdict held."""
    if held:
        return say("{person}: the verdict held", person=person)
    return say("{person}: the verdict did not hold", person=person)
