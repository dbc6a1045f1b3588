"""A demand of an earlier review, from the fields of its finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.debate.finding import Category, Finding, Severity
from core.debate.ledger import Demand


def demand(  # noqa: PLR0917  as many as a finding has
    id: str,
    mark: str,
    severity: str,
    confidence: float,
    title: str,
    path: str,
    line: int | None,
    side: str,
    quote: str,
    *words: str,
    extent: int = 0,
    blocked: bool | None = None,
    category: str = "",
    **known: Any,
) -> Demand:
    """Returns the demand; ``words`` are its trigger and its fix."""
    trigger, fix = (*words, "", "")[:2]
    finding = Finding(
        id,
        Severity(severity),
        confidence,
        title,
        path,
        line,
        side,
        quote,
        known.pop("trigger", trigger),
        known.pop("fix", fix),
        anchored=line is not None,
        end=line + extent - 1 if line is not None and extent else None,
        category=Category(category) if category else None,
        must_fix=blocked,
    )
    return Demand(mark, finding, **known)


def reworded(known: Demand, **fields: Any) -> Demand:
    """Returns the demand with other fields of its finding."""
    if "line" in fields:
        fields |= {"anchored": fields["line"] is not None}
    return replace(known, finding=replace(known.finding, **fields))
