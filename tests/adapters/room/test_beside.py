"""Debates stand side by side in the room: measures are drawn where they can be, and the rest is
text.
"""

from __future__ import annotations

from adapters.posts.compare import ShareBar
from adapters.room.outgoing.beside import MeasuredShare, shares
from adapters.room.outgoing.view import RelatedDebate
from tests.bot.desk.test_compare import outcome


def test_what_is_a_share_has_a_bar() -> None:
    forks = [
        RelatedDebate("d1", "This debate", outcome("d1")),
        RelatedDebate("d2", "Without the author", outcome("d2", scores={})),
    ]
    assert shares(forks)[:2] == [
        ("Agreement", [MeasuredShare("50% of 2 seats", ShareBar(0.5, 0.5, 0.5))] * 2),
        (
            "Quality",
            [MeasuredShare("0.60", ShareBar(0.6, 0.5, 0.7)), MeasuredShare("not scored", None)],
        ),
    ]
