"""A debate as a document to take away: Markdown for people, JSON for machines, HTML for a browser.

The HTML is made from the Markdown with raw HTML off, so nothing that a model wrote can become
markup or load anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adapters.posts.cruxes import crux_picture
from adapters.posts.export.front import first, head
from adapters.posts.export.page import ExportPage, page
from adapters.posts.export.stances import picture
from adapters.posts.export.transcript import by_finding, by_round
from core.debate.errors import BadInput
from core.debate.material.addresses import line_url, source_url
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.languages import say
from core.words.outcome import outcome
from core.words.outcome.appendix import DISSENT, WARNINGS
from core.words.outcome.report import account, notes, render_account, written
from core.words.views.documents.heading import title_of
from core.words.views.documents.headings import unknown_form
from core.words.views.documents.pill import colour_of
from core.words.views.verdict.decision import decision

_ABOVE = (WARNINGS, DISSENT)
"""Headings that the beginning of the document covers, so that the account leaves them out."""


def export(debate: Debate, form: str, parent: Mapping[str, Any] | None = None) -> str:
    """Returns the document of a debate in the form ``md``, ``json`` or ``html``.

    A debate that still runs is exported in its present state. ``parent`` is the outcome of the
    debate that a fork came from. Raises ``BadInput`` for an unknown form.
    """
    if form == "json":
        return json.dumps(outcome(debate, parent), ensure_ascii=False, indent=2)
    if form == "md":
        return markdown(debate, parent)
    if form == "html":
        over = debate.concluded is not None
        title = title_of(debate)
        return page(
            ExportPage(
                f"{decision(debate).label} · {title}" if over else title,
                _head(debate),
                _sections(_first(debate, parent)),
                _findings(debate),
                picture(debate),
                _rest(debate, parent),
                by_round(debate),
                _links(debate),
                crux_picture(debate),
                colour_of(debate, outcome(debate, parent)["verdict"]) if over else "",
            )
        )
    raise BadInput(unknown_form(form))


def markdown(debate: Debate, parent: Mapping[str, Any] | None = None) -> str:
    """Returns the whole debate in Markdown: the decision with its grounds, the report, every
    finding and every round.
    """
    rounds = by_round(debate)
    parts = [_head(debate), _sections(_first(debate, parent)), _rest(debate, parent)]
    parts.append(_findings(debate))
    if rounds:
        parts += [say("## Transcript"), _sections(rounds, "###")]
    return "\n\n".join(filter(None, parts)) + "\n"


def _head(debate: Debate) -> str:
    above = notes(debate) if debate.concluded is not None else ()
    return head(debate, above)


def _first(debate: Debate, parent: Mapping[str, Any] | None) -> Mapping[str, str]:
    if debate.concluded is None:
        return {}
    return first(debate, account(debate, parent)[say(WARNINGS)])


def _findings(debate: Debate) -> str:
    """Returns every finding with its argument."""
    finding = by_finding(debate)
    parts = [say("## Finding by finding"), _sections(finding, "###")] if finding else []
    return "\n\n".join(parts)


def _rest(debate: Debate, parent: Mapping[str, Any] | None) -> str:
    """Returns the template's report one level lower, and how it was decided."""
    if debate.concluded is None:
        return ""
    above = [say(name) for name in _ABOVE]
    how = {name: text for name, text in account(debate, parent).items() if name not in above}
    return "\n\n".join(("" if debate.lost else written(debate, lower=True), render_account(how)))


def _sections(texts: Mapping[str, str], mark: str = "##") -> str:
    return "\n\n".join(f"{mark} {title}\n\n{text}" for title, text in texts.items() if text)


def _links(debate: Debate) -> frozenset[str]:
    """Returns the addresses that code made: of the findings' lines and of what was debated."""
    if debate.opened is None:
        return frozenset()
    material, findings = debate.open.material, merge_findings(debate)
    wordings = (m.wording for m in findings)
    lines = (line_url(material, f.path, f.line, f.side) for f in wordings)
    return frozenset((*lines, source_url(material))) - {""}
