"""A debate as a document to take away: Markdown for people, JSON for machines, HTML for a browser.

The HTML is made from the Markdown with raw HTML off, so nothing that a model wrote can become
markup or load anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from textwrap import indent
from typing import Any

from adapters.posts.cruxes import crux_picture
from adapters.posts.export.page import figure, folded_rounds, page, rendered
from adapters.posts.export.stances import picture
from adapters.posts.export.transcript import by_finding, by_round, fenced
from core.debate.errors import BadInput
from core.debate.material.addresses import line_url, source_url
from core.debate.material.plaintext import neutral, one_line
from core.debate.state import Debate
from core.debate.verdict.action_items import action_items
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.languages import msgid, say, say_if
from core.words.outcome import outcome
from core.words.outcome.appendix import DISSENT, WARNINGS, dissent, linked_place
from core.words.outcome.report import account, notes, render_account, written
from core.words.views.course.cost import spent_line
from core.words.views.course.progress import STATUS, state_line
from core.words.views.documents.headings import (
    BEFORE_RELYING,
    DISAGREES,
    RESTS_ON,
    TO_DO,
    labels_line,
    title_of,
    unknown_form,
)
from core.words.views.documents.pill import colour_of
from core.words.views.language.grammar import option_words, shortened
from core.words.views.verdict.cruxes import TURNS_ON
from core.words.views.verdict.decision import decision
from core.words.views.verdict.dissent import could_disagree
from core.words.views.verdict.facts import first_facts
from core.words.views.verdict.findings import (
    NOTHING_OPEN,
    deciding,
    finding_numbers,
    finding_view,
    finding_word,
)

_ABOVE = (WARNINGS, DISSENT)
"""Headings that the beginning of the document covers, so that the account leaves them out."""

_TITLE = 200


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
        return _html(debate, parent)
    raise BadInput(unknown_form(form))


def _html(debate: Debate, parent: Mapping[str, Any] | None) -> str:
    title, colour, links = title_of(debate), "", _links(debate)
    if debate.concluded is not None:
        title = f"{decision(debate).label} · {title}"
        colour = colour_of(debate, outcome(debate, parent)["verdict"])
    body = (
        rendered(_findings(debate), links),
        figure(say("How stances moved"), picture(debate)),
        figure(say(TURNS_ON), crux_picture(debate)),
        rendered(_rest(debate, parent), links),
        folded_rounds(by_round(debate)),
    )
    head, first = rendered(_head(debate), links), _sections(_first(debate, parent))
    return page(
        title,
        f'<header class="{escape(colour)}">{head}</header>{rendered(first, links)}',
        "".join(body),
    )


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


def _findings(debate: Debate) -> str:
    finding = by_finding(debate)
    if not finding:
        return ""
    return f"{say('## Finding by finding')}\n\n{_sections(finding, '###')}"


def _rest(debate: Debate, parent: Mapping[str, Any] | None) -> str:
    if debate.concluded is None:
        return ""
    above = [say(name) for name in _ABOVE]
    how = {name: text for name, text in account(debate, parent).items() if name not in above}
    report = "" if debate.lost else written(debate, lower=True)
    return f"{report}\n\n{render_account(how)}"


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


def _head(debate: Debate) -> str:
    """Returns the heading of a document: decision, warnings that must be read with it, the first
    finding that decides, title and origin. A debate without a decision has its title first.
    """
    title = neutral(shortened(title_of(debate), _TITLE))
    parts = [f"# {title}"]
    if debate.concluded is not None:
        headline = f"# {neutral(decision(debate).headline)}"
        warned = [f"> **{note}**" for note in notes(debate)]
        facts = [f"{label}: {one_line(text)}" for label, text in first_facts(debate)]
        parts = [headline, *warned, *_reason(debate), *facts, f"**{title}**"]
    return "\n\n".join([*parts, _origin(debate)])


def _reason(debate: Debate) -> Iterator[str]:
    findings = deciding(debate)
    if findings and debate.open.template.findings:
        rest, heading = len(findings) - 1, one_line(finding_view(debate, findings[0]).heading)
        more = say_if(rest, msgid("and {count} more"), count=rest)
        place = linked_place(debate, findings[0])
        yield " · ".join(filter(None, (f"**{heading}**", place, more)))


def _origin(debate: Debate) -> str:
    state = say(STATUS[debate.status])
    if debate.concluded is None:
        state = state_line(debate)
    parts = [say("Debate `{id}`", id=debate.id), option_words(debate.request.template), state]
    if labels := labels_line(debate.request.labels):
        parts.append(neutral(labels))
    if debate.opened is not None:
        material = debate.open.material
        url = source_url(material)
        if url:
            parts.append(say("[what was debated]({url})", url=url))
        if material.revision and not material.revision.startswith("sha256:"):
            parts.append(say("revision `{revision}`", revision=material.revision[:12]))
        parts.append(spent_line(debate))
    return " · ".join(parts)


def _first(debate: Debate, parent: Mapping[str, Any] | None) -> Mapping[str, str]:
    """Returns the title and text of each section at the beginning; an empty text is left out."""
    if debate.concluded is None:
        return {}
    return {
        say(RESTS_ON): _rests_on(debate),
        say(TO_DO): _actions(debate),
        say(DISAGREES): dissent(debate) if could_disagree(debate) else "",
        say(BEFORE_RELYING): account(debate, parent)[say(WARNINGS)],
    }


def _rests_on(debate: Debate) -> str:
    if debate.lost or not debate.open.template.findings:
        return ""
    findings = deciding(debate)
    return "\n".join(_finding(debate, m) for m in findings) or say(NOTHING_OPEN)


def _finding(debate: Debate, m: MergedFinding) -> str:
    view, number = finding_view(debate, m), finding_word(finding_numbers(debate)[m.id])
    where = " · ".join(filter(None, (linked_place(debate, m), view.status, number)))
    parts = (
        f"  - {label}{'' if label.endswith(' by') else ':'} {one_line(text, 600)}"
        for label, text in view.facts
    )
    patch = f"\n\n{indent(fenced(view.patch), '  ')}\n" if view.patch else ""
    return "\n".join((f"- **{one_line(view.heading)}**  \n  {where}", *parts)) + patch


def _actions(debate: Debate) -> str:
    """Returns the action items; none if findings block, because each of those names its fix."""
    if any(m.blocking for m in deciding(debate)):
        return ""
    return "\n".join(f"- {one_line(action)}" for action in action_items(debate))
