"""Debates stand side by side in the room: measures are drawn where they can be, and the rest is
text.
"""

from __future__ import annotations

from adapters.posts.compare import ShareBar
from adapters.room.incoming.debates import shares
from core.application.debates import RelatedDebate
from core.debate import events as e
from core.debate.script import SeatId
from core.words.views.documents.comparison import relation_words
from tests.bot.desk.test_compare import outcome
from tests.core.table import table


def test_what_is_a_share_has_a_bar() -> None:
    forks = [
        RelatedDebate("d1", "This debate", outcome("d1")),
        RelatedDebate("d2", "Without the author", outcome("d2", scores={})),
    ]
    assert shares(forks)[:2] == [
        ("Agreement", [("50% of 2 voting seats", ShareBar(0.5, 0.5, 0.5))] * 2),
        ("Quality", [("0.60", ShareBar(0.6, 0.5, 0.7)), ("not scored", None)]),
    ]


def test_a_fork_is_named_by_its_condition_and_what_it_came_from_is_not() -> None:
    debate = table(fork=e.Fork("d1", 4, without=SeatId("author"))).debate
    assert relation_words(debate, parent=True) == "The debate it was forked from"
    assert relation_words(debate, parent=False) == "Without author"
