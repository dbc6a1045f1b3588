"""Describes why a finding blocks nothing, and what the ledger says about reviews of a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.debate.ledger import REVIEWS, Bar, Demand, DemandState, SettledBy
from core.debate.material import DecisionRecord, Material
from core.debate.state import Debate
from core.debate.verdict.findings.merged import REMARK, MergedFinding
from core.languages import msgid, say, say_if, say_many
from core.words.views.language.grammar import bracketed, plural, quoted, shortened
from core.words.views.language.references import finding_title

NOT_BLOCKING, NEW_EVIDENCE = msgid("Blocks nothing"), msgid("New evidence")
SOURCE = msgid("Source")
_MARKS = {
    Bar.RECORD: msgid("contradicts a decision record"),
    Bar.MEMORY: msgid("from memory"),
    Bar.CONTRADICTION: msgid("contradicts an earlier demand"),
    Bar.REPEATED: msgid("settled before"),
    Bar.PRE_EXISTING: msgid("pre-existing"),
    Bar.LATE: msgid("late"),
}
_BY: Mapping[SettledBy | None, str] = {
    SettledBy.CODE: msgid("its lines are gone"),
    SettledBy.SEATS: msgid("the seats settled it"),
    SettledBy.ANSWER: msgid("a person's objection held"),
    SettledBy.PEOPLE: msgid("people voted it not real"),
    SettledBy.MAINTAINER: msgid("a maintainer rejected it"),
    SettledBy.LATER: msgid("another finding took its place"),
    SettledBy.LEDGER: msgid("it contradicted an earlier demand"),
}
_TITLE = 80


def bar_mark(finding: MergedFinding) -> str:
    """Returns in a few words why the finding may block nothing; "" if it may block."""
    if finding.record is not None:
        return record_words(finding.record)
    if finding.bar is None:
        return ""
    return say(_MARKS[finding.bar])


def record_words(record: DecisionRecord) -> str:
    """Names the decision record that a change breaks: "contradicts 0007: Money is integers"."""
    title = shortened(record.title, _TITLE)
    return say("contradicts {number}: {title}", number=record.number, title=title)


def bar_sentence(finding: MergedFinding) -> str:
    """Explains why the finding may block nothing; "" if it may block."""
    match finding.bar:
        case Bar.RECORD if finding.record is not None:
            return say(
                "The change {contradicts} ({path}): a comment, for people to decide.",
                contradicts=record_words(finding.record),
                path=finding.record.path,
            )
        case Bar.MEMORY:
            return say(
                "From memory: it is about something outside this repository, which may be newer "
                "than the model, and no source that a seat quotes shows it."
            )
        case Bar.CONTRADICTION if finding.contradicts is not None:
            demand = finding.contradicts
            return say(
                "It asks for the opposite of what review {review} demanded ({named}, {value}).",
                review=demand.review,
                named=_named(demand),
                value=say(demand.state.value),
            )
        case Bar.REPEATED if finding.repeats is not None:
            return say(
                "{settled}, and there is no new evidence.", settled=_settled(finding.repeats)
            )
        case Bar.PRE_EXISTING:
            return say("Pre-existing: no push of this change touched its lines.")
        case Bar.LATE:
            return say(
                "It is new after {reviews} reviews, on lines that did not change since the last "
                "one.",
                reviews=REVIEWS,
            )
        case _:
            return ""


def evidence_sentence(finding: MergedFinding) -> str:
    """Names what is new about a point that was settled before; "" for nothing."""
    if finding.repeats is None or not finding.evidence:
        return ""
    return say(
        "{settled}. New evidence: {evidence}.",
        settled=_settled(finding.repeats),
        evidence=shortened(finding.evidence, 200),
    )


def ledger_facts(finding: MergedFinding) -> tuple[tuple[str, str], ...]:
    """Returns why it blocks nothing, and what is new or shown about it, as labels and texts."""
    rows = (
        (say(NOT_BLOCKING), bar_sentence(finding)),
        (say(NEW_EVIDENCE), evidence_sentence(finding)),
        (say(SOURCE), shortened(finding.source, 200)),
    )
    return tuple((label, text) for label, text in rows if text)


def barred_counts(findings: Sequence[MergedFinding]) -> Iterator[str]:
    """Counts the findings that may block nothing, for each reason."""
    for bar, words in _MARKS.items():
        if count := sum(m.bar is bar for m in findings):
            yield f"{count} {say(words)}"


def converging_sentence(material: Material) -> str:
    """Says from which review on new findings block only on changed lines; "" before that."""
    run = int(material.facts.get("run", "1"))
    if run <= REVIEWS:
        return ""
    return say(
        "Review {run} of this change: only what earlier reviews demanded, and faults in "
        "lines changed since the last one, can block.",
        run=run,
    )


def _settled(demand: Demand) -> str:
    if demand.state is DemandState.DEMANDED:
        return say(
            "Review {review} did not demand it ({named})",
            review=demand.review,
            named=_named(demand),
        )
    by = say(_BY.get(demand.settled_by, ""))
    return say(
        "Review {review} has it as {value}{by}: {named}",
        review=demand.settled_in or demand.review,
        value=say(demand.state.value),
        by=bracketed(by),
        named=_named(demand),
    )


def _named(demand: Demand) -> str:
    return quoted(shortened(finding_title(demand.finding), _TITLE))


def remark_lines(debate: Debate, findings: Sequence[MergedFinding]) -> Iterator[str]:
    """Yields one sentence for each reviewer: "3 of 11 remarks of coderabbitai hold"."""
    for author in dict.fromkeys(s.author for s in debate.open.material.scanned if s.author):
        ids = {s.id for s in debate.open.material.scanned if s.author == author}
        some = [m for m in findings for r in m.raised if r.finding.id in ids]
        held = sum(m.holders > len(m.disputed_by) for m in some)
        silent = sum(not m.reasons and set(m.by) <= {REMARK} for m in some)
        rest = say_if(silent, msgid(", {silent} nobody answered"), silent=silent)
        yield say_many(
            held,
            "{n} of {remarks} of {author} holds{rest}.",
            "{n} of {remarks} of {author} hold{rest}.",
            remarks=plural(len(some), "remark"),
            author=shortened(author, 60),
            rest=rest,
        )
