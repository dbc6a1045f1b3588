"""Every surface of a debate as plain text: the thread, the pages, the report, the JSON, the
receipt, the check and the review.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from adapters.ports.chat import Post
from adapters.posts import posts_for
from adapters.posts.export import export
from adapters.review.check import ended
from adapters.review.text import compose
from adapters.room.outgoing.parts import parts
from adapters.room.outgoing.view import view_of
from adapters.room.settings import RoomSettings
from core.debate import events as e
from core.debate.errors import Refused
from core.debate.state import Debate, evolve, replay
from core.words.outcome import outcome
from core.words.outcome.report import report
from core.words.receipt import receipt

_TAG = re.compile(r"<[^>]*>")


def thread(events: Sequence[e.Event]) -> dict[str, Post]:
    """Returns the messages of the debate's thread as they are at last, by key."""
    debate: Debate | None = None
    posts: dict[str, Post] = {}
    for number, event in enumerate(events):
        before, debate = debate, evolve(debate, event) if debate else replay(events[: number + 1])
        for post in posts_for(before, event, debate):
            posts[post.edits or post.key] = replace(post, key=post.edits or post.key)
    return posts


def words(post: Post) -> str:
    """Returns what a message says, from top to bottom."""
    lines = ("".join(span.text for span in line) for line in (post.subtitle, *post.lines))
    facts = (f"{label}: {text}" for label, text in post.fields)
    return "\n".join(filter(None, (post.title, post.who, post.body, *lines, *facts, post.small)))


def page(debate: Debate) -> str:
    """Returns the text of the debate's page in the room."""
    elements = "\n".join(p.html for p in parts(view_of(RoomSettings(), debate, None)).values())
    return html.unescape(_TAG.sub("", elements))


def surfaces(debate: Debate, posts: Mapping[str, Post]) -> dict[str, str]:
    """Returns the text of every surface by its name, of the thread that of its ``posts``; no review
    if the debate cannot be posted.
    """
    document = outcome(debate)
    texts = {
        "thread": "\n\n".join(words(post) for post in posts.values()),
        "page": page(debate),
        "exported page": html.unescape(_TAG.sub("", export(debate, "html"))),
        "transcript": export(debate, "md"),
        "report": report(debate),
        "json": json.dumps(document, ensure_ascii=False),
        "check": f"{ended(debate).title}\n{ended(debate).summary}",
    }
    if debate.over:
        signed = receipt(document, issued_at="2026-11-26T20:00:00Z")
        texts["receipt"] = json.dumps(signed, ensure_ascii=False)
    try:
        review = compose(debate)
    except Refused:
        return texts
    return texts | {"review": "\n".join((review.body, *(c.body for c in review.comments)))}
