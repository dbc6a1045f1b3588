"""The verdict as the thread is told it: the decision in one sentence, what it rests on, what the
debate changed, who still disagrees. The rules behind it stand in the report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from adapters.ports.chat import Button, File, Post, ReactionOption, Shape
from adapters.posts.brevity import WARNING, fitted, shortened
from adapters.posts.card import place, state_words
from adapters.posts.decision import deciding, decision_sentence
from adapters.posts.export import markdown
from adapters.posts.names import called, spelled_out
from adapters.posts.words import (
    ballot_reactions,
    counted,
    holder,
    listed,
    models_line,
    option_words,
    plural,
    post_key,
    seat_name,
    spent_line,
    verdict_key,
    votes_count,
)
from adapters.text.emoji import character
from adapters.text.pieces import Span, coded
from core import events as e
from core.debate import Debate
from core.material import Coverage, Kind, Read
from core.outcome import without_report
from core.outcome.caveats import DEMO
from core.replies import Grade
from core.script import SeatId
from core.verdict import same_option, verdict
from core.verdict.dissent import Dissent, dissents
from core.verdict.findings import MergedFinding, State, merge_findings
from core.verdict.gauntlet import graded_attacks
from core.verdict.unread import covered
from core.verdict.votes import NONE, final_votes

_FINDINGS, _CHANGES, _ACTIONS = 5, 3, 3
_HELD = {Grade.BROKEN: "Broke through", Grade.PARTLY: "Held off in part"}
_BAR = 8
"""Cells of the longest bar of people's votes."""


def _poll(debate: Debate) -> tuple[str, ...]:
    """The answers of a native poll where the template asks for one and people have time to vote;
    its emoji are those of the reactions.
    """
    opened = debate.open
    asked = opened.template.poll and opened.terms.vote_window > 0
    if asked:
        return tuple(o.option.replace("_", " ") for o in opened.template.ballot)
    return ()


def verdict_post(debate: Debate, at: int) -> Post:
    """With the whole debate as a document to take away."""
    whole = File(f"debate-{debate.id}.md", markdown(debate))
    return replace(_shown(debate), files=(whole,))


def _shown(debate: Debate) -> Post:
    document = without_report(debate)
    sentence = decision_sentence(debate)
    post = Post(
        key=verdict_key(debate.id),
        debate=debate.id,
        shape=Shape.VERDICT,
        title=sentence,
        lines=tuple(finding_lines(debate)),
        fields=tuple(verdict_fields(debate, document)),
        buttons=(
            *review_buttons(debate),
            Button("transcript", "Transcript", debate.id),
            Button("rerun", "Re-run", debate.id),
            Button("export", "Export", debate.id),
            Button("fork", "Fork", debate.id, form=True),
            *(held_buttons(debate) if _votes_over(debate) else ()),
        ),
        reaction_options=ballot_reactions(debate) if votes_count(debate) else (),
        poll=_poll(debate) if votes_count(debate) else (),
        subject="",
        broadcast=not debate.open.terms.quiet,
        facts={
            "question": "Your vote on this verdict",
            "poll_hours": str(ceil(debate.open.terms.vote_window / 3600)),
        },
        small=_small(debate),
        fallback=sentence,
    )
    return fitted(post)


def review_buttons(debate: Debate) -> tuple[Button, ...]:
    """What can go back to the pull request, where there is one that is open."""
    material = debate.open.material
    lost = debate.lost or debate.open.terms.demo
    if material.kind is not Kind.PULL_REQUEST or material.facts.get("state") != "open" or lost:
        return ()
    shown = [Button("post", "Post the review", debate.id)]
    if verdict(debate).actions:
        shown.append(Button("issues", "Create issues", debate.id))
    return tuple(shown)


def held_buttons(debate: Debate) -> tuple[Button, ...]:
    """What people answer once they know it: did the verdict hold?"""
    return (
        Button("held", "It held", f"{debate.id}:yes"),
        Button("held", "It did not hold", f"{debate.id}:no"),
    )


def _votes_over(debate: Debate) -> bool:
    """Whether something was decided, by models whose judgement counts, that no vote can change any
    more.
    """
    undecided = debate.lost or debate.open.terms.demo
    return not undecided and (debate.final or not debate.open.terms.vote_window)


def verdict_edit(debate: Debate, at: int) -> Post:
    shown = _shown(debate)
    return replace(
        shown,
        key=post_key(debate, at, "verdict"),
        edits=shown.key,
        reaction_options=(),
        poll=(),
        broadcast=False,
        facts={},
    )


def finding_lines(debate: Debate) -> list[tuple[Span, ...]]:
    """The findings that the decision rests on, each linked, each with what mends it."""
    found = deciding(debate)
    lines = [_finding_line(debate, n, m) for n, m in enumerate(found[:_FINDINGS], 1)]
    if len(found) > _FINDINGS:
        lines.append((Span(f"and {len(found) - _FINDINGS} more in the report"),))
    return lines


def _finding_line(debate: Debate, number: int, m: MergedFinding) -> tuple[Span, ...]:
    f = m.shown
    spans = [
        Span(f"{number}. "),
        Span(f"{f.severity.value.capitalize()}: {shortened(f.title, 130)}", bold=True),
        Span(" · "),
        place(debate, f),
        Span(f" · {state_words(m)}"),
    ]
    if any(m.people.values()):
        spans.append(Span(f" · people: {counted(m.people)}"))
    if m.blocking and f.advice:
        spans += coded(f" · Fix: {spelled_out(debate, shortened(f.advice, 130))}")
    return tuple(spans)


def verdict_fields(debate: Debate, document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The verdict's facts as label and text, in the order people ask for them."""
    fields = []
    if not any(m.blocking for m in deciding(debate)):
        fields += _actions(document)
    fields += _attacks(debate)
    if debate.lost:
        return [*fields, *_warned(document)]
    fields.append(("Changed by the debate", _changes(debate, document)))
    fields += _dissent(debate)
    if any(option != NONE for option in final_votes(debate).values()):
        fields.append(("Seats", counted(document["votes"]["final"])))
    fields.append(("People", _bar(debate, document["votes"]["people"])))
    fields += [("People on a statement", line) for line in _opinions(debate, document)]
    if line := _not_read(debate):
        fields.append(("Not read", line))
    if line := _not_counted(debate):
        fields.append(("Not counted", line))
    if (stop := debate.stop) is not None and (
        not stop.closing or (stop.reason is e.EndReason.CONSENSUS and stop.detail)
    ):
        fields.append(("Ended early", stop.detail))
    return [*fields, *_warned(document)]


def _warned(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    warnings = (str(w) for w in document.get("warnings", ()))
    return [(WARNING, shortened(w, 200)) for w in warnings if not w.startswith(DEMO)]


def _attacks(debate: Debate) -> list[tuple[str, str]]:
    """What a gauntlet's verdict rests on: the attacks that were not held off."""
    if debate.open.script.format != "gauntlet":
        return []
    told, graded = [], graded_attacks(debate)
    for turn, said in debate.statements():
        label = _HELD.get(graded.get(turn.id, Grade.DEFENDED), "")
        points = [*(f.title for f in said.findings), *(c.text for c in said.claims), said.text]
        if label:
            told.append((label, f"{shortened(points[0], 160)} ({seat_name(debate, turn.seat)})"))
    return sorted(told, key=lambda each: list(_HELD.values()).index(each[0]))[:_FINDINGS]


def _actions(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    items = document["verdict"]["action_items"]
    told = [("To do", shortened(item, 160)) for item in items[:_ACTIONS]]
    rest = len(items) - _ACTIONS
    if rest > 0:
        return [*told, ("To do", f"and {rest} more in the report")]
    return told


def _changes(debate: Debate, document: Mapping[str, Any]) -> str:
    moves = document.get("delta", ())
    told = []
    for move in moves[:_CHANGES]:
        why = "no reason named"
        if move["moved_by"]:
            why = f"“{called(debate, move['moved_by'])[0]}”"
        who = seat_name(debate, SeatId(move["seat"]))
        told.append(f"{who}: {option_words(move['from'])} → {option_words(move['to'])} ({why})")
    if len(moves) > _CHANGES:
        told.append(f"{len(moves) - _CHANGES} more in the report")
    withdrawn = sum(m.state is State.WITHDRAWN for m in merge_findings(debate))
    if withdrawn:
        told.append(f"{plural(withdrawn, 'finding')} withdrawn")
    return "; ".join(told) or "nobody's mind"


def _dissent(debate: Debate) -> list[tuple[str, str]]:
    """The strongest: of those that hold another option and say what would settle it, the surest."""
    decided = verdict(debate)
    found = dissents(debate, decided, merge_findings(debate))
    if not found:
        return []
    stances = debate.stances()

    def weight(d: Dissent) -> tuple[bool, bool, float]:
        held = stances.get(d.seat)
        other = not same_option(d.stance, decided.decision)
        return other, d.would_resolve_if != "not stated", held[1].confidence if held else 0.0

    best = max(found, key=weight)
    label = "Dissent"
    if len(found) > 1:
        label = "Strongest dissent"
    stated = "no reason given"
    if best.because != "not stated":
        stated = best.because
    because = spelled_out(debate, shortened(stated, 220))
    told = f"{seat_name(debate, best.seat)}, {option_words(best.stance)}: {because}"
    if best.would_resolve_if != "not stated":
        settle = spelled_out(debate, shortened(best.would_resolve_if, 140))
        told = f"{told.rstrip('.')}. Would settle it: {settle}"
    return [(label, told)]


def _bar(debate: Debate, people: Mapping[str, int]) -> str:
    """People's votes as a small bar for each option; the emoji is the one to vote with."""
    most = max(people.values(), default=0)
    if not most:
        choices = [_choice(option) for option in ballot_reactions(debate)]
        return f"nobody voted{' yet' * (debate.closed is None)}: {' · '.join(choices)}"
    told = []
    for option in ballot_reactions(debate):
        votes = people.get(option.option, 0)
        bar = ""
        if votes:
            bar = "▇" * max(1, round(_BAR * votes / max(most, _BAR)))
        told.append(" ".join(filter(None, (_choice(option), bar, str(votes)))))
    return " · ".join(told)


def _choice(option: ReactionOption) -> str:
    return f"{character(option.emoji) or f':{option.emoji}:'} {option.label}"


def _opinions(debate: Debate, document: Mapping[str, Any]) -> list[str]:
    """What people think of single statements, where they said so."""
    spoken = [(n, t) for n, r in enumerate(document["rounds"], 1) for t in r["turns"]]
    return [
        f"{seat_name(debate, SeatId(t['seat']))}, round {number}: {counted(t['people'])}"
        for number, t in spoken
        if any(t["people"].values())
    ]


def _not_read(debate: Debate) -> str:
    left = [c for c in covered(debate) if c.state is not Read.FULL]
    told = listed([_unread(c) for c in left[:3]])
    if len(left) > 3:
        return f"{told} and {len(left) - 3} more"
    return told


def _unread(c: Coverage) -> str:
    part = "only in part" if c.state is Read.PARTIAL else ""
    why = ", ".join(filter(None, (part, shortened(c.reason, 60))))
    if why:
        return f"{shortened(c.path, 80)} ({why})"
    return shortened(c.path, 80)


def _not_counted(debate: Debate) -> str:
    """Findings that stand nowhere in the material."""
    apart = [m for m in merge_findings(debate) if not m.evident and m.state is State.OPEN]
    if not apart:
        return ""
    named = listed([f"“{shortened(m.shown.title, 70)}”" for m in apart[:2]])
    who = listed(list(dict.fromkeys(holder(debate, s) for m in apart for s in m.by)))
    more = f" and {len(apart) - 2} more" if len(apart) > 2 else ""
    them = "it" if len(apart) == 1 else "them"
    return f"{named}{more} ({who}): no line of the material shows {them}"


def _small(debate: Debate) -> str:
    parts = [spent_line(debate)]
    heard, seats = len(debate.present), len(final_votes(debate))
    if heard < seats:
        parts.append(f"{heard} of {seats} seats heard")
    if debate.open.script.blind:
        parts.append(f"revealed: {models_line(debate)}")
    return " · ".join([*parts, "the report is attached"])
