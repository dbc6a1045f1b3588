"""What was decided, in one sentence that a person would say."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.posts.brevity import shortened
from adapters.posts.words import listed, option_words, plural, the_seat
from core.debate import Debate
from core.material import Kind
from core.verdict import FAILED, NO_QUORUM, Verdict, same_option, verdict
from core.verdict.consensus import CONTESTED, TIE
from core.verdict.findings import MergedFinding, State, merge_findings
from core.verdict.gauntlet import NO_EVIDENCE, gauntlet_result
from core.verdict.unread import unread
from core.verdict.votes import NONE, final_votes

MOST_WORDS = 25

_CALLED = {
    "request_changes": "Changes requested",
    "comment": "Comments only",
    "approve": "Approved",
}


def decision_label(debate: Debate) -> str:
    """The decision in two or three words."""
    decided = verdict(debate)
    if debate.lost or decided.decision in (FAILED, NO_QUORUM, NO_EVIDENCE):
        return "No verdict"
    if decided.decision in (NONE, TIE, CONTESTED):
        return "No decision"
    if debate.open.template.findings:
        return _CALLED.get(decided.decision, option_words(decided.decision).capitalize())
    label = option_words(decided.decision)
    if decided.reached:
        return label.capitalize()
    return f"Undecided, {label} leads"


def decision_sentence(debate: Debate) -> str:
    """At most ``MOST_WORDS`` words: what was decided and, in a review, what is to be done."""
    words = _sentence(debate, verdict(debate)).split()
    return " ".join(words if len(words) <= MOST_WORDS else [*words[:MOST_WORDS], "…"])


def deciding(debate: Debate) -> tuple[MergedFinding, ...]:
    """The findings that the decision rests on: those that must be fixed, else all that are open."""
    counted = [m for m in merge_findings(debate) if m.evident]
    blocking = tuple(m for m in counted if m.blocking)
    return blocking or tuple(m for m in counted if m.state is State.OPEN)


def _sentence(debate: Debate, decided: Verdict) -> str:
    seats = len(debate.voters)
    if debate.lost or decided.decision in (FAILED, NO_QUORUM):
        if not decided.present:
            return "No verdict: nothing readable came from any seat."
        return f"No verdict: only {decided.present} of {seats} seats could be heard."
    if debate.open.script.format == "gauntlet":
        return _attacked(debate)
    if debate.open.template.findings:
        return _reviewed(debate, decided)
    return _voted(debate, decided)


def _attacked(debate: Debate) -> str:
    ended = gauntlet_result(debate)
    if not ended.evidence:
        return f"No verdict: only {ended.real} of {ended.planned} attacks were made and graded."
    were = "was" if ended.defended == 1 else "were"
    held = f"{ended.defended} of {plural(ended.real, 'attack')} {were} held off"
    rest = [f"{n} {what}" for n, what in ((ended.partly, "partly"), (ended.broken, "not")) if n]
    return f"{option_words(ended.decision).capitalize()}: {', '.join([held, *rest])}."


def _reviewed(debate: Debate, decided: Verdict) -> str:
    label, found = decision_label(debate), deciding(debate)
    fix = [m for m in found if m.blocking]
    if fix:
        where = " before merging" if _is_change(debate) else ""
        must = f"{plural(len(fix), 'finding')} must be fixed{where}"
        return f"{label}: {must}{_disputed(debate, fix)}."
    strict = max(o.strict for o in debate.open.template.ballot)
    if any(o.strict == strict and same_option(o.option, decided.decision)
           for o in debate.open.template.ballot):  # fmt: skip
        return f"{label} by {_holding(debate, decided)}, though no finding must be fixed."
    if found:
        think = plural(len(found), "finding")
        return f"{label}: {think} to think about, none that must be fixed."
    if unread(debate):
        return f"{label}: no finding is open, but changed code was left unread."
    if "vote" in decided.mechanism:
        return f"{label} by {_holding(debate, decided)}; no finding is open."
    return f"{label}: no finding is open."


def _is_change(debate: Debate) -> bool:
    return debate.open.material.kind in (Kind.PULL_REQUEST, Kind.DIFF)


def _disputed(debate: Debate, found: Sequence[MergedFinding]) -> str:
    """Who disputes how many of them."""
    disputed = [m for m in found if m.disputed_by]
    if not disputed:
        return ""
    who, same = disputed[0].disputed_by, len({frozenset(m.disputed_by) for m in disputed}) == 1
    many = _how_many(len(disputed), len(found))
    if not same:
        return f"; {many} are disputed"
    if len(who) > 1:
        return f"; {len(who)} seats dispute {many}"
    return f"; {shortened(the_seat(debate, who[0]), 44)} disputes {many}"


def _how_many(some: int, of: int) -> str:
    """So many of the findings just named, as one says it."""
    if some < of:
        return "one" if some == 1 else f"{some} of them"
    return {1: "it", 2: "both"}.get(of, "all")


def _holding(debate: Debate, decided: Verdict) -> str:
    held = list(final_votes(debate).values())
    agree = sum(same_option(option, decided.decision) for option in held)
    return f"{agree} of {len(held)} seats"


def _voted(debate: Debate, decided: Verdict) -> str:
    held = list(final_votes(debate).values())
    match decided.decision:
        case "none" if "judge" in decided.mechanism:
            return "No decision: no judge ruled."
        case "none":
            return "No decision: no seat holds an option."
        case "contested":
            return "No decision: a judge ruled differently when the order was swapped."
        case "tie":
            votes = round(decided.agreement * len(held))
            return f"No decision: a tie of {plural(votes, 'seat')} each, of {len(held)}."
        case option:
            label = shortened(option_words(option), 60)
            holding = _holding(debate, decided)
            if decided.reached and "judge" in decided.mechanism:
                ruled = list(dict.fromkeys(t.seat for t, s in debate.statements() if s.ruling))
                who = shortened(the_seat(debate, ruled[0]), 44) if len(ruled) == 1 else "the judges"
                return f"{label.capitalize()}: {who} ruled so; {holding} agree."
            if decided.reached:
                return f"{label.capitalize()}: {holding} agree{_against(debate, decided)}."
            return f"Undecided: {label} leads with {holding}, which is not enough."


def _against(debate: Debate, decided: Verdict) -> str:
    against = [
        the_seat(debate, seat)
        for seat, option in final_votes(debate).items()
        if option != NONE and not same_option(option, decided.decision)
    ]
    if not 0 < len(against) < 3:
        return ""
    return f"; {listed(against)} {'does' if len(against) == 1 else 'do'} not"
