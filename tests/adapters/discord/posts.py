"""Posts as the projection makes them, short enough to read in a test."""

from __future__ import annotations

from typing import Any

from adapters.ports.chat import Post, ReactionOption, Shape
from core.application.desk import Button

STOP = Button("stop", "Stop", "d1", danger=True, confirm="Stop this debate?")
PAUSE = Button("pause", "Pause", "d1")
CHALLENGE = Button("challenge", "Challenge", "d1", form=True)
SEEDS = (
    ReactionOption("white_check_mark", "approve", "approve"),
    ReactionOption("x", "request_changes", "request changes"),
)


def post(key: str, shape: Shape = Shape.STATEMENT, **more: Any) -> Post:
    return Post(key, "d1", shape, **more)
