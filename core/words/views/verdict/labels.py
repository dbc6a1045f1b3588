"""Names a decision, live or stored, in two or three words: "Changes requested", "No decision"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.debate.verdict import (
    FAILED,
    NO_QUORUM,
    Verdict,
)
from core.debate.verdict.condition import WHAT_IF
from core.debate.verdict.consensus import CONTESTED, TIE
from core.debate.verdict.gauntlet import NO_EVIDENCE
from core.debate.verdict.votes import NONE
from core.languages import msgid, say
from core.words.views.language.grammar import capital, option_words, shortened, uncapital

NO_VERDICT, NO_DECISION = msgid("No verdict"), msgid("No decision")
NOT_CLEAR = msgid("No clear verdict")
UNCLEAR = msgid("no clear verdict")
"""The beginning of the stored mechanism of a demonstration whose findings contradict its seats."""
NOTHING = {
    FAILED: NO_VERDICT,
    NO_QUORUM: NO_VERDICT,
    NO_EVIDENCE: NO_VERDICT,
    NONE: NO_DECISION,
    TIE: NO_DECISION,
    CONTESTED: NO_DECISION,
}
"""The labels of stored decisions that are none of the options."""
_LABELS = {
    "request_changes": msgid("Changes requested"),
    "comment": msgid("Comments only"),
    "approve": msgid("Approved"),
}
BY_RULE = ("findings", "attacks")
"""The beginnings of the mechanisms that decide regardless of the seats' votes."""


def decision_label(option: str, *, reached: bool) -> str:
    """Writes any decision, stored or live, in two or three words: "Changes requested", "No
    decision".
    """
    return say(untranslated_label(option, reached=reached))


def untranslated_label(option: str, *, reached: bool) -> str:
    if option in NOTHING:
        return NOTHING[option]
    if not reached:
        return NO_DECISION
    return _LABELS.get(option) or capital(option_words(option))


def stored_label(option: str, mechanism: str, *, reached: bool) -> str:
    """Return the label of the stored decision of a finished debate."""
    if mechanism.startswith(WHAT_IF):
        rest = mechanism.removeprefix(f"{WHAT_IF}: ")
        label = stored_label(option, rest, reached=reached or rest.startswith(BY_RULE))
        return say("What if: {label}", label=uncapital(label))
    if mechanism.startswith(UNCLEAR):
        return say(NOT_CLEAR)
    return decision_label(option, reached=reached or mechanism.startswith(BY_RULE))


def was_decided(option: str, mechanism: str, *, reached: bool) -> bool:
    """Return whether a stored verdict decides anything. A what-if never does."""
    if mechanism.startswith(WHAT_IF):
        return False
    return option not in NOTHING and (reached or mechanism.startswith(BY_RULE))


def document_label(document: Mapping[str, Any]) -> str:
    """Returns the label of an outcome document's decision, with the leading option if nothing was
    reached.
    """
    stored = document["verdict"]
    option = str(stored["decision"])
    mechanism = str(stored.get("mechanism", ""))
    label = stored_label(option, mechanism, reached=bool(stored["reached"]))
    votes = document["votes"]["final"]
    if label == say(NO_DECISION) and votes.get(option) and option not in NOTHING:
        return f"{label}: {leaning(votes[option], sum(votes.values()), option)}"
    return label


def leaning(agree: int, seats: int, option: str) -> str:
    """Writes "3 of 5 for go" or "3 of 5 are against"."""
    words = shortened(option_words(option), 60)
    if option.partition("_")[0].lower() in ("for", "against"):
        return say("{agree} of {seats} are {option}", agree=agree, seats=seats, option=words)
    return say("{agree} of {seats} for {option}", agree=agree, seats=seats, option=words)


def is_by_rule(decided: Verdict) -> bool:
    """True if findings or attacks decided, and not the number of seats for an option."""
    return decided.mechanism.startswith(BY_RULE)
