"""Debates side by side in the room: what can be drawn is drawn, the rest is said."""

from __future__ import annotations

from adapters.posts.compare import Bar
from adapters.room.outgoing.beside import Share, shares
from adapters.room.outgoing.view import Fork
from tests.bot.desk.test_compare import outcome


def test_what_is_a_share_has_a_bar() -> None:
    forks = [
        Fork("d1", "This debate", outcome("d1")),
        Fork("d2", "Without the author", outcome("d2", scores={})),
    ]
    assert shares(forks)[:2] == [
        ("Agreement", [Share("50% of 2 seats", Bar(0.5, 0.5, 0.5))] * 2),
        ("Quality", [Share("0.60", Bar(0.6, 0.5, 0.7)), Share("not scored", None)]),
    ]
