"""Every seat of every shipped template has a picture of its own that every chat can show."""

from __future__ import annotations

from adapters.templates.catalogue import builtin
from adapters.text.emoji import character
from core.views.language.faces import faces
from tests.adapters.posts.threads import debate
from tests.core.outcome.test_outcome import played


def test_the_seats_of_a_review() -> None:
    shown = {seat: character(face) for seat, face in faces(debate()).items()}
    assert shown == {
        "author": "✏️",
        "security_critic": "🔒",
        "performance_critic": "⚡",
        "maintainability_critic": "🔧",
        "synthesizer": "📝",
        "judge": "⚖️",
    }


def test_every_seat_that_is_shipped_has_a_picture_of_its_own() -> None:
    for name in builtin():
        shown = [character(face) for face in faces(played(name, 1).debate).values()]
        assert all(shown), name
        assert len(set(shown)) == len(shown), name
