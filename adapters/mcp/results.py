"""The results of the tools, as the protocol's schemas show them. Foreign text, names of files
among it, is ``Foreign``: cut, with no unseen character in it, and only inside ``quoted``. All other
text is ``Own``: the bot's words and ids, or sentences that quote between “ and ”.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from adapters.mcp.instructions import NOTE
from core.debate.finding import TEXTS
from core.debate.material.escaping import show_hidden, show_path
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict import blocks, verdict
from core.debate.verdict.action_items import action_items
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.unread import covered
from core.words.outcome.findings import finding_document
from core.words.views.course.cost import cost
from core.words.views.course.progress import where_line
from core.words.views.language.grammar import listed, shortened
from core.words.views.language.seats import holder
from core.words.views.verdict.caveats import warnings
from core.words.views.verdict.coverage import coverage_words, files_read
from core.words.views.verdict.decision import decision, what_if
from core.words.views.verdict.dissent import dissent_views
from core.words.views.verdict.objection import objection_line
from core.words.views.verdict.stances import people_shown

MOST_FINDINGS, _MOST_FILES = 30, 30
"""Most findings and files of one answer, which is read whole: all of them at their longest make
20,000 tokens.
"""
_TITLE, _QUOTE, _TEXT = 200, 400, 500
_ID = 300
_DECISION = "an option of the template's ballot, none while under way"
_OVER = "no seat speaks any more: get_verdict has the decision"
_FINAL = "nothing more is to come; until then votes of people still count"


Foreign = Annotated[str, AfterValidator(show_hidden)]
"""Text that a stranger, a person or a model wrote; a test finds it only inside ``quoted``."""
Own = Annotated[str, AfterValidator(show_hidden)]
"""The bot's own words."""


def quoted(text: str, most: int) -> Foreign:
    """Returns foreign text made safe to show."""
    return show_hidden(shortened(text, most))


class Happened(BaseModel):
    event: int
    line: Own
    quoted: Foreign = Field("", description="the beginning of the statement")


class Waited(BaseModel):
    debate: Own
    status: Own
    over: bool = Field(description=_OVER)
    final: bool = Field(description=_FINAL)
    next_event: int = Field(description="give it as after_event the next time")
    happened: list[Happened]
    note: Own = NOTE


class Finding(BaseModel):
    id: Own
    severity: Own
    confidence: float
    line: int | None = Field(description="null where code did not find the quotation")
    blocks: bool = Field(description="the rule wants it fixed")
    state: Own = Field(description="open, withdrawn, disputed or resolved")
    held_by: list[Own]
    disputed_by: list[Own]
    quoted: dict[Own, Foreign] = Field(
        description="path, title, code (the line that it is about, found in the change by code) "
        f"and {listed(TEXTS)}"
    )


class QuotedDissent(BaseModel):
    because: Foreign
    would_resolve_if: Foreign


class Dissent(BaseModel):
    seat: Own
    stance: Own
    quoted: QuotedDissent


class QuotedFile(BaseModel):
    path: Foreign
    reason: Foreign


class Unread(BaseModel):
    state: Own
    quoted: QuotedFile


class Coverage(BaseModel):
    summary: Own
    unread: list[Unread]


class Cost(BaseModel):
    usd: float | None
    calls: int


class Verdict(BaseModel):
    schema_version: Literal[1] = 1
    debate: Own
    status: Own
    over: bool = Field(description=_OVER)
    final: bool = Field(description=_FINAL)
    url: Own = ""
    template: Own
    decision: Own = Field(description=_DECISION)
    reached: bool
    blocks: bool
    headline: Own
    quoted_condition: Foreign = Field(
        default="", description="what-if: the verdict holds only under this"
    )
    quoted_objection: Foreign = Field(
        default="", description="what the last objection to the verdict came to"
    )
    agreement: Annotated[float, Field(description="share of the entitled seats that hold it")]
    findings: list[Finding]
    more_findings: int = 0
    dissent: list[Dissent]
    coverage: Coverage | None
    cost: Cost
    quoted_warnings: list[Foreign]
    quoted_actions: list[Foreign]
    note: Own = NOTE


class Started(BaseModel):
    debate: Own
    status: Own
    url: Own = Field("", description="its page, if there is one")
    estimate_usd: float | None = Field(description="null if the price is unknown")
    started_before: bool = Field(description="the same was started within the hour: this is it")
    poll_after_s: int = 5
    verdict: Verdict | None = Field(
        default=None, description="if the client waited for the call as a task"
    )


class Done(BaseModel):
    debate: Own
    said: Own


class Listed(BaseModel):
    debate: Own
    status: Own
    template: Own
    decision: Own = Field(description=_DECISION)
    reached: bool
    cost_usd: float
    created_at: Own
    quoted: Foreign = Field(description="its title")


class Debates(BaseModel):
    debates: list[Listed]
    note: Own = NOTE


def verdict_of(debate: Debate, url: str) -> Verdict:
    """Returns the verdict with everything that a client needs to act on it."""
    spent = cost(debate)
    made = Verdict(
        debate=debate.id,
        status=debate.status,
        over=debate.over,
        final=debate.final,
        url=url,
        template=debate.request.template,
        decision="none",
        reached=False,
        blocks=False,
        headline=show_hidden(debate.nothing_because),
        agreement=0.0,
        findings=[],
        dissent=[],
        coverage=None,
        cost=Cost(usd=spent["usd"], calls=spent["calls"]),
        quoted_warnings=[],
        quoted_actions=[],
    )
    if debate.opened is None or debate.deleted is not None:
        return made
    findings, decided, files = merge_findings(debate), verdict(debate), covered(debate)
    ranked = sorted(findings, key=lambda one: not one.blocking)
    made.findings = [_finding(debate, each) for each in ranked[:MOST_FINDINGS]]
    made.more_findings = max(0, len(findings) - MOST_FINDINGS)
    made.coverage = Coverage(
        summary=files_read(covered(debate)),
        unread=[
            Unread(
                state=coverage_words(f),
                quoted=QuotedFile(path=show_path(f.path), reason=quoted(f.reason, _TITLE)),
            )
            for f in [f for f in files if not f.full][:_MOST_FILES]
        ],
    )
    made.quoted_warnings = [quoted(text, _TEXT) for text in warnings(debate, people_shown(debate))]
    if not debate.over:
        return _with_reopened(made, debate)
    view = decision(debate)
    kept = debate.closed or decided
    made.decision, made.blocks = kept.decision, view.blocks
    made.reached = kept.reached and not view.condition
    made.quoted_condition = quoted(view.condition, _TEXT)
    made.quoted_objection = quoted(objection_line(debate), _TEXT)
    made.headline, made.agreement = show_hidden(view.bare_headline), decided.agreement
    made.quoted_actions = [quoted(text, _TEXT) for text in action_items(debate)]
    made.dissent = [
        Dissent(
            seat=one.who,
            stance=one.option,
            quoted=QuotedDissent(
                because=quoted(one.because, _TEXT), would_resolve_if=quoted(one.settles, _TEXT)
            ),
        )
        for one in dissent_views(debate)
    ]
    return made


def _with_reopened(made: Verdict, debate: Debate) -> Verdict:
    """Puts in the verdict that counts while seats answer what reopened it, if any."""
    if debate.reopened is not None:
        counts = debate.reopened.verdict
        made.decision, made.headline = counts.decision, where_line(debate)
        made.reached = counts.reached and not what_if(debate)
        made.blocks = blocks(debate, counts.decision)
    return made


def _finding(debate: Debate, finding: MergedFinding) -> Finding:
    entry = finding_document(debate, finding)
    return Finding(
        id=show_hidden(entry["id"][:_ID]),
        severity=entry["severity"],
        confidence=entry["confidence"],
        line=entry["line"] if entry["anchored"] else None,
        blocks=entry["blocking"],
        state=entry["state"],
        held_by=_names(debate, finding.by),
        disputed_by=_names(debate, finding.disputed_by),
        quoted={
            "path": show_path(entry["path"]),
            "title": quoted(entry["title"], _TITLE),
            "code": show_hidden(entry["quote"][:_QUOTE]),
            **{name: quoted(entry[name], _TEXT) for name in TEXTS},
        },
    )


def _names(debate: Debate, seats: Iterable[SeatId]) -> list[str]:
    return [holder(debate, seat) for seat in seats]
