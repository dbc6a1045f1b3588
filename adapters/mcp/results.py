"""The results of the tools, as the protocol's schemas show them. Foreign text stands under
``quoted``, cut, with no unseen character in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from adapters.mcp.instructions import NOTE
from core.debate import Debate
from core.material.escaping import show_hidden, show_path
from core.script import SeatId
from core.verdict import verdict
from core.verdict.findings import MergedFinding, merge_findings
from core.verdict.unread import covered
from core.views.course.cost import cost
from core.views.language.grammar import shortened
from core.views.language.seats import holder
from core.views.verdict.caveats import warnings
from core.views.verdict.coverage import file_views, files_read
from core.views.verdict.decision import decision
from core.views.verdict.dissent import dissent_views
from core.views.verdict.votes import people_shown

MOST_FINDINGS, _MOST_FILES = 30, 30
"""Most findings and files of one answer, which is read whole: all of them at their longest make
20,000 tokens.
"""
_TITLE, _QUOTE, _TEXT = 200, 400, 500
_ID = 300


def quoted(text: str, most: int) -> str:
    """Returns foreign text made safe to show."""
    return show_hidden(shortened(text, most))


class Happened(BaseModel):
    event: int
    line: str
    quoted: str = Field("", description="the beginning of what was said")


class Waited(BaseModel):
    debate: str
    status: str
    over: bool = Field(description="nothing more is to come")
    next_event: int = Field(description="give it as after_event the next time")
    happened: list[Happened]
    note: str = NOTE


class QuotedFinding(BaseModel):
    title: str
    code: str = Field(description="the line that it is about, found in the change by code")
    trigger: str
    fix: str


class Finding(BaseModel):
    id: str
    severity: str
    confidence: float
    path: str
    line: int | None = Field(description="null where code did not find the quotation")
    blocks: bool = Field(description="the rule wants it fixed")
    state: str = Field(description="open, withdrawn, disputed or resolved")
    held_by: list[str]
    disputed_by: list[str]
    quoted: QuotedFinding


class QuotedDissent(BaseModel):
    because: str
    would_resolve_if: str


class Dissent(BaseModel):
    seat: str
    stance: str
    quoted: QuotedDissent


class Unread(BaseModel):
    path: str
    state: str
    reason: str


class Coverage(BaseModel):
    summary: str
    unread: list[Unread]


class Cost(BaseModel):
    usd: float | None
    calls: int


class Verdict(BaseModel):
    schema_version: Literal[1] = 1
    debate: str
    status: str
    over: bool
    url: str = ""
    template: str
    decision: str = Field(description="an option of the template's ballot, none while under way")
    reached: bool
    blocks: bool
    headline: str
    quoted_condition: str = Field(
        default="", description="what-if: the verdict holds only under this"
    )
    agreement: Annotated[float, Field(description="share of the entitled seats that hold it")]
    findings: list[Finding]
    more_findings: int = 0
    dissent: list[Dissent]
    coverage: Coverage | None
    cost: Cost
    warnings: list[str]
    quoted_actions: list[str]
    note: str = NOTE


class Started(BaseModel):
    debate: str
    status: str
    url: str = Field("", description="its page, where there is one")
    estimate_usd: float | None = Field(description="null where nobody knows the price")
    started_before: bool = Field(description="the same was started within the hour: this is it")
    poll_after_s: int = 5
    verdict: Verdict | None = Field(
        default=None, description="where the call was waited for as a task"
    )


class Done(BaseModel):
    debate: str
    said: str


class Listed(BaseModel):
    debate: str
    status: str
    template: str
    decision: str
    cost_usd: float
    created_at: str
    quoted: str = Field(description="its title")


class Debates(BaseModel):
    debates: list[Listed]
    note: str = NOTE


def verdict_of(debate: Debate, url: str) -> Verdict:
    """Returns the verdict with everything that a client needs to act on it."""
    spent = cost(debate)
    made = Verdict(
        debate=debate.id,
        status=debate.status,
        over=debate.over,
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
        warnings=[],
        quoted_actions=[],
    )
    if debate.opened is None or debate.deleted is not None:
        return made
    findings, decided, files = merge_findings(debate), verdict(debate), file_views(debate)
    ranked = sorted(findings, key=lambda one: not one.blocking)
    made.findings = [_finding(debate, each) for each in ranked[:MOST_FINDINGS]]
    made.more_findings = max(0, len(findings) - MOST_FINDINGS)
    made.coverage = Coverage(
        summary=files_read(covered(debate)),
        unread=[
            Unread(path=show_path(f.path), state=f.state, reason=quoted(f.reason, _TITLE))
            for f in [f for f in files if not f.full][:_MOST_FILES]
        ],
    )
    texts = warnings(debate, decided, findings, people_shown(debate))
    made.warnings = [quoted(text, _TEXT) for text in texts]
    if not debate.over:
        return made
    view = decision(debate)
    kept = debate.closed or decided
    made.decision, made.blocks = kept.decision, view.blocks
    made.reached = kept.reached and not view.condition
    made.quoted_condition = quoted(view.condition, _TEXT)
    made.headline, made.agreement = show_hidden(view.bare_headline), decided.agreement
    made.quoted_actions = [quoted(text, _TEXT) for text in decided.actions]
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


def _finding(debate: Debate, finding: MergedFinding) -> Finding:
    f = finding.wording
    return Finding(
        id=show_hidden(finding.id[:_ID]),
        severity=f.severity.value,
        confidence=f.confidence,
        path=show_path(f.path),
        line=f.line if f.anchored else None,
        blocks=finding.blocking,
        state=finding.state.value,
        held_by=_names(debate, finding.by),
        disputed_by=_names(debate, finding.disputed_by),
        quoted=QuotedFinding(
            title=quoted(f.title, _TITLE),
            code=show_hidden(f.quote[:_QUOTE]),
            trigger=quoted(f.trigger, _TEXT),
            fix=quoted(f.fix, _TEXT),
        ),
    )


def _names(debate: Debate, seats: Iterable[SeatId]) -> list[str]:
    return [holder(debate, seat) for seat in seats]
