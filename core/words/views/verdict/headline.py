"""Writes the first sentence of a decision: its label and the reason.

A decision that the seats did not reach never begins with an option: "No decision: 3 of 5 for go, 4
needed."
"""

from __future__ import annotations

from collections.abc import Sequence

from core.debate.events import EndReason
from core.debate.material import MaterialKind
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.template import Mode
from core.debate.verdict import (
    FAILED,
    NO_QUORUM,
    NOT_APPROVED,
    Verdict,
    blocks,
    count_holding,
    is_deadlocked,
    ruling,
    same_option,
    verdict,
)
from core.debate.verdict.consensus import mode_of, panel
from core.debate.verdict.findings import blocking_votes, merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.gauntlet import gauntlet_result
from core.debate.verdict.unread import unread
from core.debate.verdict.votes import NONE, final_votes
from core.languages import msgid, say, say_if, say_many
from core.languages.stored import say_stored
from core.words.views.language.grammar import listed, option_words, plural, shortened
from core.words.views.language.seats import the_seat
from core.words.views.verdict.findings import deciding
from core.words.views.verdict.labels import NO_DECISION, NOT_CLEAR, NOTHING, decision_label, leaning


def findings_contradict(debate: Debate) -> str:
    """Describes how the findings of a demonstration contradict its seats, "" if they do not: seats
    want findings fixed although fewer than half of all ask for changes, or nobody who holds one of
    them does.

    Then its model shows no judgement, and the text must not claim that it has any.
    """
    if not (debate.open.terms.demo and debate.open.template.findings) or debate.lost:
        return ""
    if verdict(debate).decision in NOTHING:
        return ""
    seats, asking = len(debate.voters), _asking(debate)
    fix = [m for m in deciding(debate) if m.point.fix]
    if not fix or any(m.proven or m.confirmed for m in fix):
        return ""
    if 2 * len(asking) >= seats:
        lone = sum(not asking.intersection(m.by) for m in fix)
        if not lone:
            return ""
        return say_many(
            len(fix),
            "seats want {n} finding fixed, and nobody who holds it asks for changes",
            "seats want {n} findings fixed, and nobody who holds {lone} of them asks for changes",
            lone=lone,
        )
    wanted = say_many(len(fix), "seats want {n} finding fixed", "seats want {n} findings fixed")
    if not asking:
        return say("{wanted}, and no seat asks for changes", wanted=wanted)
    return say_many(
        len(asking),
        "{wanted}, and only {n} of {seats} seats asks for changes",
        "{wanted}, and only {n} of {seats} seats ask for changes",
        wanted=wanted,
        seats=seats,
    )


def first_sentence(debate: Debate) -> str:
    decided, seats = verdict(debate), len(debate.voters)
    if debate.lost or decided.decision in (FAILED, NO_QUORUM):
        stop, present = debate.ended_early, len(debate.present)
        if not present and stop is not None and stop.reason is EndReason.BUDGET:
            return say(
                "No verdict: {detail}, and no seat has answered.", detail=say_stored(stop.detail)
            )
        if not present:
            return say("No verdict: no seat gave an answer that could be read.")
        heard = say("only {present} of {seats} seats answered", present=present, seats=seats)
        needed = debate.open.terms.quorum
        return say("No verdict: {heard}, {needed} are needed.", heard=heard, needed=needed)
    if debate.open.script.format == "gauntlet":
        return _attacked(debate)
    if debate.open.template.findings:
        return _reviewed(debate, decided)
    return _voted(debate, decided)


def _attacked(debate: Debate) -> str:
    ended = gauntlet_result(debate)
    if not ended.evidence:
        return say(
            "No verdict: only {real} of {planned} attacks were made and graded.",
            real=ended.real,
            planned=ended.planned,
        )
    held = say_many(
        ended.defended,
        "{n} of {attacks} was held off",
        "{n} of {attacks} were held off",
        attacks=plural(ended.real, "attack"),
    )
    partly = say_if(ended.partly, msgid("{n} partly"), n=ended.partly)
    broken = say_if(ended.broken, msgid("{n} not"), n=ended.broken)
    counts = ", ".join(filter(None, (held, partly, broken)))
    return f"{decision_label(ended.decision, reached=True)}: {counts}."


def _reviewed(debate: Debate, decided: Verdict) -> str:
    label, findings = decision_label(decided.decision, reached=True), deciding(debate)
    fix = [m for m in findings if m.blocking]
    if contradiction := findings_contradict(debate):
        return say(
            "{not_clear}: {contradiction}. This model cannot judge.",
            not_clear=say(NOT_CLEAR),
            contradiction=contradiction,
        )
    if fix and blocks(debate, decided.decision):
        must = say_many(len(fix), "{n} finding must be fixed", "{n} findings must be fixed")
        if is_change(debate):
            must = say_many(
                len(fix),
                "{n} finding must be fixed before merging",
                "{n} findings must be fixed before merging",
            )
        return f"{label}: {must}{_disputed(debate, fix)}."
    if blocks(debate, decided.decision):
        return f"{label}: {_who_blocks(debate, decided)}{_without_place(debate)}."
    return f"{label}: {_why_not_stricter(debate, decided, findings)}."


def _who_blocks(debate: Debate, decided: Verdict) -> str:
    """Counts the votes that ask for changes, with the judges if they and not the votes block, and
    the votes that count although their seats turned from them.
    """
    if not ruling(debate).voted and "judge" in decided.mechanism:
        return say("{judges} ruled so; {askers}", judges=_judges(debate), askers=_askers(debate))
    asking = _asking(debate)
    counted = blocking_votes(debate, merge_findings(debate))
    kept = sum(bool(vote) and seat not in asking for seat, vote in counted.items())
    if not kept:
        return _askers(debate)
    count = say(
        "{asking} of {count} votes are for changes",
        asking=sum(map(bool, counted.values())),
        count=len(debate.voters),
    )
    return say_many(
        kept,
        "{count}, {n} kept from a seat that changed its mind and showed no line",
        "{count}, {n} kept from seats that changed their mind and showed no line",
        count=count,
    )


def _judges(debate: Debate) -> str:
    judges = list(panel(debate).rulings)
    if len(judges) == 1:
        return shortened(the_seat(debate, judges[0]), 44)
    return say("the judges")


def _why_not_stricter(debate: Debate, decided: Verdict, findings: Sequence[MergedFinding]) -> str:
    if softer := _softer_than_votes(debate):
        return softer
    if wanted := [m for m in findings if m.point.fix and m.bar is None]:
        many = plural(len(wanted), "finding")
        if any(m.argued for m in wanted):
            return say_many(
                len(wanted),
                "{n} finding argued, but no majority of the seats that looked wants it fixed",
                "{n} findings argued, but no majority of the seats that looked wants them fixed",
            )
        holders = len({seat for m in wanted for seat in m.point.fix})
        if 2 * holders > len(debate.voters):
            return say(
                "{holders} of {count} seats want {findings} fixed, but none is held by most",
                holders=holders,
                count=len(debate.voters),
                findings=many,
            )
        return say_many(
            holders,
            "only {n} of {count} seats wants {findings} fixed",
            "only {n} of {count} seats want {findings} fixed",
            count=len(debate.voters),
            findings=many,
        )
    if _asking(debate):
        askers, without_place = _askers(debate), _without_place(debate)
        return say("only {askers}{without_place}", askers=askers, without_place=without_place)
    if unplaced := sum(m.unplaced for m in merge_findings(debate)):
        return say(
            "{claims} that could not be placed in the change", claims=plural(unplaced, "claim")
        )
    if unread(debate):
        return say("no finding is open, but nobody read all of the changed code")
    if decided.mechanism.startswith(NOT_APPROVED):
        return say(
            "nothing must be fixed, but only {approving} seats approve",
            approving=_approving(debate),
        )
    if findings := [m for m in findings if m.bar is None]:
        return say(
            "{findings} to think about, none that must be fixed",
            findings=plural(len(findings), "finding"),
        )
    if barred := sum(m.bar is not None for m in merge_findings(debate)):
        return say("{findings}, none of which can block", findings=plural(barred, "finding"))
    return say("no finding is open")


def _softer_than_votes(debate: Debate) -> str:
    asking, findings = _asking(debate), merge_findings(debate)
    if 2 * len(asking) <= len(debate.voters):
        return ""
    counted = blocking_votes(debate, findings)
    gone = sum(not counted.get(seat) for seat in asking)
    why = say("they show no line for it")
    if any(m.state is FindingState.DISPUTED for m in findings):
        why = say("people call not real what they want fixed")
    elif any(m.bar is not None for m in findings):
        why = say("what they want fixed cannot block")
    return say(
        "{gone} of {count} votes for changes do not count: {why}",
        gone=gone,
        count=len(asking),
        why=why,
    )


def _asking(debate: Debate) -> set[SeatId]:
    """Returns the seats whose last vote asks for changes."""
    blocking = debate.open.template.blocking
    return {seat for seat, option in final_votes(debate).items() if option in blocking}


def _askers(debate: Debate) -> str:
    """Counts the seats that ask for changes: "3 of 5 seats ask for changes"."""
    return say_many(
        len(_asking(debate)),
        "{n} of {seats} seats asks for changes",
        "{n} of {seats} seats ask for changes",
        seats=len(debate.voters),
    )


def _without_place(debate: Debate) -> str:
    asking = _asking(debate)
    held = (set(m.by) for m in merge_findings(debate) if m.evident)
    if not asking or any(asking & by for by in held):
        return ""
    return say_many(len(asking), " and names no place", " and name no place")


def is_change(debate: Debate) -> bool:
    """True if a change was debated, and not a text or a question."""
    return debate.open.material.kind in (MaterialKind.PULL_REQUEST, MaterialKind.DIFF)


def _disputed(debate: Debate, fix: Sequence[MergedFinding]) -> str:
    """Names the seats that would not block for findings that must be fixed, and how many of
    these.
    """
    disputed = [m for m in fix if m.point.against]
    if not disputed:
        return ""
    who = [s for s in debate.voters if s in disputed[0].point.against]
    same = len({m.point.against for m in disputed}) == 1
    many = _how_many(len(disputed), len(fix))
    if not same:
        return say("; {findings} are disputed", findings=many)
    if len(who) > 1:
        return say_many(
            len(who),
            "; {n} seat disputes {findings}",
            "; {n} seats dispute {findings}",
            findings=many,
        )
    return say(
        "; {seat} disputes {findings}",
        seat=shortened(the_seat(debate, who[0]), 44),
        findings=many,
    )


def _how_many(some: int, of: int) -> str:
    """Refers to some of the findings named just before: "one", "2 of them", "it", "both", "all"."""
    if some < of:
        return say_many(some, "one", "{n} of them")
    return say({1: msgid("it"), 2: msgid("both")}.get(of, msgid("all")))


def _approving(debate: Debate) -> str:
    mildest = min(debate.open.template.ballot, key=lambda o: o.strict).option
    return say(
        "{approving} of {count}",
        approving=count_holding(debate, mildest),
        count=len(debate.voters),
    )


def _voted(debate: Debate, decided: Verdict) -> str:
    if not decided.reached:
        return f"{say(NO_DECISION)}: {_missed(debate, decided)}."
    label = decision_label(shortened(decided.decision, 60), reached=True)
    holding, seats = count_holding(debate, decided.decision), len(debate.voters)
    agree = say("{agree} of {count} seats", agree=holding, count=seats)
    if "judge" in decided.mechanism:
        judges = _judges(debate)
        return say(
            "{label}: {judges} ruled so; {agree} agree.", label=label, judges=judges, agree=agree
        )
    against = _against(debate, decided)
    return say("{label}: {agree} agree{against}.", label=label, agree=agree, against=against)


def _missed(debate: Debate, decided: Verdict) -> str:
    leading, seats = decided.leading, len(debate.voters)
    agree = count_holding(debate, leading)
    lead = leaning(agree, seats, leading)
    judged = "judge" in decided.mechanism and "no judge ruled" not in decided.mechanism
    match leading:
        case "none" if judged:
            return say("no judge ruled")
        case "none":
            return say("no seat chose an option")
        case "contested":
            return say("a judge ruled otherwise when it heard the sides in the other order")
        case "tie":
            tied = round(decided.agreement * seats)
            return say("a tie, {tied} of {seats} seats for each side", tied=tied, seats=seats)
        case _ if judged:
            return say(
                "too few judges ruled {leading}", leading=shortened(option_words(leading), 60)
            )
        case _ if is_deadlocked(debate):
            return say("the two sides are deadlocked, {lead}", lead=lead)
        case _ if "people" in decided.mechanism:
            return say("the seats tie, {lead}, and people's votes prefer it", lead=lead)
        case _ if agree >= decided.votes_needed and mode_of(debate) is Mode.WEIGHTED:
            return say("{lead}, not enough by the weight of their votes", lead=lead)
        case _ if agree >= decided.votes_needed and unread(debate):
            return say("{lead}, but nobody read all of the changed code", lead=lead)
    return say("{lead}, {votes_needed} needed", lead=lead, votes_needed=decided.votes_needed)


def _against(debate: Debate, decided: Verdict) -> str:
    against = [
        the_seat(debate, seat)
        for seat, option in final_votes(debate).items()
        if option != NONE and not same_option(option, decided.decision)
    ]
    if not 0 < len(against) < 3:
        return ""
    return say_many(len(against), "; {seats} does not", "; {seats} do not", seats=listed(against))
