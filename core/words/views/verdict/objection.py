"""Describes what people's objections to the verdict came to: held, changed, or not answered."""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.events import STOPPED, ChallengeRaised
from core.debate.replies import Position
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.languages import msgid, say
from core.words.views.language.grammar import listed
from core.words.views.language.once import once
from core.words.views.language.people import person_name
from core.words.views.language.seats import the_seat
from core.words.views.verdict.decision import decision_label, is_by_rule

OBJECTION = msgid("Objection")
"""The label of the line that says what an objection came to."""
EXCHANGE = msgid("The objection and its answers")
"""The label of the link to an objection."""


@dataclass(frozen=True, slots=True)
class ObjectionView:
    """One objection: ``was`` and ``now`` are the verdicts before and after it in words; ``now`` is
    "" while seats answer. ``conceded`` is true if a seat says that the objection is right.
    """

    challenge: ChallengeRaised
    was: str
    now: str
    changed: bool
    answered: bool
    line: str
    conceded: bool = False


@dataclass(frozen=True, slots=True)
class Reopening:
    """A verdict that a person reopened, by an objection or for a proof: ``cause`` is the
    challenge's id, or ``proof:`` and the finding's. ``was`` and ``now`` are as in
    ``ObjectionView``.
    """

    cause: str
    by: str
    was: str
    now: str

    @property
    def changed(self) -> bool:
        return bool(self.now) and self.was != self.now


@once
def reopenings(debate: Debate) -> tuple[Reopening, ...]:
    """Returns every reopening of the verdict, oldest first."""
    verdicts = [ending.verdict for ending in debate.endings]
    verdicts_after = [*verdicts[1:], debate.closed or debate.concluded] if verdicts else []
    made = []
    for ending, after in zip(debate.endings, verdicts_after, strict=True):
        before = ending.verdict
        was = _label(debate, before.decision, reached=before.reached)
        now = _label(debate, after.decision, reached=after.reached) if after else ""
        made.append(Reopening(ending.challenge, ending.by, was, now))
    return tuple(made)


def reopening_line(debate: Debate) -> str:
    """Returns what the last reopening of the verdict came to; "" without any."""
    if not (last := reopenings(debate)[-1:]):
        return ""
    views = [view for view in objections(debate) if view.challenge.id == last[0].cause]
    if views:
        return views[-1].line
    if last[0].changed:
        return say("changed by a proof: was {was}, is {now}", was=last[0].was, now=last[0].now)
    return say("held after a proof was asked for")


@once
def objections(debate: Debate) -> tuple[ObjectionView, ...]:
    """Returns the objections to the verdict, oldest first; none for a debate that was never
    reopened.
    """
    raised = {c.id: c for c in debate.challenges}
    made = []
    for each in reopenings(debate):
        if each.cause not in raised:  # a proof was asked for
            continue
        one = raised[each.cause]
        answers = [debate.finished[id] for id in debate.answers_to(one.id)]
        conceded = any(
            a.to == one.id and a.position is Position.CONCEDE for s in answers for a in s.answers
        )
        line = _line(debate, one, each.was, each.now, answered=bool(answers))
        view = ObjectionView(one, each.was, each.now, each.changed, bool(answers), line, conceded)
        made.append(view)
    return tuple(made)


def objection_line(debate: Debate) -> str:
    """Returns what the last objection came to, and how many there were before it; "" without
    any.
    """
    views = objections(debate)
    if not views:
        return ""
    changed = sum(view.changed for view in views[:-1])
    before = len(views) - 1
    more = (
        say(
            " {before} before it, of which {changed} changed the verdict.",
            before=before,
            changed=changed,
        )
        if before
        else ""
    )
    return f"{views[-1].line}.{more}"


def _label(debate: Debate, option: str, *, reached: bool) -> str:
    return decision_label(option, reached=reached or is_by_rule(verdict(debate)))


def _line(debate: Debate, one: ChallengeRaised, was: str, now: str, *, answered: bool) -> str:
    whose = say("{author}'s objection", author=person_name(one.author))
    seats = listed([the_seat(debate, seat) for seat in one.to])
    if not now:
        return (
            say("{seats} answer {whose}", seats=seats, whose=whose)
            if len(one.to) > 1
            else say("{seats} answers {whose}", seats=seats, whose=whose)
        )
    if was != now:
        return say("changed by {whose}: was {was}, is {now}", whose=whose, was=was, now=now)
    if answered:
        return say("held: the seats answered {whose}", whose=whose)
    return say("not answered: {whose} ({why_not})", whose=whose, why_not=_why_not(debate, one.id))


def unanswered_words(debate: Debate, challenge: str) -> str:
    """Describes that no seat answered a challenge, and why."""
    return say("not answered ({why_not})", why_not=_why_not(debate, challenge))


def _why_not(debate: Debate, challenge: str) -> str:
    """Returns why no seat answered an objection."""
    mine = [t.id for t in debate.turns if t.id.startswith(f"{challenge}.")]
    failed = [debate.failed[id] for id in mine if debate.failed.get(id, STOPPED) != STOPPED]
    skipped = [debate.skipped[id] for id in mine if id in debate.skipped]
    return next(iter((*failed, *skipped)), say("it was stopped")).rstrip(".")
