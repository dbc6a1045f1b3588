"""Describes what the ledger of a change says about a finding and about its reviews."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.debate.ledger import REVIEWS, Bar, Demand, DemandState, SettledBy
from core.debate.material import Material
from core.debate.verdict.findings import MergedFinding
from core.words.views.language.grammar import plural, shortened

NOT_BLOCKING, NEW_EVIDENCE = "Blocks nothing", "New evidence"
_MARKS = {
    Bar.CONTRADICTION: "contradicts an earlier demand",
    Bar.REPEATED: "settled before",
    Bar.PRE_EXISTING: "pre-existing",
    Bar.LATE: "late",
}
_BY = {
    SettledBy.CODE: "its lines are gone",
    SettledBy.SEATS: "the seats settled it",
    SettledBy.ANSWER: "a person's objection held",
    SettledBy.PEOPLE: "people voted it not real",
    SettledBy.MAINTAINER: "a maintainer rejected it",
    SettledBy.LATER: "another finding took its place",
    SettledBy.LEDGER: "it contradicted an earlier demand",
}
_TITLE = 80


def bar_mark(finding: MergedFinding) -> str:
    """Returns in one or two words why the ledger lets the finding block nothing; "" if it may."""
    return _MARKS[finding.bar] if finding.bar is not None else ""


def bar_sentence(finding: MergedFinding) -> str:
    """Explains why the ledger lets the finding block nothing; "" if it may."""
    match finding.bar:
        case Bar.CONTRADICTION if finding.contradicts is not None:
            demand = finding.contradicts
            return (
                f"It asks for the opposite of what review {demand.review} demanded "
                f"({_named(demand)}, {demand.state.value})."
            )
        case Bar.REPEATED if finding.repeats is not None:
            return f"{_settled(finding.repeats)}, and there is no new evidence."
        case Bar.PRE_EXISTING:
            return "Pre-existing: no push of this change touched its lines."
        case Bar.LATE:
            return (
                f"It is new after {REVIEWS} reviews, on lines that did not change since the last "
                "one."
            )
        case _:
            return ""


def evidence_sentence(finding: MergedFinding) -> str:
    """Names what is new about a point that was settled before; "" for nothing."""
    if finding.repeats is None or not finding.evidence:
        return ""
    return f"{_settled(finding.repeats)}. New evidence: {shortened(finding.evidence, 200)}."


def ledger_facts(finding: MergedFinding) -> tuple[tuple[str, str], ...]:
    """Returns what the ledger says about the finding, as labels and texts."""
    rows = ((NOT_BLOCKING, bar_sentence(finding)), (NEW_EVIDENCE, evidence_sentence(finding)))
    return tuple((label, text) for label, text in rows if text)


def barred_counts(findings: Sequence[MergedFinding]) -> Iterator[str]:
    """Counts the findings that block nothing because of the ledger, for each reason."""
    for bar, words in _MARKS.items():
        if count := sum(m.bar is bar for m in findings):
            yield f"{count} {words}"


def converging_sentence(material: Material) -> str:
    """Says from which review on new findings block only on changed lines; "" before that."""
    run = int(material.facts.get("run", "1"))
    if run <= REVIEWS:
        return ""
    return (
        f"Review {run} of this change: only what earlier reviews demanded, and faults in lines "
        "changed since the last one, can block."
    )


def _settled(demand: Demand) -> str:
    if demand.state is DemandState.DEMANDED:
        return f"Review {demand.review} did not demand it ({_named(demand)})"
    by = f" ({_BY[demand.settled_by]})" if demand.settled_by is not None else ""
    review = demand.settled_in or demand.review
    return f"Review {review} has it as {demand.state.value}{by}: {_named(demand)}"


def _named(demand: Demand) -> str:
    return f"“{shortened(demand.title, _TITLE)}”"


def ledger_line(demands: Sequence[Demand]) -> str:
    """Counts the demands of a ledger by their state; "" for none."""
    counts = {state: sum(d.state is state for d in demands) for state in DemandState}
    words = ", ".join(f"{n} {state.value}" for state, n in counts.items() if n)
    return f"{plural(len(demands), 'demand')}: {words}" if demands else ""
