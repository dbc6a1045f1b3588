"""Words the titles in reports, pages and documents, and the sentences with them."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from core.debate.state import Debate
from core.debate.verdict import same_option, verdict
from core.languages import decimal, msgid, percent, say, say_if
from core.languages.stored import say_stored
from core.words.views.language.grammar import at_most, capital, listed, option_words, plural
from core.words.views.language.seats import role_words
from core.words.views.verdict.decision import decision
from core.words.views.verdict.dissent import WHO
from core.words.views.verdict.scores import NOT_ASSESSED

RESTS_ON, TO_DO, DISAGREES = msgid("What it is based on"), msgid("To do"), WHO
BEFORE_RELYING, HOW_DECIDED = msgid("Before you rely on it"), msgid("How this was decided")
CHANGED, DRAWN_BY = msgid("What the debate changed"), msgid("How seats were drawn")
PANEL_SIZE = msgid("Size of the panel")
UNPLACED, UNCOUNTED = (
    msgid("Claims that could not be placed"),
    msgid("Findings that are not counted"),
)
UNPROVEN = msgid("Evidence that could not be found")
BARE_QUESTION = msgid("the question quotes nothing of the opening that it asks about")
AROUND, LOOKED_UP = msgid("code around the change"), msgid("looked up")
PROVEN = msgid("Found by code, whatever models say:")
COLUMNS = (msgid("Debate"), msgid("Verdict"), msgid("Title"), msgid("Kind"), msgid("Started"))
"""The column titles of a list of debates on a screen."""
DELETED, NOT_STARTED = msgid("Its texts were deleted."), msgid("It could not start.")


def unknown_form(form: str) -> str:
    """Tells a person that no document has the form they asked for."""
    return say("I export md, json or html, not {form}.", form=form)


def confidence_words(debate: Debate) -> str:
    """Describes the stated confidence of the seats that hold the decision, which is not
    calibrated.
    """
    stated = [
        stance.confidence
        for _, stance in debate.stances().values()
        if same_option(stance.option, verdict(debate).decision)
    ]
    if not (stated and decision(debate).reached):
        return say(NOT_ASSESSED)
    return say(
        "{median}, as {seats} said of themselves, unchecked",
        median=percent(median(stated)),
        seats=plural(len(stated), "seat"),
    )


def fork_sentence(debate: Debate) -> str:
    """Describes the origin and conditions of a fork; empty for other debates."""
    fork = debate.fork
    if fork is None:
        return ""
    changed = (
        (msgid("without {value}"), role_words(fork.without)),
        (msgid("with {value}"), listed(fork.models)),
        (msgid("assuming: {value}"), " ".join(fork.assume.split()).rstrip(".")),
    )
    conditions = "; ".join(say(what, value=value) for what, value in changed if value)
    same = say("under the same conditions")
    return say(
        "Forked from {parent} after {at} events, {conditions}.",
        parent=fork.parent,
        at=fork.at,
        conditions=conditions or same,
    )


def size_sentence(debate: Debate) -> str:
    """Explains why a panel had its size; empty for debates of one size."""
    sizing = debate.open.terms.sizing
    if sizing is None:
        return ""
    guess = say("no estimate: {why_not}", why_not=say_stored(sizing.why_not))
    if sizing.estimate is not None:
        guess = say(
            "{estimated_by} estimated {estimate}",
            estimated_by=sizing.estimated_by,
            estimate=decimal(sizing.estimate),
        )
    prices = ""
    if sizing.standard != 0 or sizing.extended != 0:
        prices = say(
            "; standard {standard}, extended {extended}",
            standard=at_most(sizing.standard),
            extended=at_most(sizing.extended),
        )
    return f"{capital(option_words(sizing.form))}: {say_stored(sizing.why)} ({guess}{prices})."


def curve_words(seats: int, stated: float, right: float) -> str:
    """Describes one step of the curve of stated confidence."""
    return say(
        "{seats} said {stated} and were right in {right}",
        seats=plural(seats, "seat"),
        stated=percent(stated),
        right=percent(right),
    )


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
        say_if(priority, msgid("{priority} priority"), priority=priority),
        say_if(due, msgid("due {due}"), due=due),
        say_if(demo, msgid("demonstration")),
    )
    return ", ".join(filter(None, parts))
