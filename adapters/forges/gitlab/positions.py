"""Positions of discussions on a merge request's diff, as GitLab's API takes them."""

from __future__ import annotations

import hashlib
from typing import Any

from adapters.forges.gitlab.replies import Refs
from adapters.review import ReviewComment


def position_of(comment: ReviewComment, refs: Refs) -> dict[str, Any]:
    """Returns the position of a discussion. A line that is on both sides is named by both its
    numbers.
    """
    position: dict[str, Any] = {
        "position_type": "text",
        "base_sha": refs.base_sha,
        "start_sha": refs.start_sha,
        "head_sha": refs.head_sha,
        "old_path": comment.old_path or comment.path,
        "new_path": comment.path,
    }
    position |= _numbers(comment.old, comment.new)
    if comment.start_line is not None and all(comment.codes):
        first, last = comment.codes
        position["line_range"] = {
            "start": _end(comment, first, comment.start_old, comment.start_new),
            "end": _end(comment, last, comment.old, comment.new),
        }
    return position


def _end(comment: ReviewComment, code: str, old: int | None, new: int | None) -> dict[str, Any]:
    path = hashlib.sha1(comment.path.encode(), usedforsecurity=False).hexdigest()
    end: dict[str, Any] = {"line_code": f"{path}_{code}", **_numbers(old, new)}
    if old is None:
        end["type"] = "new"
    elif new is None:
        end["type"] = "old"
    return end


def _numbers(old: int | None, new: int | None) -> dict[str, int]:
    numbers = {"old_line": old, "new_line": new}
    return {name: number for name, number in numbers.items() if number is not None}
