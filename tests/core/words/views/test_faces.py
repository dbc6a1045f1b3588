"""Every seat of every shipped template has a picture of its own that every chat can show."""

from __future__ import annotations

from adapters.templates.catalogue import builtin
from adapters.text.emoji import character
from core.words.views.language.faces import faces
from tests.adapters.posts.threads import debate
from tests.core.words.outcome.test_outcome import played


def test_the_seats_of_a_review() -> None:
    faces_by_seat = {seat: character(face) for seat, face in faces(debate()).items()}
    assert faces_by_seat == {
        "author": "✏️",
        "security_critic": "🔒",
        "performance_critic": "⚡",
        "maintainability_critic": "🔧",
        "synthesizer": "📝",
        "judge": "⚖️",
    }


def test_every_seat_that_is_shipped_has_a_picture_of_its_own() -> None:
    for name in builtin():
        faces_by_seat = [character(face) for face in faces(played(name, 1).debate).values()]
        assert all(faces_by_seat), name
        assert len(set(faces_by_seat)) == len(faces_by_seat), name
