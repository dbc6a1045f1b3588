"""Decides when a finding is posted and when its post changes: it is raised in a round, posted when
the round is complete, and edited in place when a later round or a vote changes its state.

A finding without a place in the material gets no post: it counts for nothing, and the verdict lists
it apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from adapters.ports.chat import Post
from adapters.posts.finding import finding_post, joined_finding_post
from adapters.posts.keys import post_key
from core.debate.script import Turn, TurnId
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.words.views.verdict.findings import state_words

_MOST = 7
"""The most findings with a separate post; the others are in the report."""


def round_findings(debate: Debate, at: int, turn_id: str) -> tuple[Post, ...]:
    """Returns posts of the findings that this round raised, once all of its turns are settled, and
    edits of earlier findings that the round changed.
    """
    number = _round(debate, debate.script.turn(TurnId(turn_id)))
    if not _complete(debate, number):
        return ()
    earlier = _with_card(debate, before=number)
    fresh = [m for m in _counting(debate) if _round_of(debate, m) == number]
    posted = fresh[: max(0, _MOST - len(earlier))]
    return (*(finding_post(debate, m) for m in posted), *_changed(debate, at, earlier, number))


def code_findings(debate: Debate) -> tuple[Post, ...]:
    """Returns posts of findings that code or earlier runs brought, which are there before the first
    round.
    """
    return tuple(finding_post(debate, m) for m in _counting(debate)[:_MOST])


def voted_finding(debate: Debate, at: int, finding: str) -> tuple[Post, ...]:
    """Returns the edited post of a finding on which people have voted."""
    finding_voted = next((m for m in merge_findings(debate) if finding in m.ids), None)
    last = 1 + max((_round(debate, t) for t in debate.turns if t.id in debate.settled), default=-1)
    if finding_voted is None or finding_voted.id not in _with_card(debate, before=last):
        return ()
    post = finding_post(debate, finding_voted)
    return (replace(post, key=post_key(debate, at, "finding"), edits=post.key),)


def _counting(debate: Debate) -> list[MergedFinding]:
    return [m for m in merge_findings(debate) if m.evident]


def _complete(debate: Debate, number: int) -> bool:
    return debate.all_settled(t for t in debate.turns if _round(debate, t) == number)


def _round(debate: Debate, turn: Turn) -> int:
    """Returns the number of the turn's round; the turns that follow an objection to the verdict are
    one more round.
    """
    if not turn.after_verdict:
        return turn.round
    objection = turn.id.partition(".")[0]
    return len(debate.open.script.rounds) + [c.id for c in debate.challenges].index(objection)


def _round_of(debate: Debate, m: MergedFinding) -> int:
    """Returns the number of the round in which the finding was first raised; -1 for a finding of
    code, from before the first round.
    """
    turn = m.id.rpartition(".f")[0]
    return next((_round(debate, t) for t in debate.turns if t.id == turn), -1)


def _until(debate: Debate, number: int) -> Debate:
    rounds = {t.id: _round(debate, t) for t in debate.turns}
    finished = {t: s for t, s in debate.finished.items() if rounds[t] <= number}
    return replace(debate, finished=finished)


def _with_card(debate: Debate, before: int) -> set[str]:
    """Returns the ids of findings that have a post from the rounds before ``before``."""
    lines: list[str] = []
    for number in range(-1, before):
        if _complete(debate, number):
            then = _until(debate, number)
            fresh = [m.id for m in _counting(then) if _round_of(debate, m) == number]
            lines += fresh[: max(0, _MOST - len(lines))]
    return set(lines)


def _changed(debate: Debate, at: int, earlier: Collection[str], number: int) -> Iterator[Post]:
    before, now = _until(debate, number - 1), merge_findings(debate)
    was = {m.id: m for m in merge_findings(before)}
    yield from _joined(before, at, earlier, now)
    for n, m in enumerate(m for m in now if m.id in earlier):
        post, then = finding_post(debate, m), was.get(m.id)
        if then is None or finding_post(before, then) != post:
            key = post_key(debate, at, f"finding:{n}")
            moved = state_words(m)
            if then is not None and state_words(then) == moved:
                moved = ""
            yield replace(post, key=key, edits=post.key, facts={**post.facts, "moved": moved})


def _joined(
    before: Debate, at: int, earlier: Collection[str], now: Sequence[MergedFinding]
) -> Iterator[Post]:
    """Yields edited posts of findings that were separate ``before`` and turned out to be another
    finding in other words.
    """
    alone = {m.id: m for m in merge_findings(before)}
    for m in now:
        for id in m.ids:
            if id != m.id and id in earlier and id in alone:
                post = joined_finding_post(before, alone[id], m)
                yield replace(post, key=post_key(before, at, f"joined:{id}"), edits=post.key)
