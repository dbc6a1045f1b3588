"""The lower half of the report: how the decision came about, all of it computed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.debate import Debate
from core.events import EndReason
from core.material import Read
from core.material.addresses import line_url
from core.material.plaintext import at_most, cell, one_line, place_as_code
from core.outcome.caveats import DEMO, otherwise, warnings
from core.outcome.cost import cost
from core.outcome.scanned import scanned
from core.outcome.sections import evidence, panel_size, sources, who_was_who
from core.verdict import DEMONSTRATION, FAILED, NO_QUORUM, Verdict, label, same_option
from core.verdict.consensus import TIE
from core.verdict.delta import moves
from core.verdict.dissent import dissents
from core.verdict.findings import MergedFinding
from core.verdict.unread import covered, parts_read
from core.verdict.votes import (
    NONE,
    count_people,
    final_votes,
    independent_votes,
    tally,
    too_few,
    wilson,
)

WARNINGS, DISSENT = "Warnings", "Dissent"
_TERMS = (
    "_The mechanism is the rule that made a decision of findings or votes. The quorum is how many "
    "seats had to be heard. Reached says whether the rule's own threshold was met._"
)
_ENDED = {
    EndReason.COMPLETED: "all rounds were played",
    EndReason.CONSENSUS: "the seats agree",
    EndReason.CONVERGED: "nothing more would be learned",
    EndReason.BUDGET: "its budget or its time was used up",
    EndReason.HUMAN: "a person stopped it",
    EndReason.NO_QUORUM: "too few seats could be heard",
    EndReason.ERROR: "it could not be completed",
}
_ROWS = 50  # of any table; the rest is counted


def appendix(
    debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]
) -> dict[str, str]:
    """Title and text of each part of this half; the first has none, "" is nothing to say."""
    return {
        "": _verdict_lines(debate, decided),
        WARNINGS: _warnings(debate, decided, findings),
        "Votes": _votes(debate),
        "What the debate changed": _delta(debate),
        "Findings": _findings(debate, [f for f in findings if f.evident]),
        "Findings that count for nothing": _apart(findings),
        "What scanners reported": scanned(findings),
        DISSENT: dissent(debate, decided, findings),
        "Challenges": _challenges(debate),
        "Evidence that could not be found": evidence(debate),
        "Sources": sources(debate),
        "Who was who": who_was_who(debate),
        "Size of the panel": panel_size(debate),
        "What was read": _coverage(debate),
        "Cost": _cost(debate),
    }


def linked_place(debate: Debate, found: MergedFinding) -> str:
    """Where a finding stands, linked to its line where the change has an address."""
    f = found.shown
    place = place_as_code(f.path, f.line)
    if url := line_url(debate.open.material, f.path, f.line, f.side):
        return f"[{place}]({url})"
    return place


def agreement(debate: Debate, decided: Verdict) -> str:
    """How many seats hold what was decided."""
    held = list(final_votes(debate).values())
    if decided.decision == TIE:
        return (
            f"{round(decided.agreement * len(held))} of {len(held)} seats hold each of the "
            "leading options"
        )
    if decided.decision in (FAILED, NO_QUORUM):
        return "too few seats were heard for any decision"
    agree = sum(same_option(option, decided.decision) for option in held)
    return f"{agree} of {len(held)} seats hold {label(decided.decision)}"


def dissent(debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]) -> str:
    lines = [
        f"- **{label(d.seat)}** ({label(d.stance)}): {one_line(d.because, 600)} · would settle it: "
        f"{one_line(d.would_resolve_if, 300)}"
        for d in dissents(debate, decided, findings)
    ]
    return "\n".join(lines) or "None."


def _verdict_lines(debate: Debate, decided: Verdict) -> str:
    lines = [
        f"- Mechanism: {decided.mechanism}; {agreement(debate, decided)}; {decided.reached_label}",
        f"- Quorum: {decided.present} of {len(debate.voters)} seats heard, {decided.needed} needed",
    ]
    if debate.concluded is not None:
        ended = f"- Ended because: {_ENDED[debate.concluded.because]}"
        if debate.stop is not None and debate.stop.detail:
            ended += f": {one_line(debate.stop.detail)}"
        lines.append(ended)
    if other := otherwise(debate):
        lines.append(f"- {other}")
    lines += [f"- Action: {action}" for action in decided.actions]
    summary = decided.summary.removeprefix(f"{DEMONSTRATION}: ")  # the report says it above
    return "\n\n".join((f"**Verdict:** {summary}", "\n".join(lines), _TERMS))


def _votes(debate: Debate) -> str:
    ballot = debate.open.template.ballot
    first = tally(independent_votes(debate).values(), ballot)
    last = tally(final_votes(debate).values(), ballot)
    asked = count_people(debate)
    cast = sum(asked.values())
    rows = [(_option(o), str(first[o]), str(last[o]), _people(asked.get(o), cast)) for o in last]
    table = _table(("Option", "Before the debate", "Seats", "People"), rows)
    if cast > 0 and too_few(cast):
        return f"{table}\n\nToo few people voted to say more than who did."
    return table


def _option(option: str) -> str:
    return "without a stance" if option == NONE else label(option)


def _people(votes: int | None, cast: int) -> str:
    if votes is None or cast == 0:
        return "–"
    if too_few(cast):
        return str(votes)
    share = wilson(votes, cast)
    return f"{votes} ({share.low:.2f}–{share.high:.2f})"


def _delta(debate: Debate) -> str:
    lines = []
    for m in moves(debate):
        why = f"moved by {_moving(debate, m.by)}" if m.by else "without naming a reason"
        change = f"{label(m.before)} → {label(m.after)} in round {m.round + 1}"
        lines.append(f"- {label(m.seat)}: {change}, {why}")
    return "\n".join(lines) or "No seat changed its stance."


def _moving(debate: Debate, id: str) -> str:
    """The words of a claim or finding that moved a seat."""
    said = [s for _, s in debate.statements()]
    words = {c.id: c.text for s in said for c in s.claims}
    words |= {f.id: f.title for s in said for f in s.findings}
    return f"“{one_line(words[id], 120)}”" if id in words else one_line(id)


def _warnings(debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]) -> str:
    """What a reader must know before relying on the verdict."""
    told = warnings(debate, decided, findings, count_people(debate))
    return "\n".join(f"- {one_line(text)}" for text in told if not text.startswith(DEMO))


def _apart(findings: Sequence[MergedFinding]) -> str:
    """Those that no line of the material shows."""
    nowhere = "no line of the material shows it"
    lines = []
    for f in (f for f in findings if not f.evident):
        who = ", ".join(map(label, f.by)) or "withdrawn"
        lines.append(f"- {one_line(f.shown.title)} ({f.id}, {who}): {nowhere}")
    return "\n".join(at_most(lines, _ROWS))


def _findings(debate: Debate, findings: Sequence[MergedFinding]) -> str:
    rows = [
        (
            f.id,
            f"{f.shown.severity} {f.shown.confidence:.2f}",
            linked_place(debate, f) or "–",
            cell(f.shown.title),
            ", ".join(map(label, f.by)) or "–",
            ", ".join(map(label, f.disputed_by)) or "–",
            _state(f),
        )
        for f in findings
    ]
    head = ("Id", "Severity", "Place", "Finding", "Held by", "Disputed by", "State")
    if rows:
        return _table(head, rows)
    return ""


def _state(f: MergedFinding) -> str:
    notes = [str(f.state)]
    if f.contested:
        notes.append(f"contested: {f.counts}")
    if f.confirmed:
        notes.append("confirmed by people")
    return ", ".join(notes)


def _challenges(debate: Debate) -> str:
    lines = []
    named = {a.to for _, said in debate.statements() for a in said.answers}
    for c in debate.challenges:
        state = "not answered"
        if c.id in named or debate.answers_to(c.id):
            state = "answered"
        who = re.split("[:/]", c.author)[-1]  # the platform's own id of a person
        lines.append(f"- {one_line(who, 80)}: {one_line(c.text)} ({state})")
    return "\n".join(lines)


def _parts(debate: Debate) -> Iterator[str]:
    """Which seats read what of a change in parts: one line where all of them read all of it."""
    found = parts_read(debate)
    if not found:
        return
    readers = sorted({seat for one in found for seat in (*one.by, *one.missed)})
    yield f"Read in {len(found)} parts by {', '.join(map(label, readers))}."
    for one in found:
        if one.missed:
            gone = ", ".join(map(label, one.missed))
            yield f"- part {one.number} ({_files(one.paths)}): not read by {gone}"


def _files(paths: Sequence[str]) -> str:
    named = ", ".join(f"`{cell(path, 80).replace('`', chr(39))}`" for path in paths[:3])
    if len(paths) > 3:
        return f"{named} and {len(paths) - 3} more"
    return named


def _coverage(debate: Debate) -> str:
    material = debate.open.material
    coverage = covered(debate)
    rest = [c for c in coverage if c.state is not Read.FULL]
    lines = []
    if coverage:
        lines.append(f"{len(coverage) - len(rest)} of {len(coverage)} files in full.")
    lines += _parts(debate)
    left_out = [
        f"- `{cell(c.path, 120).replace('`', chr(39))}`: {label(c.state)}, {one_line(c.reason)}"
        for c in rest
    ]
    lines += at_most(left_out, _ROWS)
    around = [
        f"- `{cell(p.path, 120).replace('`', chr(39))}:{p.first}-{p.last}` beside the change: "
        f"{one_line(p.name, 80)}"
        for p in material.around
    ]
    lines += at_most(around, _ROWS)
    lines += [f"- {one_line(note)}" for note in material.notes]
    if material.redacted:
        lines.append(f"- {material.redacted} secrets were replaced before anything was sent")
    return "\n".join(lines)


def _cost(debate: Debate) -> str:
    c = cost(debate)
    price = "price unknown"
    if c["usd"] is not None:
        price = f"{c['usd']:.4f} USD"
    if c["unpriced"] and c["usd"] is not None:
        price += f" ({c['unpriced']} calls without a known price)"
    tokens = (
        f"{c['prompt_tokens']} prompt tokens ({c['cached_tokens']} cached), "
        f"{c['completion_tokens']} completion tokens"
    )
    return f"{price}, {c['calls']} calls, {tokens}."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = list(rows)
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(r) + " |" for r in body[:_ROWS]]
    if len(body) > _ROWS:
        lines.append(f"\n… and {len(body) - _ROWS} more")
    return "\n".join(lines)
