"""Statements exactly as long as their post, and the picture of stances over many rounds."""

from __future__ import annotations

import pytest

from adapters.posts.statement import statement
from core.debate.script import TurnId
from core.words.views.course.happenings import SHORTENED
from tests.core.table import table


@pytest.mark.parametrize(("length", "whole"), [(699, True), (700, True), (701, False)])
def test_a_statement_of_seven_hundred_characters_is_whole(length: int, whole: bool) -> None:
    text = ("It is so. " * 80)[:length].rstrip(" ").ljust(length, "x")
    t = table().says("t1", "approve", text=f" {text}\n")
    debate = t.debate
    (post,) = statement(debate, 3, debate.script.turn(TurnId("t1")))
    assert (post.body == text) is whole
    assert (SHORTENED in post.small) is not whole
