"""Posts as the outbox keeps them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adapters.ports.chat import Post, ReactionOption, Shape
from bot.posting.record import incoming, outgoing
from tests.adapters.posts.threads import PLATFORMS, four_seats
from tests.adapters.posts.told import posted

STORED = Path(__file__).with_name("posts_of_before.jsonl")

POST = Post(
    "d1:f1",
    "d1",
    Shape.FINDING,
    title="HIGH",
    reaction_options=(ReactionOption("white_check_mark", "real"), ReactionOption("x", "not_real")),
    subject="f1",
)


def test_a_post_comes_back_as_it_was_stored() -> None:
    assert incoming(json.loads(json.dumps(outgoing(POST, "slack:T1/C1").body))) == POST


def test_a_post_that_an_earlier_version_stored_comes_back_whole() -> None:
    body = dict(outgoing(POST, "slack:T1/C1").body)
    body["seeds"] = body.pop("reaction_options")
    assert incoming(json.loads(json.dumps(body))) == POST


def test_posts_that_were_stored_before_threads_were_rewritten_are_still_delivered() -> None:
    """Every shape as the release before wrote it, new and as an edit, on both platforms."""
    bodies = _stored()
    posts = [incoming(body) for body in bodies]
    assert {p.shape for p in posts} >= {Shape.ROOT, Shape.STATEMENT, Shape.FINDING, Shape.VERDICT}
    for post, body in zip(posts, bodies, strict=True):
        assert (post.to, post.lines, post.small) == ("", (), "")
        op = "edit" if body["edits"] else "post"
        assert (outgoing(post, "slack:T1/C1").op, post.subject) == (op, body["subject"])
        for platform in PLATFORMS.values():
            rendered = platform(post)
            assert all(label in rendered for label, _ in post.fields)
            assert all(button.label in rendered for button in post.buttons)


def test_votes_on_cards_of_before_still_find_their_finding() -> None:
    """A finding's post keeps its key and its subject, so that a post that stands in a thread is
    edited in place.
    """
    [old] = [p for p in map(incoming, _stored()) if p.shape is Shape.FINDING and not p.edits]
    [new] = [p for p in posted(four_seats()) if p.key == old.key]
    assert new.subject == old.subject
    values = {(b.action, b.value) for b in old.buttons}
    assert values <= {(b.action, b.value) for b in new.buttons}


def _stored() -> list[dict[str, Any]]:
    return [json.loads(x) for x in STORED.read_text("utf-8").splitlines()]
