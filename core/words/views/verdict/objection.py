"""Describes what people's objections to the verdict came to: held, changed, or not answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.debate.events import STOPPED, ChallengeRaised
from core.debate.state import Debate
from core.languages import msgid, say, say_if
from core.languages.stored import say_stored
from core.words.views.language.grammar import and_more, listed
from core.words.views.language.once import once
from core.words.views.language.people import person_name
from core.words.views.language.seats import the_seat
from core.words.views.verdict.decision import ended_label

OBJECTION = msgid("Objection")
"""The label of the line with the result of an objection."""
NAMED = 3
"""The most people who are named in one line."""
EXCHANGE = msgid("The objection and its answers")
"""The label of the link to an objection."""


@dataclass(frozen=True, slots=True)
class Reopening:
    """A verdict that a person reopened, by an objection or for a proof: ``cause`` is the
    challenge's id, or ``proof:`` and the finding's. ``was`` and ``now`` are the verdicts before and
    after it in words; ``now`` is "" while seats answer.
    """

    cause: str
    by: str
    was: str
    now: str

    @property
    def changed(self) -> bool:
        return bool(self.now) and self.was != self.now


@dataclass(frozen=True, slots=True)
class ObjectionView(Reopening):
    """An objection, with those that others raised before its answer: ``authors`` are all who
    objected, in their order.
    """

    challenge: ChallengeRaised
    authors: tuple[str, ...]
    answered: bool
    line: str


@once
def reopenings(debate: Debate) -> tuple[Reopening, ...]:
    """Returns every reopening of the verdict, oldest first."""
    verdicts = [ending.verdict for ending in debate.endings]
    verdicts_after = (*verdicts[1:], debate.closed or debate.concluded)
    made = []
    for ending, after in zip(debate.endings, verdicts_after, strict=False):
        was, now = ended_label(debate, ending.verdict), ended_label(debate, after)
        made.append(Reopening(ending.challenge, ending.by, was, now))
    return tuple(made)


def reopening_line(debate: Debate) -> str:
    """Returns what the last reopening of the verdict came to, of which there is one at least."""
    last = reopenings(debate)[-1]
    for view in objections(debate):
        if view.cause == last.cause:
            return view.line
    if last.changed:
        return say("changed by a proof: was {was}, is {now}", was=last.was, now=last.now)
    return say("held after a proof was asked for")


@once
def objections(debate: Debate) -> tuple[ObjectionView, ...]:
    """Returns the objections that reopened the verdict, oldest first; none for a debate that was
    never reopened.
    """
    at = {c.id: n for n, c in enumerate(debate.challenges)}
    by_objection = [each for each in reopenings(debate) if each.cause in at]  # not for a proof
    begins = [*(at[each.cause] for each in by_objection), len(debate.challenges)]
    made = []
    for each, (begin, end) in zip(by_objection, pairwise(begins), strict=True):
        raised = debate.challenges[begin:end]
        made.append(
            ObjectionView(
                *(each.cause, each.by, each.was, each.now),
                challenge=raised[0],
                authors=_authors(raised),
                answered=any(debate.answers_to(one.id) for one in raised),
                line=_line(debate, raised, each),
            )
        )
    return tuple(made)


def _authors(raised: Sequence[ChallengeRaised]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.author for one in raised))


def answered_challenges(debate: Debate) -> frozenset[str]:
    """Returns the challenges that a turn was made to answer, or that some statement answers."""
    named = {a.to for _, statement in debate.statements() for a in statement.answers}
    return frozenset(c.id for c in debate.challenges if c.id in named or debate.answers_to(c.id))


def whose_objection(authors: Sequence[str]) -> str:
    """Names the people who objected: up to three, and how many more."""
    if len(authors) == 1:
        return say("{author}'s objection", author=person_name(authors[0]))
    names = [person_name(author) for author in authors[:NAMED]]
    more = and_more(len(authors) - NAMED)
    named = f"{', '.join(names)}{more}" if more else listed(names)
    return say("the objections of {authors}", authors=named)


def objection_line(debate: Debate) -> str:
    """Returns what the last objection came to, and how many there were before it; "" without
    any.
    """
    views = objections(debate)
    if not views:
        return ""
    changed = sum(view.changed for view in views[:-1])
    before = len(views) - 1
    more = msgid(" {before} before it, of which {changed} changed the verdict.")
    return f"{views[-1].line}.{say_if(before, more, before=before, changed=changed)}"


def _line(debate: Debate, raised: Sequence[ChallengeRaised], reopening: Reopening) -> str:
    whose, was, now = whose_objection(_authors(raised)), reopening.was, reopening.now
    to = list(dict.fromkeys(seat for one in raised for seat in one.to))
    seats = listed([the_seat(debate, seat) for seat in to])
    if not now:
        answer = msgid("{seats} answers {whose}")
        if len(to) > 1:
            answer = msgid("{seats} answer {whose}")
        return say(answer, seats=seats, whose=whose)
    if was != now:
        return say("changed by {whose}: was {was}, is {now}", whose=whose, was=was, now=now)
    parts = []
    unanswered = [one for one in raised if not debate.answers_to(one.id)]
    if answered := [one for one in raised if one not in unanswered]:
        whose = whose_objection(_authors(answered))
        parts.append(say("held: the seats answered {whose}", whose=whose))
    if unanswered:
        whose, why_not = whose_objection(_authors(unanswered)), _why_not(debate, unanswered[0].id)
        parts.append(say("not answered: {whose} ({why_not})", whose=whose, why_not=why_not))
    return "; ".join(parts)


def unanswered_words(debate: Debate, challenge: str) -> str:
    """Describes that no seat answered a challenge, and why."""
    return say("not answered ({why_not})", why_not=_why_not(debate, challenge))


def _why_not(debate: Debate, challenge: str) -> str:
    mine = [t.id for t in debate.turns if t.id.startswith(f"{challenge}.")]
    failed = [debate.failed[id] for id in mine if debate.failed.get(id, STOPPED) != STOPPED]
    skipped = [debate.skipped[id] for id in mine if id in debate.skipped]
    return next(map(say_stored, (*failed, *skipped)), say("it was stopped")).rstrip(".")
