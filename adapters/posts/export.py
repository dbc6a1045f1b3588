"""A debate as a document to take away: Markdown for people, JSON for machines, HTML for a browser.

The HTML is made from the Markdown with raw HTML off, so nothing that a model wrote can become
markup or load anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from adapters.posts.words import state_line, title_of
from core.debate import Debate
from core.errors import BadInput
from core.guards import why_skipped
from core.material.plaintext import neutral
from core.outcome import outcome
from core.outcome.account import models_hidden
from core.outcome.report import report

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{{max-width:60rem;margin:2rem auto;font:16px/1.5 system-ui;padding:0 1rem}}
pre{{overflow:auto}}table{{border-collapse:collapse}}
td,th{{border:1px solid #999;padding:.2rem .6rem;text-align:left}}</style></head><body>
{body}
</body></html>
"""


def export(debate: Debate, form: str, parent: Mapping[str, Any] | None = None) -> str:
    """Raises ``BadInput`` for an unknown form.

    A debate that still runs is exported as it stands.
    """
    if form == "json":
        return json.dumps(outcome(debate, parent), ensure_ascii=False, indent=2)
    if form == "md":
        return markdown(debate, parent)
    if form == "html":
        from markdown_it import MarkdownIt

        renderer = (
            MarkdownIt("commonmark", {"html": False})
            .enable("table")
            .disable(["image", "link", "autolink"])
        )
        return PAGE.format(
            title=escape(title_of(debate)), body=renderer.render(markdown(debate, parent))
        )
    raise BadInput(f"I export md, json or html, not {form}.")


def markdown(debate: Debate, parent: Mapping[str, Any] | None = None) -> str:
    """The report, if there is one already, and the whole transcript.

    ``parent`` is the outcome of what a fork was forked from.
    """
    parts = [
        f"# {neutral(title_of(debate))}",
        f"Debate `{debate.id}`, {debate.request.template}: {state_line(debate)}",
    ]
    if debate.opened is None:
        return "\n\n".join(parts)
    if debate.concluded is not None:
        parts.append(report(debate, parent))
    parts.append("## Transcript")
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
