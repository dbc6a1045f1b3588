"""Describes the decision: in two words, in one sentence, and with all its qualifications."""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.events import DebateConcluded, VotesClosed
from core.debate.state import Debate
from core.debate.verdict import blocks, verdict
from core.debate.verdict.condition import assumptions, left_out
from core.languages import msgid, say, say_if
from core.words.views.language.grammar import listed, quoted, shortened, uncapital
from core.words.views.language.once import once
from core.words.views.verdict.headline import findings_contradict, first_sentence
from core.words.views.verdict.labels import (
    NO_DECISION,
    NO_VERDICT,
    NOT_CLEAR,
    decision_label,
    is_by_rule,
    untranslated_label,
)
from core.words.views.verdict.qualifications import qualifications, role_of

MOST_WORDS = 25
STRICT = msgid("Every doubt counts: what may be wrong is wrong until somebody has shown otherwise.")
"""The assumption of the branch ``strict``."""
DEMONSTRATION = msgid("This is a demonstration: rely on nothing that these models say.")
_ASSUMED = 120
"""The most characters of an assumption in a headline."""


@dataclass(frozen=True, slots=True)
class DecisionView:
    """The decision in words.

    ``label`` has two or three words, ``headline`` one sentence of at most ``MOST_WORDS`` words and,
    before it, the condition of a what-if; ``rest`` holds the sentences that qualify it, gravest
    first. ``blocks`` is true if it keeps a change from going in, ``reached`` if anything was
    decided, ``clear`` if a demonstration's seats and findings agree. ``condition`` describes what a
    fork assumed or left out: such a verdict is never posted to a forge, is no precedent and passes
    no check.
    """

    label: str
    headline: str
    rest: tuple[str, ...]
    reached: bool
    blocks: bool
    demo: bool
    clear: bool = True
    condition: str = ""

    @property
    def bare_headline(self) -> str:
        """The headline without the text of a what-if's assumption, which a person wrote."""
        if not self.condition:
            return self.headline
        return say("What if: {label}", label=self.headline.removeprefix(_asking(self.condition)))

    @property
    def summary(self) -> str:
        """The headline with all its qualifications."""
        notice = say_if(self.demo, DEMONSTRATION)
        return " ".join((notice, self.headline, *self.rest)).strip()


@once
def decision(debate: Debate) -> DecisionView:
    """Describes the current decision. Raises ``Refused`` before the opening."""
    decided = verdict(debate)
    words = first_sentence(debate).split()
    if len(words) > MOST_WORDS:
        words = [*words[:MOST_WORDS], "…"]
    label = untranslated_label(decided.decision, reached=decided.reached or is_by_rule(decided))
    if debate.lost:
        label = NO_VERDICT
    elif findings_contradict(debate):
        label = NOT_CLEAR
    supposed, asking = what_if(debate), ""
    if supposed:
        asking = _asking(supposed)
    return DecisionView(
        label=_supposed(debate, say(label)),
        headline=f"{asking}{' '.join(words)}",
        rest=tuple(qualifications(debate)),
        reached=label not in (NO_VERDICT, NO_DECISION, NOT_CLEAR),
        blocks=blocks(debate, decided.decision),
        demo=debate.open.terms.demo,
        clear=label != NOT_CLEAR,
        condition=supposed,
    )


def what_if(debate: Debate) -> str:
    """Describe what a fork, or the fork that it comes from, assumes or leaves out; "" for a debate
    about things as they are.
    """
    parts = [
        say_if(line == STRICT, msgid("every doubt counts")) or quoted(shortened(line, _ASSUMED))
        for line in assumptions(debate)
    ]
    if out := [role_of(debate, seat) for seat in left_out(debate)]:
        parts.append(say("without {out}", out=listed(out)))
    return shortened(", ".join(parts), 2 * _ASSUMED)


def _supposed(debate: Debate, label: str) -> str:
    return say_if(what_if(debate), msgid("What if: {label}"), label=uncapital(label)) or label


def _asking(condition: str) -> str:
    return say("What if {condition}? ", condition=condition)


def concluded_label(debate: Debate) -> str:
    """Returns the label of the decision when the last turn was settled, regardless of later votes.
    Empty while the debate continues.
    """
    if debate.concluded is not None and not decision(debate).clear:
        return say(NOT_CLEAR)
    return ended_label(debate, debate.concluded)


def reopened_label(debate: Debate) -> str:
    """Returns the label of the verdict that counts while seats answer what reopened it; "" if
    nothing reopened it.
    """
    if debate.reopened is None:
        return ""
    return _supposed(debate, ended_label(debate, debate.reopened.verdict))


def ended_label(debate: Debate, ended: DebateConcluded | VotesClosed | None) -> str:
    """Returns the label of the decision at an earlier end of the debate; "" for none."""
    if ended is None:
        return ""
    by_rule = is_by_rule(verdict(debate))
    return decision_label(ended.decision, reached=ended.reached or by_rule)
