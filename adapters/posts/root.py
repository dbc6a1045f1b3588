"""The debate's own message, edited in place as its status."""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.chat import Button, Post, ReactionOption, Shape
from adapters.posts.brevity import fitted, shortened
from adapters.posts.decision import decision_label
from adapters.posts.forge import run_line
from adapters.posts.words import (
    beside_line,
    coverage_line,
    current_round,
    models_line,
    option_words,
    plural,
    post_key,
    root_key,
    round_name,
    seats_line,
    spent_line,
    title_of,
    votes_count,
)
from adapters.text.emoji import character
from adapters.text.pieces import Span
from core.budget import dollars
from core.debate import Debate
from core.material.addresses import source_url
from core.verdict.findings import State, merge_findings

UNFOLD = "eyes"
"""The emoji with which people ask for the whole of a quiet debate."""
DEMONSTRATION = "This is a demonstration: rely on nothing that these models say."


def root(debate: Debate, at: int, *, first: bool = False) -> Post:
    title, status = title_of(debate), _status_line(debate)
    material = debate.open.material
    fields = [("At the table", seats_line(debate))]
    if run := run_line(material):
        fields.append(("Run", run))
    fields += [("Note", shortened(note, 240)) for note in material.notes]
    if debate.open.terms.demo:
        fields.append(("Note", DEMONSTRATION))
    post = Post(
        key=root_key(debate.id) if first else post_key(debate, at, "root"),
        debate=debate.id,
        shape=Shape.ROOT,
        title=shortened(title, 200),
        url=source_url(material),
        subtitle=(Span(status),),
        fields=tuple(fields),
        buttons=_root_buttons(debate),
        reaction_options=_unfolding(debate),
        subject="",
        edits="" if first else root_key(debate.id),
        small=_small(debate),
        fallback=f"Debate {debate.id}: {shortened(title, 200)} - {status}",
        facts={"story": debate.request.story} if debate.request.story else {},
    )
    return fitted(post)


def _unfolding(debate: Debate) -> tuple[ReactionOption, ...]:
    """The emoji that shows the whole of a quiet debate; none where its ballot uses it."""
    taken = any(option.emoji == UNFOLD for option in debate.open.template.ballot)
    if debate.quiet and not taken:
        return (ReactionOption(UNFOLD, "", "show the whole"),)
    return ()


def unfolds(debate: Debate, key: str, emoji: str) -> bool:
    """Whether a reaction on the message ``key`` asks for the whole of a quiet debate."""
    asked = debate.opened is not None and key == root_key(debate.id)
    return asked and any(option.emoji == emoji for option in _unfolding(debate))


def _status_line(debate: Debate) -> str:
    """Where it stands: "Round 2 of 4: Debate · 3 findings, 1 disputed · $0.04 of $0.50"."""
    return " · ".join(filter(None, (_state(debate), _findings_line(debate), spent_line(debate))))


def _state(debate: Debate) -> str:
    if debate.over:
        votes = ", votes still count" if votes_count(debate) else ""
        stopped = "Stopped: " if debate.status == "stopped" else ""
        asked = debate.follow_up is not None and debate.resolved is None
        return f"{stopped}{decision_label(debate)}{votes}{', did it hold?' * asked}"
    where = round_name(debate, current_round(debate))
    if debate.paused is not None:
        return f"Paused, {where}"
    return where


def _findings_line(debate: Debate) -> str:
    """How many findings stand, and how many of them are disputed."""
    standing = [m for m in merge_findings(debate) if m.evident and m.state is State.OPEN]
    if not standing:
        return ""
    disputed = sum(bool(m.disputed_by) for m in standing)
    told = plural(len(standing), "finding")
    if disputed:
        return f"{told}, {disputed} disputed"
    return told


def _small(debate: Debate) -> str:
    """The details: who looks for them finds them here, once."""
    revision, terms = debate.open.material.revision, debate.open.terms
    parts = [option_words(debate.request.template)]
    digest = revision.startswith("sha256:")  # of a text that nobody can look up by it
    if revision and not digest:
        parts.append(f"revision {revision[:12]}")
    parts.append(coverage_line(debate))
    if beside := beside_line(debate):
        parts.append(f"without a vote: {beside}")
    if models := models_line(debate):
        parts.append(f"models: {models}")
    if terms.estimate and not debate.over:
        parts.append(f"estimated {dollars(terms.estimate)}")
    told = [f"{character(o.emoji)} on this message shows the whole" for o in _unfolding(debate)]
    return " · ".join(filter(None, (*told, *parts, f"debate {debate.id}")))


def first_roots(debate: Debate, at: int) -> tuple[Post, ...]:
    """The debate's own message, new in its channel, and the story's as in ``roots``."""
    return (root(debate, at, first=True), *_story(debate, root(debate, at), at))


def roots(debate: Debate, at: int) -> tuple[Post, ...]:
    """The debate's own root as it is now, and that of the first debate about the same change, in
    whose thread it goes on: who looks at the channel sees the latest state.
    """
    own = root(debate, at)
    return (own, *_story(debate, own, at))


def _story(debate: Debate, own: Post, at: int) -> tuple[Post, ...]:
    if not debate.request.story:
        return ()
    edits = root_key(debate.request.story)
    return (replace(own, key=post_key(debate, at, "story"), edits=edits),)


def _root_buttons(debate: Debate) -> tuple[Button, ...]:
    if debate.over:
        return (
            Button("rerun", "Re-run", debate.id),
            Button("fork", "Fork", debate.id, form=True),
            Button("export", "Export", debate.id),
        )
    pause = Button("pause", "Pause", debate.id)
    if debate.paused is not None:
        pause = Button("resume", "Resume", debate.id)
    stop = Button(
        "stop",
        "Stop",
        debate.id,
        danger=True,
        confirm="Stop this debate? What was said so far is kept and closed with a report.",
    )
    return (stop, pause, Button("challenge", "Challenge", debate.id, form=True))
