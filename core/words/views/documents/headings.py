"""Words the titles in reports, pages and documents, and the sentences with them."""

from __future__ import annotations

from statistics import median

from core.debate.budget import dollars
from core.debate.state import Debate
from core.debate.verdict import same_option, verdict
from core.words.views.language.grammar import capital, listed, option_words, plural
from core.words.views.language.seats import role_words
from core.words.views.verdict.decision import decision
from core.words.views.verdict.dissent import WHO
from core.words.views.verdict.scores import NOT_ASSESSED

RESTS_ON, TO_DO, DISAGREES = "What it rests on", "To do", WHO
BEFORE_RELYING, HOW_DECIDED = "Before you rely on it", "How this was decided"
CHANGED, DRAWN_BY = "What the debate changed", "How seats were drawn"
PANEL_SIZE = "Size of the panel"
UNPLACED, UNCOUNTED = "Claims that could not be placed", "Findings that are not counted"
UNPROVEN = "Evidence that could not be found"
BARE_QUESTION = "the question quotes nothing of the opening that it asks about"
AROUND, LOOKED_UP = "code around the change", "looked up"
PROVEN = "Found by code, whatever models say:"
COLUMNS = ("Debate", "Verdict", "Title", "Kind", "Started")
"""The column titles of a list of debates on a screen."""
DELETED, NOT_STARTED = "Its texts were deleted.", "It could not start."


def unknown_form(form: str) -> str:
    """Tells a person that no document has the form they asked for."""
    return f"I export md, json or html, not {form}."


def confidence_words(debate: Debate) -> str:
    """Describes the stated confidence of the seats that hold the decision, which is not
    calibrated.
    """
    decided = verdict(debate).decision if decision(debate).reached else ""
    stated = [
        stance.confidence
        for _, stance in debate.stances().values()
        if same_option(stance.option, decided)
    ]
    if not stated:
        return NOT_ASSESSED
    return f"{median(stated):.0%}, as {plural(len(stated), 'seat')} said of themselves, unchecked"


def fork_sentence(debate: Debate) -> str:
    """Describes the origin and conditions of a fork; empty for other debates."""
    fork = debate.fork
    if fork is None:
        return ""
    changed = (
        ("without ", role_words(fork.without)),
        ("with ", listed(fork.models)),
        ("assuming: ", " ".join(fork.assume.split()).rstrip(".")),
    )
    conditions = "; ".join(f"{what}{value}" for what, value in changed if value)
    same = "under the same conditions"
    return f"Forked from {fork.parent} after {fork.at} events, {conditions or same}."


def size_sentence(debate: Debate) -> str:
    """Explains why a panel had its size; empty for debates of one size."""
    sizing = debate.open.terms.sizing
    if sizing is None:
        return ""
    guess = f"no estimate: {sizing.why_not}"
    if sizing.estimate is not None:
        guess = f"{sizing.estimated_by} estimated {sizing.estimate:.2f}"
    prices = ""
    if sizing.standard != 0 or sizing.extended != 0:
        standard, extended = dollars(sizing.standard), dollars(sizing.extended)
        prices = f"; standard at most {standard}, extended at most {extended}"
    return f"{capital(option_words(sizing.form))}: {sizing.why} ({guess}{prices})."


def curve_words(seats: int, stated: float, right: float) -> str:
    """Describes one step of the curve of stated confidence."""
    return f"{plural(seats, 'seat')} said {stated:.0%} and were right in {right:.0%}"
