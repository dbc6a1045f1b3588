"""A debate as a document to take away: Markdown for people, JSON for machines, HTML for a browser.

The HTML is made from the Markdown with raw HTML off, so nothing that a model wrote can become
markup or load anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adapters.posts.decision import decision_sentence
from adapters.posts.page import page
from adapters.posts.stances import picture
from adapters.posts.words import state_line, title_of
from core.debate import Debate
from core.errors import BadInput
from core.guards import why_skipped
from core.material.addresses import line_url
from core.material.plaintext import neutral
from core.outcome import outcome
from core.outcome.account import models_hidden
from core.outcome.report import report
from core.verdict.findings import merge_findings


def export(debate: Debate, form: str, parent: Mapping[str, Any] | None = None) -> str:
    """Raises ``BadInput`` for an unknown form.

    A debate that still runs is exported as it stands.
    """
    if form == "json":
        return json.dumps(outcome(debate, parent), ensure_ascii=False, indent=2)
    if form == "md":
        return markdown(debate, parent)
    if form == "html":
        told, said = _told(debate, parent), _transcript(debate)
        return page(title_of(debate), told, said, _links(debate), picture(debate))
    raise BadInput(f"I export md, json or html, not {form}.")


def markdown(debate: Debate, parent: Mapping[str, Any] | None = None) -> str:
    """The report, if there is one already, and the whole transcript.

    ``parent`` is the outcome of what a fork was forked from.
    """
    parts = (_told(debate, parent), "## Transcript", _transcript(debate))
    return parts[0] if debate.opened is None else "\n\n".join(filter(None, parts))


def _told(debate: Debate, parent: Mapping[str, Any] | None) -> str:
    """The decision first, then the report where there is one."""
    parts = [f"# {neutral(title_of(debate))}"]
    if debate.concluded is not None:
        parts.append(f"**{neutral(decision_sentence(debate))}**")
    parts.append(f"Debate `{debate.id}`, {debate.request.template}: {state_line(debate)}")
    if debate.concluded is not None:
        parts.append(report(debate, parent))
    return "\n\n".join(parts)


def _links(debate: Debate) -> frozenset[str]:
    """The addresses of the findings' lines, which code made."""
    if debate.opened is None:
        return frozenset()
    material, found = debate.open.material, merge_findings(debate)
    shown = (m.shown for m in found)
    return frozenset(line_url(material, f.path, f.line, f.side) for f in shown) - {""}


def _transcript(debate: Debate) -> str:
    """What was said, by round."""
    if debate.opened is None:
        return ""
    parts: list[str] = []
    rounds = debate.open.script.rounds
    shown = -1
    for turn in debate.turns:
        if turn.id not in debate.settled:
            continue
        if turn.round != shown:
            shown = turn.round
            parts.append(f"### Round {shown + 1}: {rounds[shown].title}")
        parts.append(_turn(debate, turn.id))
    parts += [f"> Challenge {c.id}: {neutral(c.text)}" for c in debate.challenges]
    return "\n\n".join(parts)


def _turn(debate: Debate, id: str) -> str:
    turn = next(t for t in debate.turns if t.id == id)
    script = debate.open.script
    who = (
        script.alias(turn.seat)
        if models_hidden(debate)
        else script.seat(turn.seat).role.replace("_", " ")
    )
    said = debate.statement(turn.id)
    if said is None:
        reason = (
            why_skipped(debate.skipped.get(turn.id, ""))
            if turn.id not in debate.failed
            else debate.failed[turn.id]
        )
        secret = models_hidden(debate) and turn.id in debate.failed  # the reason names the model
        return f"**{who}**: no answer" + ("" if secret else f" ({neutral(reason)})")
    stance = (
        f" - {said.stance.option} ({said.stance.confidence:.2f})" if said.stance is not None else ""
    )
    lines = [f"**{who}**{stance}", neutral(said.text)]
    lines += [f"- {c.id}: {neutral(c.text)}" for c in said.claims]
    lines += [f"- {a.position} {a.to}: {neutral(a.because)}" for a in said.answers]
    lines += [
        f"- {f.id} {f.severity} {neutral(f.path)}:{f.line} {neutral(f.title)}"
        for f in said.findings
    ]
    return "\n".join((lines[0], "", lines[1], "", *lines[2:]))
