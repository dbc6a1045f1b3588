"""Runs a template's own checks of its result: each is named in ``settings.checks`` and is a pure
function of the debate.

Checks warn and fill sections of the report that no model writes. A check never changes a decision;
one that a report must pass says so in its first line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.debate.checks.clauses import amendments, clauses, loose_points, points_by_clause
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import at_most, one_line
from core.debate.replies import Claim, Statement
from core.debate.script import TurnId
from core.debate.state import Debate
from core.debate.template import Template
from core.debate.verdict import label
from core.debate.verdict.findings.evidence import claims_with_source
from core.debate.verdict.follow_up import DATE, DATED, check_names, day_in, section_of

_LEAST_OPTIONS = 3
"""The options that a choice must at least compare: the bet, doing nothing, one cheaper test."""
_ROWS = 30
_NAMED = 20
_DAYS = {"follow_up_date": "follow-up date"}
_ITEM = re.compile(r"^\s*(?:[-*+•]\s|\d{1,2}[.)]\s|\|(?!\s*:?-{2,}))")
_EMPTY = re.compile(
    r"^\W*(?:none|n/?a|tbd|to be (?:done|defined|decided)|unknown|not answered|-)?\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: ``refused`` says why the report must be rewritten; ``sections`` are
    title and Markdown for the report.
    """

    refused: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    sections: tuple[tuple[str, str], ...] = ()


def run_checks(debate: Debate) -> CheckResult:
    """Runs all checks of the template in the order of the file; the result is empty before a
    closing turn is settled.
    """
    results = [CHECKS[name](debate) for name in check_names(debate.open.template) if name in CHECKS]
    return CheckResult(
        tuple(line for r in results for line in r.refused),
        tuple(line for r in results for line in (*r.refused, *r.warnings)),
        tuple(section for r in results for section in r.sections),
    )


def refusal(template: Template, statement: Statement) -> str:
    """Explains to the closing seat why its reply is refused; "" if it is not."""
    wanted = check_names(template)
    lacking = []
    if (
        "options" in wanted
        and (n := count_options(statement.sections.get("alternatives", ""))) < _LEAST_OPTIONS
    ):
        lacking.append(
            f"the alternatives list {n} options, one a line: {_LEAST_OPTIONS} are needed"
        )
    if "kill_criteria" in wanted and _EMPTY.match(statement.sections.get("kill_criteria", "")):
        lacking.append("the kill criteria are missing")
    lacking += [
        f"{field} holds no date like 2027-01-31"
        for field in DATED
        if field in wanted and not DATE.search(statement.sections.get(field, ""))
    ]
    return "; ".join(lacking)


def count_options(section: str) -> int:
    """Counts the options that a section lists: its items or table rows, without the table's
    head.
    """
    rows = [row for row in section.splitlines() if _ITEM.match(row)]
    tabled = any(row.lstrip().startswith("|") for row in rows)
    return max(0, len(rows) - tabled)


def _clauses(debate: Debate) -> CheckResult:
    by_clause, hanging = points_by_clause(debate), loose_points(debate)
    silent = [n for n, ids in by_clause.items() if not ids]
    warned = []
    if silent:
        warned.append(f"Not examined by anybody: {_listed(silent)}.")
    if hanging:
        many = "1 point" if len(hanging) == 1 else f"{len(hanging)} points"
        warned.append(f"{many} without an existing clause and its words: {_who(debate, hanging)}.")
    texts = {
        c.number: re.sub(rf"^\W*{re.escape(c.number)}[.):]?\s+", "", c.text)
        for c in clauses(debate.open.material)
    }
    rows = [
        f"- {n} {one_line(texts[n], 60)}: {_who(debate, ids) or '**not examined**'}"
        for n, ids in by_clause.items()
    ]
    if not rows:
        return CheckResult(warnings=tuple(warned))
    section = "Clauses examined", "\n".join(at_most(rows, _ROWS, "clauses"))
    return CheckResult(warnings=tuple(warned), sections=(section,))


def _who(debate: Debate, points: Sequence[str]) -> str:
    """Names the seats that made these points, each once."""
    turns = (debate.script.turn(TurnId(id.rpartition(".")[0])) for id in points)
    return ", ".join(dict.fromkeys(label(turn.seat) for turn in turns))


def _amendments(debate: Debate) -> CheckResult:
    blocks = [f"By {_who(debate, (c.id,))}:\n\n{_diff(c)}" for c in amendments(debate)[:_ROWS]]
    text = "\n\n".join(blocks) or "No amendment quotes the words that it replaces."
    return CheckResult(sections=(("Amendments as diffs", text),))


def _diff(amendment: Claim) -> str:
    """Renders foreign lines as a block that they cannot end: each begins with its mark, and none
    holds a fence.
    """
    removed = (f"- {row}" for row in amendment.quote.splitlines())
    added = (f"+ {row}" for row in amendment.text.splitlines())
    rows = (show_hidden(row).replace("```", "'''") for row in (*removed, *added))
    return "\n".join(("```diff", *rows, "```"))


def _assumptions(debate: Debate) -> CheckResult:
    rests = claims_with_source(debate)
    bare = [
        c
        for _, statement in debate.statements(debate.voters)
        for c in statement.claims
        if not rests[c.id]
    ]
    rows = at_most([f"- {_who(debate, (c.id,))}: {one_line(c.text)}" for c in bare], _ROWS)
    return CheckResult(
        sections=(("Assumptions: claims without a source", "\n".join(rows) or "None."),)
    )


def _options(debate: Debate) -> CheckResult:
    count = count_options(section_of(debate, "alternatives"))
    if not _closed(debate) or count >= _LEAST_OPTIONS:
        return CheckResult()
    short = f"it compares {count} options, at least {_LEAST_OPTIONS} are needed."
    return CheckResult(refused=(f"Not a decision memo yet: {short}",))


def _kill_criteria(debate: Debate) -> CheckResult:
    if not _closed(debate) or not _EMPTY.match(section_of(debate, "kill_criteria")):
        return CheckResult()
    return CheckResult(refused=("Not a decision memo yet: it names no kill criteria.",))


def _dated(field: str) -> Callable[[Debate], CheckResult]:
    def check(debate: Debate) -> CheckResult:
        if not _closed(debate) or day_in(debate, field) is not None:
            return CheckResult()
        return CheckResult(
            warnings=(
                (
                    f"No {_DAYS.get(field, field.replace('_', ' '))} after today was set; one like "
                    "2027-01-31 is required."
                ),
            )
        )

    return check


def _closed(debate: Debate) -> bool:
    return debate.over or any(turn.closing for turn, _ in debate.statements())


def _listed(numbers: Sequence[str]) -> str:
    named = ", ".join(numbers[:_NAMED])
    if len(numbers) > _NAMED:
        named += " ..."
    return f"clauses {named}" if len(numbers) > 1 else f"clause {named}"


CHECKS: Mapping[str, Callable[[Debate], CheckResult]] = {
    "clauses": _clauses,
    "amendments": _amendments,
    "assumptions": _assumptions,
    "options": _options,
    "kill_criteria": _kill_criteria,
    **{field: _dated(field) for field in DATED},
}
