"""Names statements, findings, claims and challenges, so that no reader needs to look up an id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.debate.finding import Finding
from core.debate.material.plaintext import cell, place_as_code
from core.debate.replies.placing import placing_words
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict.dissent import UNTITLED
from core.debate.verdict.findings import merge_findings
from core.languages import say
from core.languages.stored import say_stored
from core.words.views.language.grammar import bracketed, capital, quoted, shortened
from core.words.views.language.once import once
from core.words.views.language.seats import holder, the_seat

_ID = re.compile(r"`?(?<![\w./-])([a-z]{1,6}\d*(?:\.[fc]\d+)?)(?![\w-]|\.\w)`?")
_ON = re.compile(r"^On \S+: ")
"""The beginning of a challenge against a finding."""
_TITLE = 60
_LABEL = re.compile(
    r"(?<![\w./-])(?<!\ba )(?<!\bpriority )(?<!\bseverity )(P\d+)"
    r"(?![\w-]|\.\w| (?:bug|issue|priority|severity|incident|alert|ticket)s?\b)"
)
"""Matches a seat's label as models write it, but not a severity such as P1."""


@dataclass(frozen=True, slots=True)
class Named:
    """The words for an id: its ``title``, and the seat or person ``by`` whom it was first said;
    ``finding`` is the merged finding's id if it is a finding, ``whole`` means a whole statement.
    """

    title: str
    by: SeatId = SeatId("")
    finding: str = ""
    whole: bool = False


@once
def names(debate: Debate) -> Mapping[str, Named]:
    """Returns the words for every id that a statement may name: findings, claims, turns and
    challenges.
    """
    known: dict[str, Named] = {}
    for turn, statement in debate.statements():
        whose = say("the statement of {the_seat}", the_seat=the_seat(debate, turn.seat))
        known[turn.id] = Named(whose, turn.seat, whole=True)
        for claim in statement.claims:
            known[claim.id] = Named(_title(claim.text), turn.seat)
    for finding in merge_findings(debate):
        title = _title(finding_title(finding.wording))
        for raised in finding.raised:
            known[raised.finding.id] = Named(title, raised.seat, finding.id)
    for challenge in debate.challenges:
        known[challenge.id] = Named(_title(_ON.sub("", challenge.text)))
    objections = {
        c.id: Named(_spelled(debate, known[c.id].title, known)) for c in debate.challenges
    }
    return known | objections


def _title(text: str) -> str:
    """Returns the beginning of a text; no colon ends it, as one may follow."""
    return shortened(text, _TITLE).rstrip(": ")


def spelled_out(debate: Debate, text: str) -> str:
    """Return ``text`` with the ids in it replaced by their words; every other word is literal."""
    return _spelled(debate, text, names(debate))


def _spelled(debate: Debate, text: str, known: Mapping[str, Named]) -> str:
    def word(match: re.Match[str]) -> str:
        named = known.get(match[1])
        if named is None or match[1].isalpha():
            return match[0]
        if named.whole:
            return named.title
        return quoted(named.title)

    def name(match: re.Match[str]) -> str:
        named = _labelled(debate).get(match[1], match[1])
        before = match.string[: match.start()].rstrip(" ")
        return named if before and before[-1] not in ".!?\n" else capital(named)

    return _LABEL.sub(name, _ID.sub(word, text))


@once
def _labelled(debate: Debate) -> Mapping[str, str]:
    script = debate.open.script
    return {script.alias(seat): the_seat(debate, seat) for seat in script.voters}


def called(debate: Debate, id: str) -> tuple[str, str]:
    """Returns the words for an id with its author; the id if it is unknown."""
    named = names(debate).get(id, Named(id))
    return named.title, named.by and holder(debate, named.by)


def subject_of(debate: Debate, id: str) -> str:
    """Returns the merged finding of which an id is one wording; any other id as it is."""
    named = names(debate).get(id)
    return (named and named.finding) or id


def finding_title(finding: Finding) -> str:
    """Returns the title of a finding: code's in the reader's language, a seat's as it is."""
    if finding.id.startswith("code."):
        return say_stored(finding.title)
    return finding.title if finding.title.strip() else say(UNTITLED)


def placing_text(finding: Finding) -> str:
    """Describes how a finding was placed in the reader's language."""
    return say_stored(placing_words(finding))


def placing_note(finding: Finding) -> str:
    """Returns the same as Markdown to append to a place: " (moved from line 12)"; else empty."""
    return bracketed(cell(placing_text(finding), 200))


def noted_place(finding: Finding, url: str = "") -> str:
    """Returns the place as Markdown, linked to its address, with how it was found; only this if no
    file is named.
    """
    place = place_as_code(finding.path, finding.line)
    if not place:
        return cell(placing_text(finding), 200)
    return f"{f'[{place}]({url})' if url else place}{placing_note(finding)}"
