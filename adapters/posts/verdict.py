"""The verdict, built from the outcome document; it says nothing of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from adapters.ports.chat import Button, File, Post, Shape
from adapters.posts.words import (
    ballot_reactions,
    counted,
    post_key,
    seat_name,
    seats_line,
    verdict_key,
)
from core import events as e
from core.budget import dollars
from core.debate import Debate
from core.material import Kind
from core.outcome import outcome
from core.script import SeatId
from core.verdict import verdict
from core.verdict.findings import MergedFinding, State, merge_findings


def _poll(debate: Debate) -> tuple[str, ...]:
    """The answers of a native poll where the template asks for one and people have time to vote;
    its emoji are those of the reactions.
    """
    opened = debate.open
    asked = opened.template.poll and opened.terms.vote_window > 0
    return tuple(o.option.replace("_", " ") for o in opened.template.ballot) if asked else ()


def verdict_post(debate: Debate, at: int) -> Post:
    document = outcome(debate)
    return Post(
        key=verdict_key(debate.id),
        debate=debate.id,
        shape=Shape.VERDICT,
        title=_verdict_title(debate, document),
        body=str(document["verdict"]["summary"]),
        fields=tuple(verdict_fields(debate, document)),
        buttons=(
            *review_buttons(debate),
            Button("transcript", "Transcript", debate.id),
            Button("rerun", "Re-run", debate.id),
            Button("export", "Export", debate.id),
            Button("fork", "Fork", debate.id, form=True),
        ),
        reaction_options=ballot_reactions(debate),
        poll=_poll(debate),
        subject="",
        files=(File(f"debate-{debate.id}.md", document["report"]),),
        broadcast=not debate.open.terms.quiet,
        facts={
            "question": "Your vote on this verdict",
            "poll_hours": str(ceil(debate.open.terms.vote_window / 3600)),
        },
        fallback=_verdict_title(debate, document),
    )


def review_buttons(debate: Debate) -> tuple[Button, ...]:
    """What can go back to the pull request, where there is one that is open."""
    material = debate.open.material
    lost = debate.status == "failed" or debate.open.terms.demo
    if material.kind is not Kind.PULL_REQUEST or material.facts.get("state") != "open" or lost:
        return ()
    shown = [Button("post", "Post the review", debate.id)]
    if verdict(debate).actions:
        shown.append(Button("issues", "Create issues", debate.id))
    return tuple(shown)


def verdict_edit(debate: Debate, at: int) -> Post:
    shown = verdict_post(debate, at)
    return Post(
        key=post_key(debate, at, "verdict"),
        debate=shown.debate,
        shape=shown.shape,
        title=shown.title,
        body=shown.body,
        fields=shown.fields,
        buttons=shown.buttons,
        subject="",
        edits=shown.key,
        fallback=shown.fallback,
    )


def _verdict_title(debate: Debate, document: Mapping[str, Any]) -> str:
    if document["status"] == "failed":
        return "NO VERDICT: the debate failed"
    decision = str(document["verdict"]["decision"]).replace("_", " ").upper()
    reached = "" if document["verdict"]["reached"] else " (not reached)"
    demo = "DEMONSTRATION, NOT A REVIEW: " if debate.open.terms.demo else ""
    return f"{demo}VERDICT: {decision}{reached}"


def verdict_fields(debate: Debate, document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The verdict's facts as label and text, in the order people ask for them."""
    v = document["verdict"]
    fields = [
        (
            "Agreement",
            (
                f"{v['agreement']:.0%} of {sum(document['votes']['final'].values())} entitled "
                "seats, "
                f"by {v['mechanism']}"
            ),
        ),
        (
            "Seats' vote",
            (
                f"{counted(document['votes']['independent'])} before the debate, "
                f"{counted(document['votes']['final'])} after it"
            ),
        ),
        ("People's vote", counted(document["votes"]["people"]) or "nobody voted"),
    ]
    fields += [("People on a statement", line) for line in _opinions(debate, document)]
    if (stop := debate.stop) is not None and (
        not stop.closing or (stop.reason is e.EndReason.CONSENSUS and stop.detail)
    ):
        fields.append(("Ended early", stop.detail))
    moved = [
        f"{seat_name(debate, SeatId(d['seat']))}: {d['from']} to {d['to']} "
        f"({d['moved_by'] or 'named no reason'})"
        for d in document.get("delta", ())
    ]
    fields += [("What the debate changed", "; ".join(moved) or "nobody changed their mind")]
    fields += _finding_lines(merge_findings(debate))
    for d in document["dissent"]:
        resolve = (
            f" It would be resolved if: {d['would_resolve_if']}" if d["would_resolve_if"] else ""
        )
        fields.append(
            (
                "Dissent",
                (
                    f"{seat_name(debate, SeatId(d['seat']))} holds {d['stance']}: "
                    f"{d['because']}{resolve}"
                ),
            )
        )
    fields += [("To do", item) for item in v["action_items"]]
    fields += [("Warning", w) for w in document.get("warnings", ())]
    cost = document["cost"]
    fields.append(
        (
            "Cost",
            (
                f"{dollars(cost['usd'])}, {cost['calls']} calls, {cost['prompt_tokens']} + "
                f"{cost['completion_tokens']} tokens"
            ),
        )
    )
    if debate.open.script.blind:
        fields.append(("Revealed", seats_line(debate)))
    return fields


def _opinions(debate: Debate, document: Mapping[str, Any]) -> list[str]:
    """What people think of single statements, where they said so."""
    spoken = [(r["title"], t) for r in document["rounds"] for t in r["turns"]]
    return [
        f"{seat_name(debate, SeatId(t['seat']))}, {title}: {counted(t['people'])}"
        for title, t in spoken
        if any(t["people"].values())
    ]


def _finding_lines(found: Sequence[MergedFinding]) -> list[tuple[str, str]]:
    lines = []
    for m in found:
        f = m.shown
        place = f"{f.path}:{f.line} " if f.path else ""
        state = "" if m.state is State.OPEN else f" [{m.state.value}]"
        said = f" (people: {counted(m.people)})" if any(m.people.values()) else ""
        seats = f" (contested: {m.counts})" if m.contested else ""
        lines.append(("Finding", f"{f.severity.value} {place}{f.title}{state}{seats}{said}"))
    return lines[:20]
