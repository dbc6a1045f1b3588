"""Writes the lower half of the report, which shows how the decision came about; code computes all
of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from core.debate.material.addresses import line_url
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import at_most, cell, code_block, one_line, place_as_code
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict.action_items import action_items
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import REMARK, SCANNER, MergedFinding
from core.debate.verdict.unread import covered
from core.debate.verdict.votes import count_people
from core.languages import msgid, say
from core.languages.stored import say_stored
from core.words.outcome.sections import evidence, sources, who_was_who
from core.words.views.course.cost import calls_words, cost, spent
from core.words.views.course.drawn import drawn_lines
from core.words.views.course.hot_seat import HOT_SEATS, seat_lines
from core.words.views.documents.headings import (
    CHANGED,
    DRAWN_BY,
    PANEL_SIZE,
    UNCOUNTED,
    UNPLACED,
    UNPROVEN,
    size_sentence,
)
from core.words.views.language.grammar import and_more, bracketed, capital, listed
from core.words.views.language.once import once
from core.words.views.language.people import person_name
from core.words.views.language.references import finding_title, noted_place, spelled_out
from core.words.views.language.seats import holder
from core.words.views.proofs import proof_groups, proof_words
from core.words.views.verdict.caveats import warnings
from core.words.views.verdict.coverage import (
    coverage_words,
    files_read,
    part_sentences,
    redacted_sentence,
)
from core.words.views.verdict.cruxes import TURNS_ON, crux_lines
from core.words.views.verdict.decision import DEMONSTRATION, decision
from core.words.views.verdict.dissent import NOBODY, SETTLES, WHO, dissent_views
from core.words.views.verdict.findings import (
    NOWHERE,
    counts_words,
    finding_view,
    held_by,
    state_words,
)
from core.words.views.verdict.objection import answered_challenges
from core.words.views.verdict.rule import rule_lines
from core.words.views.verdict.scores import reading_rows, score_rows, status_sentence, why_unscored
from core.words.views.verdict.stances import (
    NOBODY_MOVED,
    VoteRow,
    moves_in_words,
    too_few_sentence,
    vote_rows,
)

WARNINGS, DISSENT = msgid("Warnings"), WHO
_READ = (
    msgid("Agreement"),
    msgid("Resolution"),
    msgid("Evidence"),
    msgid("Feasibility"),
    msgid("Risks"),
)
"""The measures that a judge gives for a round of an adversarial debate."""
_ROWS = 50  # of any table; the rest is counted


@once
def appendix(debate: Debate) -> Mapping[str, str]:
    """Returns title and text of each part of this half; the first has no title, and an empty text
    means that the part is left out.
    """
    findings = merge_findings(debate)
    return {
        "": _verdict_lines(debate),
        say(WARNINGS): _warnings(debate),
        say(TURNS_ON): _listed(crux_lines(debate)),
        say("Votes"): _votes(debate),
        say(CHANGED): _delta(debate),
        say("Findings"): _findings(debate, [f for f in findings if f.evident]),
        say("Proofs"): _proofs(debate),
        say(UNPLACED): _apart(debate, (f for f in findings if f.unplaced)),
        say(UNCOUNTED): _apart(debate, (f for f in findings if not f.evident and not f.unplaced)),
        say("What scanners reported"): _reported(debate, SCANNER),
        say("Remarks of others"): _reported(debate, REMARK),
        say(DISSENT): dissent(debate),
        say("Challenges"): _challenges(debate),
        say(HOT_SEATS): _listed(seat_lines(debate)),
        say(UNPROVEN): evidence(debate),
        say("Sources"): sources(debate),
        say("Who was who"): who_was_who(debate),
        say(DRAWN_BY): _listed(map(capital, drawn_lines(debate.open.terms)), 2000),
        say("Scores"): scores_table(debate),
        say(PANEL_SIZE): one_line(size_sentence(debate), 900),
        say("What was read"): _coverage(debate),
        say("Cost"): f"{spent(debate)} · {calls_words(cost(debate))}",
    }


def linked_place(debate: Debate, finding: MergedFinding) -> str:
    """Returns a finding's place, linked to its line if the change has an address, and how it was
    placed there if the seat stated another line.
    """
    f = finding.wording
    return noted_place(f, line_url(debate.open.material, f.path, f.line, f.side))


def dissent(debate: Debate) -> str:
    """Lists all dissents, each with what would settle it below."""
    lines = []
    for view in dissent_views(debate):
        lines.append(f"- **{capital(view.who)}** ({view.stance}): {one_line(view.because, 600)}")
        if view.settles:
            lines.append(f"  - {say(SETTLES)}: {one_line(view.settles, 300)}")
    return "\n".join(lines) or f"{capital(say(NOBODY))}."


def _verdict_lines(debate: Debate) -> str:
    made = decision(debate)
    lines = [f"- {one_line(line)}" for line in rule_lines(debate)]
    lines += [say("- To do: {action}", action=one_line(each)) for each in action_items(debate)]
    headline = one_line(" ".join((made.headline, *made.rest)))  # a demo is named above
    return "\n\n".join((f"**{say('Verdict')}:** {headline}", "\n".join(lines)))


def _listed(lines: Iterable[str], most: int = 900) -> str:
    return "\n".join(f"- {one_line(line, most)}" for line in lines)


def _votes(debate: Debate) -> str:
    rows = [(row.option, str(row.before), str(row.now), _people(row)) for row in vote_rows(debate)]
    head = (say("Option"), say("Before the debate"), say("Seats"), say("People"))
    parts = (_table(head, rows), too_few_sentence(count_people(debate)))
    return "\n\n".join(filter(None, parts))


def scores_table(debate: Debate) -> str:
    """Returns the judges' scores with the weight of each criterion, else why there are none; for an
    adversarial debate also the judge's measurements of each round, and how it ended.
    """
    parts = [why_unscored(debate), status_sentence(debate)]
    parts.append(_table((say("Criterion"), say("Weight"), say("Score")), score_rows(debate)))
    parts.append(_table((say("Round"), *_READ), reading_rows(debate)))
    return "\n\n".join(filter(None, parts))


def _people(row: VoteRow) -> str:
    if row.people is None:
        return "–"
    return f"{row.people}{bracketed(row.interval)}"


def _delta(debate: Debate) -> str:
    lines = [
        say(
            "- {who}: {change} in round {round} ({one_line})",
            who=who,
            change=change,
            round=move.round + 1,
            one_line=one_line(reason, 120),
        )
        for move, who, change, reason in moves_in_words(debate)
    ]
    return "\n".join(lines) or f"{capital(say(NOBODY_MOVED))}."


def _warnings(debate: Debate) -> str:
    sentences = warnings(debate, count_people(debate))
    return "\n".join(f"- {one_line(text)}" for text in sentences if text != say(DEMONSTRATION))


def _apart(debate: Debate, findings: Iterable[MergedFinding]) -> str:
    lines = [
        f"- {one_line(finding_title(f.wording))} ({held_by(debate, f) or state_words(f)}): "
        f"{say(NOWHERE)}"
        for f in findings
    ]
    return "\n".join(at_most(lines, _ROWS))


def _findings(debate: Debate, findings: Sequence[MergedFinding]) -> str:
    views = [(f, finding_view(debate, f)) for f in findings]
    rows = [
        (
            say(view.severity),
            linked_place(debate, f) or "–",
            cell(view.title),
            held_by(debate, f) or "–",
            listed([holder(debate, seat) for seat in f.disputed_by]) or "–",
            view.status,
        )
        for f, view in views
    ]
    head = (
        say("Severity"),
        say("Place"),
        say("Finding"),
        say("Held by"),
        say("Disputed by"),
        say("State"),
    )
    return _table(head, rows)


def _proofs(debate: Debate) -> str:
    lines: list[str] = []
    for title, members in proof_groups(debate):
        lines.append(f"**{title}**\n")
        for m in members:
            place = bracketed(linked_place(debate, m))
            line = f"- {one_line(finding_title(m.wording), 200)}{place}"
            words = one_line(proof_words(debate, m), 900)
            lines.append(": ".join(filter(None, (line, words))))
            if m.proof is not None and m.proof.test is not None:
                lines.append(f"\n{code_block(show_hidden(m.proof.test.text.rstrip()))}\n")
        lines.append("")
    return "\n".join(lines).strip()


def _challenges(debate: Debate) -> str:
    lines = []
    answered = answered_challenges(debate)
    for c in debate.challenges:
        state = say("not answered")
        if c.id in answered:
            state = say("answered")
        who = one_line(person_name(c.author), 80)
        lines.append(f"- {who}: {one_line(spelled_out(debate, c.text))} ({state})")
    return "\n".join(lines)


def _files(paths: Sequence[str]) -> str:
    named = ", ".join(f"`{cell(path, 80).replace('`', chr(39))}`" for path in paths[:3])
    return named + and_more(len(paths) - 3)


def _coverage(debate: Debate) -> str:
    material, files = debate.open.material, covered(debate)
    lines = [f"{files_read(files)}."] if files else []
    for sentence, paths in part_sentences(debate):
        lines.append(f"{'- ' if paths else ''}{sentence}{bracketed(_files(paths))}")
    rest = [
        f"- `{cell(one.path, 120).replace('`', chr(39))}`: "
        f"{coverage_words(one)}, {one_line(say_stored(one.reason))}"
        for one in files
        if not one.full
    ]
    lines += at_most(rest, _ROWS)
    around = [
        say(
            "- `{replace}:{first}-{last}` beside the change: {one_line}",
            replace=cell(p.path, 120).replace("`", chr(39)),
            first=p.first,
            last=p.last,
            one_line=one_line(p.name, 80),
        )
        for p in material.around
    ]
    lines += at_most(around, _ROWS)
    lines += [f"- {one_line(say_stored(note))}" for note in material.notes]
    if redacted := redacted_sentence(debate):
        lines.append(f"- {redacted}")
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = list(rows)
    if not body:
        return ""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(r) + " |" for r in body[:_ROWS]]
    if len(body) > _ROWS:
        lines.append(say("\n… and {count} more", count=len(body) - _ROWS))
    return "\n".join(lines)


def _reported(debate: Debate, holder: SeatId) -> str:
    """Returns the state of each result of a scanner, or of each remark, and the last reason of the
    side that prevailed.
    """
    tools = {report.id: report.tool for report in debate.open.material.scanned}
    rows = []
    reports = (
        (one, r.finding) for one in merge_findings(debate) for r in one.raised if r.seat == holder
    )
    for f, finding in reports:
        tool = one_line(tools.get(finding.id, ""), 120)
        place, title = place_as_code(finding.path, finding.line), finding_title(finding)
        named = " ".join(filter(None, (tool, place, one_line(title, 200))))
        rows.append(f"- {named}: {_fate(f)}")
    return "\n".join(at_most(rows, 50))


def _fate(f: MergedFinding) -> str:
    against = len(f.disputed_by)
    if f.holders == against:
        if against:
            return say("not settled ({counts})", counts=counts_words(f))
        return say("nobody answered")
    side, fate = f.disputed_by, msgid("refuted ({counts}){because}")
    if f.holders > against:
        side, fate = f.by, msgid("confirmed ({counts}){because}")
    reasons = [why for seat in f.reasons if seat in side and (why := f.because(seat))]
    because = "".join(f": {one_line(each, 300)}" for each in reasons[-1:])
    return say(fate, counts=counts_words(f), because=because)
