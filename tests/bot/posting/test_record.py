"""Posts as the outbox keeps them."""

from __future__ import annotations

import json

from adapters.ports.chat import Post, ReactionOption, Shape
from bot.posting.record import incoming, outgoing

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
