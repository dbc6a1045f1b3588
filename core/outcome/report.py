"""The template's report as Markdown, and below it how the decision came about.

Sections that a model wrote are made inert first (``core.material.plaintext``); decisions, scores
and counts are filled in by code, so no model can report a verdict that nobody computed. What nobody
answered is said to be unanswered.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.debate import Debate, once
from core.material import Read
from core.material.plaintext import cell, neutral, one_line
from core.outcome.appendix import evidence, forked, own, revealed, sized, sources
from core.outcome.cost import cost
from core.outcome.scores import risk, risk_level, scores
from core.replies import Severity
from core.replies.sections import computed, placeholders
from core.verdict import DEMONSTRATION, Verdict, label, same_option, verdict
from core.verdict.consensus import TIE
from core.verdict.delta import moves
from core.verdict.dissent import dissents
from core.verdict.findings import MergedFinding, State, merge_findings
from core.verdict.votes import final, independent, people, tally, too_few, wilson

NOT_ANSWERED = "_not answered_"
_ROWS = 50  # of any table; the rest is counted


def report(debate: Debate, parent: Mapping[str, Any] | None = None) -> str:
    """The whole report. ``parent`` is the outcome of the debate that this one was forked from."""
    return _whole(debate) if parent is None else _written_out(debate, parent)


@once
def _whole(debate: Debate) -> str:
    return _written_out(debate, None)


def _written_out(debate: Debate, parent: Mapping[str, Any] | None) -> str:
    decided, findings = verdict(debate), merge_findings(debate)
    refused, own_sections = own(debate)
    parts = [
        _filled(debate, decided, findings).strip(),
        "---",
        *_appendix(debate, decided, findings),
    ]
    parts += [_section(title, text) for title, text in own_sections]
    parts.append(
        _section(
            "Fork",
            forked(debate, parent, decided.decision, decided.agreement, reached=decided.reached),
        )
    )
    if refused:
        parts.insert(0, f"> **{refused}**")
    if debate.open.terms.demo:
        parts.insert(0, f"> **{DEMONSTRATION}.**")
    return "\n\n".join(filter(None, parts)) + "\n"


def _filled(debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]) -> str:
    form = debate.open.template.output_format
    written = _written(debate)
    values = {
        name: _computed(debate, name, decided, findings)
        if computed(name)
        else neutral(written.get(name, "")) or NOT_ANSWERED
        for name in placeholders(form)
    }
    return "".join(
        text + (values[name] if name else "") for text, name, _, _ in string.Formatter().parse(form)
    )


def _written(debate: Debate) -> dict[str, str]:
    """The sections of the closing replies; a later one replaces an earlier one only where it says
    something.
    """
    sections: dict[str, str] = {}
    for turn, statement in debate.statements():
        if turn.closing:
            sections |= {name: text for name, text in statement.sections.items() if text.strip()}
    return sections


def _computed(
    debate: Debate, name: str, decided: Verdict, findings: tuple[MergedFinding, ...]
) -> str:
    if name.endswith("_score"):
        return _score(debate, name, findings)
    if name.endswith("_count"):
        return str(_count(name.removesuffix("_count"), findings))
    made: Mapping[str, Callable[[], str]] = {
        "decision": lambda: _decision(decided),
        "recommendation": lambda: _decision(decided),
        "assessment": lambda: _decision(decided),
        "status": lambda: _decision(decided),
        "confidence": lambda: "not calibrated yet",
        "consensus": lambda: (
            f"{_agreement(debate, decided)}, {'reached' if decided.reached else 'not reached'}"
        ),
        "dissent": lambda: _dissent(debate, decided, findings),
        "critical_issues": lambda: _critical(findings),
        "risk_level": lambda: risk_level(findings),
        "risk_rating": lambda: risk_level(findings),
        "incident_id": lambda: one_line(
            debate.open.material.facts.get("incident_id", "") or debate.open.material.title
        ),
    }
    return made[name]() if name in made else one_line(debate.open.material.title) or NOT_ANSWERED


def _decision(decided: Verdict) -> str:
    return (
        label(decided.decision)
        if decided.reached
        else f"{label(decided.decision)} (agreement not reached)"
    )


def _score(debate: Debate, name: str, findings: tuple[MergedFinding, ...]) -> str:
    """Out of 10. The criterion is the rubric's whose name begins like the placeholder's; the unit
    is added where the form has none.
    """
    if name == "risk_score":
        value: float | None = risk(findings)
    else:
        stem = name.removesuffix("_score")
        value = next(
            (
                10 * s
                for c, s in scores(debate).items()
                if c.startswith((stem, stem.rstrip("s"))) or stem.startswith(c)
            ),
            None,
        )
    if value is None:
        return "not scored"
    unit = "" if re.search(rf"\{{{name}\}}\s*/", debate.open.template.output_format) else "/10"
    return f"{value:.1f}{unit}"


def _count(what: str, findings: tuple[MergedFinding, ...]) -> int:
    open_ones = [f for f in findings if f.state is State.OPEN]
    return (
        sum(f.shown.severity.value == what for f in open_ones)
        if what in set(Severity)
        else len(open_ones)
    )


def _critical(findings: tuple[MergedFinding, ...]) -> str:
    lines = [
        f"- **{f.shown.severity}** {_place(f)} {one_line(f.shown.title)} ({f.id})"
        for f in findings
        if f.blocking
    ]
    return "\n".join(lines) or "None found."


def _place(found: MergedFinding) -> str:
    f = found.shown
    if not f.path:
        return ""
    return (
        "`"
        + cell(f.path, 120).replace("`", "'")
        + (f":{f.line}" if f.line is not None else "")
        + "`"
    )


def _agreement(debate: Debate, decided: Verdict) -> str:
    held = list(final(debate).values())
    if decided.decision == TIE:
        return (
            f"{round(decided.agreement * len(held))} of {len(held)} seats hold each of the "
            "leading options"
        )
    return (
        f"{sum(same_option(o, decided.decision) for o in held)} of {len(held)} seats hold "
        f"{label(decided.decision)}"
    )


def _appendix(debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]) -> list[str]:
    return [
        "## How this was decided",
        _verdict_lines(debate, decided),
        _section("Votes", _votes(debate)),
        _section("What the debate changed", _delta(debate)),
        _section("Findings", _findings(findings)),
        _section("Dissent", _dissent(debate, decided, findings)),
        _section("Challenges", _challenges(debate)),
        _section("Evidence that could not be found", evidence(debate)),
        _section("Sources", sources(debate)),
        _section("Who was who", revealed(debate)),
        _section("Size of the panel", sized(debate)),
        _section("What was read", _coverage(debate)),
        _section("Cost", _cost(debate)),
    ]


def _section(title: str, text: str) -> str:
    return f"### {title}\n\n{text}" if text else ""


def _verdict_lines(debate: Debate, decided: Verdict) -> str:
    lines = [
        f"**Verdict:** {decided.summary}",
        (
            f"- Mechanism: {decided.mechanism}; {_agreement(debate, decided)}; "
            f"{'reached' if decided.reached else 'not reached'}"
        ),
        (
            f"- Quorum: {decided.present} of {len(debate.voters)} seats heard, "
            f"{decided.needed} needed"
        ),
    ]
    ended = debate.concluded
    if ended is not None:
        detail = (
            f": {one_line(debate.stop.detail)}"
            if debate.stop is not None and debate.stop.detail
            else ""
        )
        lines.append(f"- Ended because: {ended.because.value}{detail}")
    lines += [f"- Action: {action}" for action in decided.actions]
    return "\n\n".join([lines[0], "\n".join(lines[1:])])


def _votes(debate: Debate) -> str:
    ballot = debate.open.template.ballot
    first, last = tally(independent(debate).values(), ballot), tally(final(debate).values(), ballot)
    asked = people(debate)
    cast = sum(asked.values())
    rows = [(label(o), str(first[o]), str(last[o]), _people(asked.get(o), cast)) for o in last]
    table = _table(("Option", "Before the debate", "Seats", "People"), rows)
    return (
        f"{table}\n\nToo few people voted to say more than who did."
        if cast > 0 and too_few(cast)
        else table
    )


def _people(votes: int | None, cast: int) -> str:
    if votes is None or cast == 0:
        return "–"
    if too_few(cast):
        return str(votes)
    share = wilson(votes, cast)
    return f"{votes} ({share.low:.2f}–{share.high:.2f})"


def _delta(debate: Debate) -> str:
    lines = [
        f"- {m.seat}: {label(m.before)} → {label(m.after)} in {m.turn}, "
        + (f"moved by {one_line(m.by)}" if m.by else "without naming a reason (conformity)")
        for m in moves(debate)
    ]
    return "\n".join(lines) or "No seat changed its stance."


def _standing(f: MergedFinding) -> str:
    notes = [] if f.shown.anchored else ["unanchored"]
    notes += ["confirmed by people"] if f.confirmed else []
    return ", ".join((str(f.state), *notes))


def _findings(findings: tuple[MergedFinding, ...]) -> str:
    rows = [
        (
            f.id,
            f"{f.shown.severity} {f.shown.confidence:.2f}",
            _place(f) or "–",
            cell(f.shown.title),
            ", ".join(f.by) or "–",
            ", ".join(f.disputed_by) or "–",
            _standing(f),
        )
        for f in findings
    ]
    return (
        _table(("Id", "Severity", "Place", "Finding", "Held by", "Disputed by", "State"), rows)
        if rows
        else ""
    )


def _dissent(debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]) -> str:
    lines = [
        f"- **{d.seat}** ({label(d.stance)}): {one_line(d.because, 600)} · would settle it: "
        f"{one_line(d.would_resolve_if, 300)}"
        for d in dissents(debate, decided, findings)
    ]
    return "\n".join(lines) or "None."


def _challenges(debate: Debate) -> str:
    return "\n".join(
        f"- {one_line(c.author, 80)}: {one_line(c.text)} "
        f"({'answered' if debate.answers_to(c.id) else 'not answered'})"
        for c in debate.challenges
    )


def _coverage(debate: Debate) -> str:
    material = debate.open.material
    read = [c for c in material.coverage if c.state is Read.FULL]
    lines = [f"{len(read)} of {len(material.coverage)} files in full."] if material.coverage else []
    rest = [c for c in material.coverage if c.state is not Read.FULL]
    lines += [
        f"- `{cell(c.path, 120).replace('`', chr(39))}`: {label(c.state)}, {one_line(c.reason)}"
        for c in rest[:_ROWS]
    ]
    lines += [f"- and {len(rest) - _ROWS} more"] if len(rest) > _ROWS else []
    lines += [f"- {one_line(note)}" for note in material.notes]
    lines += (
        [f"- {material.redacted} secrets were replaced before anything was sent"]
        if material.redacted
        else []
    )
    return "\n".join(lines)


def _cost(debate: Debate) -> str:
    c = cost(debate)
    price = "price unknown" if c["usd"] is None else f"{c['usd']:.4f} USD"
    unpriced = (
        f" ({c['unpriced']} calls without a known price)"
        if c["unpriced"] and c["usd"] is not None
        else ""
    )
    tokens = (
        f"{c['prompt_tokens']} prompt tokens ({c['cached_tokens']} cached), "
        f"{c['completion_tokens']} completion tokens"
    )
    return f"{price}{unpriced}, {c['calls']} calls, {tokens}."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = list(rows)
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(r) + " |" for r in body[:_ROWS]]
    return "\n".join(lines) + (f"\n\n… and {len(body) - _ROWS} more" if len(body) > _ROWS else "")
