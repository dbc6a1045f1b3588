"""The debate's own message, edited in place as its status."""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.chat import Button, Post, Shape
from adapters.posts.forge import run_line
from adapters.posts.words import (
    ballot_reactions,
    coverage_line,
    post_key,
    root_key,
    seats_line,
    state_line,
    title_of,
)
from core.budget import dollars
from core.debate import Debate


def root(debate: Debate, at: int, *, first: bool = False) -> Post:
    fields: list[tuple[str, str]] = [
        ("Debate", f"{debate.id} - {debate.request.template}"),
        ("State", state_line(debate)),
    ]
    if debate.opened is not None:
        material, terms = debate.opened.material, debate.opened.terms
        fields += [("Revision", material.revision[:12])] if material.revision else []
        if run := run_line(material):
            fields += [("Run", run)]
        fields += [("Read", line)] if (line := coverage_line(debate)) else []
        fields += [("Seats", seats_line(debate))]
        limit = f", limit {dollars(terms.budget)}" if terms.budget is not None else ""
        fields += [
            ("Price", f"estimated {dollars(terms.estimate)}{limit}, so far {dollars(debate.spent)}")
        ]
        fields += [("Note", note) for note in material.notes]
        if terms.demo:
            fields.append(
                (
                    "Note",
                    (
                        "demonstration: nobody should rely on the judgement of the models that "
                        "speak "
                        "here"
                    ),
                )
            )
    title = title_of(debate)
    return Post(
        key=root_key(debate.id) if first else post_key(debate, at, "root"),
        debate=debate.id,
        shape=Shape.ROOT,
        title=title,
        fields=tuple(fields),
        buttons=_root_buttons(debate),
        reaction_options=ballot_reactions(debate)
        if debate.opened is not None and not debate.final
        else (),
        subject="",
        edits="" if first else root_key(debate.id),
        fallback=f"Debate {debate.id}: {title} - {state_line(debate)}",
        facts={"story": debate.request.story} if debate.request.story else {},
    )


def roots(debate: Debate, at: int) -> tuple[Post, ...]:
    """The debate's own root as it is now, and that of the first debate about the same change, in
    whose thread it goes on: who looks at the channel sees the latest state.
    """
    own = root(debate, at)
    story = debate.request.story
    if not story:
        return (own,)
    first = replace(own, key=post_key(debate, at, "story"), edits=root_key(story))
    return (own, replace(first, reaction_options=()))


def _root_buttons(debate: Debate) -> tuple[Button, ...]:
    if debate.over:
        return (
            Button("rerun", "Re-run", debate.id),
            Button("fork", "Fork", debate.id, form=True),
            Button("export", "Export", debate.id),
        )
    pause = (
        Button("resume", "Resume", debate.id)
        if debate.paused is not None
        else Button("pause", "Pause", debate.id)
    )
    stop = Button(
        "stop",
        "Stop",
        debate.id,
        danger=True,
        confirm="Stop this debate? What was said so far is kept and closed with a report.",
    )
    return (stop, pause, Button("challenge", "Challenge", debate.id, form=True))
