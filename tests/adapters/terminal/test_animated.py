"""The moving drawing of the terminal: what is shipped is what the terminal shows today, small,
still for whoever wants no motion, and without a script.
"""

from __future__ import annotations

import re

from tests.adapters.terminal.animated import PICTURE, drawn, frames

LARGEST = 150_000


def test_the_drawing_that_is_shipped_is_of_today() -> None:
    """``make pictures`` writes it anew."""
    assert drawn(frames()) == PICTURE.read_text("utf-8")


def test_it_is_small_moves_by_css_alone_and_can_stand_still() -> None:
    picture = PICTURE.read_text("utf-8")
    assert len(picture.encode()) < LARGEST
    assert "prefers-reduced-motion:reduce" in picture
    kinds = {"svg", "style", "rect", "circle", "g", "text", "tspan"}
    assert set(re.findall(r"<(\w+)", picture)) == kinds
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg|github\.com/o/r/)", picture)
