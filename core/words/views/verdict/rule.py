"""Describes the rule and the numbers behind the decision, which only the report shows."""

from __future__ import annotations

from collections.abc import Iterator

from core.debate.state import Debate
from core.debate.verdict import FAILED, NO_QUORUM, count_holding, verdict
from core.debate.verdict.consensus import CONTESTED, TIE
from core.debate.verdict.votes import NONE
from core.languages import msgid, percent, say, say_if, say_many
from core.languages.stored import say_stored
from core.words.views.language.grammar import option_words, plural
from core.words.views.verdict.ending import why_ended
from core.words.views.verdict.labels import is_by_rule


def rule_lines(debate: Debate) -> Iterator[str]:
    """Returns the rule with its numbers, the seats that answered, why the debate ended, and what
    today's rule would decide.
    """
    decided = verdict(debate)
    share = say_if(
        decided.mechanism == "majority",
        msgid(" of {threshold}"),
        threshold=percent(debate.open.terms.threshold),
    )
    yield say(
        "Rule: {mechanism}{share}; {agreement}.",
        mechanism=say_stored(say(decided.mechanism)),
        share=share,
        agreement=agreement(debate),
    )
    present, needed = len(debate.present), debate.open.terms.quorum
    heard = say("{present} of {count} seats", present=present, count=len(debate.voters))
    yield say("Heard: {heard}; a verdict needs {needed}.", heard=heard, needed=needed)
    if ended := why_ended(debate):
        if debate.ended_early is not None:
            ended = f"{ended} {say_stored(debate.ended_early.detail)}".rstrip()
        yield ended
    if other := otherwise(debate):
        yield other


def agreement(debate: Debate) -> str:
    """Counts the seats that hold the decision or the leading option and, if votes decide, the votes
    needed.
    """
    decided, seats = verdict(debate), len(debate.voters)
    if decided.decision in (FAILED, NO_QUORUM):
        return say("too few seats answered for any decision")
    if decided.leading == TIE:
        tied = round(decided.agreement * seats)
        return say(
            "{tied} of {count} seats hold each of the leading options", tied=tied, count=seats
        )
    if decided.leading in (NONE, CONTESTED):
        return say("no option leads among {seats}", seats=plural(seats, "seat"))
    agree = count_holding(debate, decided.leading)
    text = say_many(
        agree,
        "{n} of {count} seats holds {option}",
        "{n} of {count} seats hold {option}",
        count=seats,
        option=option_words(decided.leading),
    )
    if is_by_rule(decided):
        return text
    result = say("reached") if decided.reached else say("not reached")
    if decided.reached and agree < decided.votes_needed:
        result = say("their votes weigh more")
        if "judge" in decided.mechanism:
            result = say("the judges decided")
    return say(
        "{words}, {votes_needed} needed: {reached_label}",
        words=text,
        votes_needed=decided.votes_needed,
        reached_label=result,
    )


def otherwise(debate: Debate) -> str:
    """Describes what today's rule would decide in place of an earlier rule's verdict, if that
    differs.
    """
    if debate.closed is None or debate.closed.decision == (today := verdict(debate).decision):
        return ""
    was, now = (option_words(d) for d in (debate.closed.decision, today))
    return say(
        "This was decided under an earlier rule: {was}. By today's it would be {now}.",
        was=was,
        now=now,
    )
