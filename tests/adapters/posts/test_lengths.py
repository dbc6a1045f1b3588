"""Statements exactly as long as their post, and the picture of stances over many rounds."""

from __future__ import annotations

import pytest

from adapters.posts.export.stances import LEFT, RIGHT, WIDTH, chart
from adapters.posts.statement import statement
from core.debate.script import TurnId
from core.words.views.course.happenings import SHORTENED
from core.words.views.language.seats import seat_names
from tests.core.table import table


@pytest.mark.parametrize(("length", "whole"), [(699, True), (700, True), (701, False)])
def test_a_statement_of_seven_hundred_characters_is_whole(length: int, whole: bool) -> None:
    text = ("It is so. " * 80)[:length].rstrip(" ").ljust(length, "x")
    t = table().says("t1", "approve", text=f" {text}\n")
    debate = t.debate
    (post,) = statement(debate, 3, debate.script.turn(TurnId("t1")))
    assert (post.body == text) is whole
    assert (SHORTENED in post.small) is not whole


def test_the_picture_of_stances_grows_with_the_rounds() -> None:
    def width(rounds: int) -> tuple[float, list[float]]:
        later = (f"t{n} a round={n} reads=t{n - 1}" for n in range(1, rounds))
        last = f"end b round={rounds} reads=t{rounds - 1} task=close closing"
        t = table(seats=("a", "b"), turns=["t0 a independent", *later, last])
        for n in range(rounds):
            t.says(f"t{n}", "approve")
        made = chart(t.debate, seat_names(t.debate))
        assert made is not None
        return made.width, [x for x, _ in made.columns]

    room = WIDTH - LEFT - RIGHT
    assert width(1) == (WIDTH, [LEFT + room / 2])
    assert width(2) == (WIDTH, [LEFT + room / 4, LEFT + room * 3 / 4])
    most = room // 90
    assert width(most)[0] == WIDTH
    wide, columns = width(most + 1)
    assert wide == LEFT + RIGHT + 90 * (most + 1)
    assert columns[0] == LEFT + 45
    assert columns[-1] == wide - RIGHT - 45
