"""The post that asks a person or a program for the statement of a seat that they hold."""

from __future__ import annotations

from adapters.ports.chat import Button, Post, Shape
from adapters.posts.keys import post_key
from core.debate import Debate
from core.script import TurnId
from core.views.course.due_turns import due_lines, due_title


def due_turn(debate: Debate, at: int, turn: TurnId) -> tuple[Post, ...]:
    """Returns the post of a turn that has begun; none if a model speaks."""
    if turn not in debate.until:
        return ()
    started = debate.script.turn(turn)
    holder = debate.open.terms.held[started.seat]
    title, lines = due_title(debate, started), due_lines(debate, started)
    return (
        Post(
            post_key(debate, at, "due"),
            debate.id,
            Shape.NOTICE,
            title=title,
            body="\n".join(lines),
            buttons=()
            if holder.name
            else (Button("say", "Answer", f"{debate.id}:{turn}", form=True),),
            fallback=f"{title}: {lines[0]}",
            facts={} if holder.name else {"person": holder.id},
        ),
    )
