"""An event of the forge, such as a push, as a notice in the thread."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.ports.chat import Button, Post, Shape
from adapters.posts.keys import post_key
from core.debate import events as e
from core.debate.state import Debate
from core.words.views.documents.forge import ANSWER_NOW, CHECK_COMMITS, noted_title

_CHECKS: Mapping[str, str] = {
    e.ForgeNote.MOVED: CHECK_COMMITS,
    e.ForgeNote.OBJECTION: ANSWER_NOW,
}
"""The button under each kind of notice."""


def forge_notice(debate: Debate, at: int, event: e.ForgeNoted) -> Post:
    title, check = noted_title(event), _CHECKS.get(event.what)
    return Post(
        post_key(debate, at, "forge"),
        debate.id,
        Shape.NOTICE,
        title=title,
        body=event.text,
        fields=(("At", event.url),) if event.url else (),
        buttons=(Button("recheck", check, debate.id),) if check else (),
        fallback=f"{title}: {event.text}" if event.text else title,
    )
