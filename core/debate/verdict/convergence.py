"""Pure rules that say when to stop a debate, applied after every settled turn; each stop carries
its reason.

A debate stops early when it has lost its quorum, when there is nothing to debate (the independent
votes agree and no finding is open), or when it no longer moves (stances stable for a round and no
new point). It never stops because someone sounds sure. A stop skips turns, never the closing ones;
a person who disagrees raises a challenge.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from core.debate.events import EndReason, StopOrdered
from core.debate.replies import Statement
from core.debate.script import Topic
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.verdict.consensus import mode_of, seats_needed
from core.debate.verdict.findings.merging import jaccard, same, words
from core.debate.verdict.quorum import round_done, turns_in, why_no_quorum
from core.debate.verdict.votes import NONE, final_votes, find_option, leaders, tally
from core.debate.verdict.worth import left, needless, unanimous, unheard

_REPEATS = 0.8  # share of words from which a claim repeats an earlier one
_WORTH = 0.6
"""The share of new points above which a panel continues after its second round, unless the terms
give another.
"""


@dataclass(frozen=True, slots=True)
class NewPoints:
    """The new points of a round: of ``total`` claims, findings and pieces of evidence, ``new`` were
    not there before.
    """

    total: int
    new: int

    @property
    def quality(self) -> float:
        """The share of the round's points that are new, in [0, 1]; 0 for a round without points."""
        return self.new / max(1, self.total)


def should_stop(debate: Debate) -> StopOrdered | None:
    """Returns why the debate should stop now, or None.

    It is cheap enough to be called after every event, and returns None once the debate is stopped.
    """
    if debate.opened is None or debate.over or debate.stop is not None or not left(debate):
        return None
    if lost := why_no_quorum(debate):
        return StopOrdered(EndReason.NO_QUORUM, detail=lost)
    if not debate.open.terms.converge or _owed(debate):
        return None
    last = last_round(debate)
    if last is None or last <= debate.open.terms.inherited:
        return None
    match debate.open.script.format:
        case "adversarial":
            return _agreed(debate)
        case "gauntlet" | "triad" | "contested":
            return None  # every attack, hot seat and argument is due
        case "panel":
            return (
                unanimous(debate)
                or _panel_agrees(debate, last)
                or _diminishing(debate, last)
                or _stable(debate, last)
            )
        case "phased" if debate.open.template.findings and debate.request.format == "phased":
            return None  # a person asked for all phases
        case "phased":
            return unanimous(debate) or needless(debate) or _stable(debate, last)
        case _:
            return _stable(debate, last)


def last_round(debate: Debate) -> int | None:
    """Returns the last finished round while no later one has begun; None in the middle of a
    round.
    """
    done = None
    for number in range(len(debate.open.script.rounds)):
        if round_done(debate, number):
            done = number
        elif any(t.id in debate.started for t in turns_in(debate, number)):
            return None
    return done


def round_news(debate: Debate, number: int) -> NewPoints:
    """Returns the new points of round ``number``, by comparing words and by ``RoundMeasured`` if
    the round was measured.
    """
    measured = debate.measured.get(number)
    repeats = measured.repeats if measured is not None else ()
    spoken = [(t.round, statement) for t, statement in debate.statements(debate.voters)]
    before = [statement for round, statement in spoken if round < number]
    claims = [words(c.text) for s in before for c in s.claims]
    findings = [f for s in before for f in s.findings]
    evidence = {e for s in before for e in _evidence(s)}
    total = new = 0
    for statement in (statement for round, statement in spoken if round == number):
        for claim in statement.claims:
            meaning = words(claim.text)
            fresh = claim.id not in repeats and not any(
                jaccard(meaning, c) >= _REPEATS for c in claims
            )
            total, new = total + 1, new + fresh
            claims.append(meaning)
        for finding in statement.findings:
            total, new = total + 1, new + (not any(same(known, finding) for known in findings))
            findings.append(finding)
        sources = _evidence(statement)
        total, new = total + len(sources), new + len(sources - evidence)
        evidence |= sources
    return NewPoints(total, new)


def _evidence(statement: Statement) -> set[str]:
    """Returns the sources, and the quotations that were found, each once regardless of its spacing.
    A quotation that is nowhere in the material is no evidence.
    """
    quotes = [c.quote for c in statement.claims if c.id not in statement.unverified]
    quotes += [*(a.quote for a in statement.answers), *(s.url for s in statement.sources)]
    if statement.argument:
        quotes += statement.argument.evidence
    return {" ".join(q.split()).casefold() for q in quotes if q.strip()}


def _owed(debate: Debate) -> bool:
    challenges = {c.id for c in debate.challenges}
    return any(
        t.about_the(Topic.CHALLENGE) in challenges or t.about_the(Topic.HOT_SEAT)
        for t in left(debate)
    )


def _stable(debate: Debate, number: int) -> StopOrdered | None:
    """Returns a stop if a whole round of several seats changed no stance and brought nothing new
    (or less than the terms ask for), and every seat that still has a turn has spoken.
    """
    if not stances_stable(debate, number) or unheard(debate):
        return None
    news, needed = round_news(debate, number), debate.open.terms.convergence or 0.0
    if news.new and news.quality >= needed:
        return None
    title = _title(debate, number)
    detail = stored(
        "No seat changed its stance in {why_title} and nothing new came.", why_title=title
    )
    if news.new:
        detail = stored(
            "No seat changed its stance in {why_title}, and the share of new points was {share}, "
            "less than {needed}.",
            why_title=title,
            share=f"{news.quality:.2f}",
            needed=f"{needed:g}",
        )
    return StopOrdered(EndReason.CONVERGED, detail=detail)


def stances_stable(debate: Debate, number: int) -> bool:
    """True if several entitled seats stated a stance in the round and each of them kept its earlier
    one.
    """
    ballot = debate.open.template.ballot
    held: dict[str, str] = {}
    before: dict[str, str | None] = {}
    for turn, statement in debate.statements(debate.voters):
        if statement.stance is None or turn.round > number:
            continue
        if turn.round == number:
            before.setdefault(turn.seat, held.get(turn.seat))
        held[turn.seat] = find_option(statement.stance.option, ballot) or NONE
    return len(before) >= 2 and all(held[seat] == was for seat, was in before.items())


def _panel_agrees(debate: Debate, number: int) -> StopOrdered | None:
    """Returns a stop if, after a round of debate, enough of all entitled seats hold one option."""
    counts = tally(final_votes(debate).values(), debate.open.template.ballot)
    needed = seats_needed(mode_of(debate), debate.open.terms.threshold, sum(counts.values()))
    first = leaders(counts)
    if not _was_debated(debate, number) or len(first) != 1 or counts[first[0]] < needed:
        return None
    detail = stored(
        "{n} of {total} seats hold {why_option} after {why_title}.",
        n=counts[first[0]],
        total=sum(counts.values()),
        why_option=first[0].replace("_", " "),
        why_title=_title(debate, number),
    )
    return StopOrdered(EndReason.CONSENSUS, detail=detail)


def _diminishing(debate: Debate, number: int) -> StopOrdered | None:
    """Returns a stop if, from the second round on, less than 0.6 of the round's claims, findings
    and evidence were new, or less than the terms ask for.
    """
    quality, needed = round_news(debate, number).quality, debate.open.terms.convergence
    needed = _WORTH if needed is None else needed
    if not _was_debated(debate, number) or quality >= needed:
        return None
    return StopOrdered(
        EndReason.CONVERGED,
        detail=stored(
            "Diminishing returns: the share of new points in {why_title} was {share}, less than "
            "{needed}.",
            share=f"{quality:.2f}",
            why_title=_title(debate, number),
            needed=f"{needed:g}",
        ),
    )


def _was_debated(debate: Debate, number: int) -> bool:
    """Return whether at least two entitled seats spoke in a round before ``number``."""
    spoke = {(t.round, t.seat) for t, _ in debate.statements(debate.voters) if t.round < number}
    return max(Counter(round for round, _ in spoke).values(), default=0) >= 2


def _agreed(debate: Debate) -> StopOrdered | None:
    measured = debate.metrics()
    if not measured or measured[-1].agreement < debate.open.terms.threshold:
        return None
    text = stored(
        "The judge measures an agreement of {agreement}, {needed} is needed.",
        agreement=f"{measured[-1].agreement:.2f}",
        needed=f"{debate.open.terms.threshold:.2f}",
    )
    return StopOrdered(EndReason.CONSENSUS, detail=text)


def _title(debate: Debate, number: int) -> str:
    return debate.open.script.rounds[number].title or f"round {number + 1}"
