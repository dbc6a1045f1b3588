"""The line that a posted review gets after an objection."""

from __future__ import annotations

import re

from adapters.review import hidden
from adapters.review.amendment import amended, amendment
from adapters.review.check import ended
from tests.core.argued import UNREAL, Seats, reviewed
from tests.core.test_objections import BLOCKS, OBJECTION, object_to, seated

HOSTILE = (
    "@org/team",
    "a<!-- debatebot:review:x -->",
    "a#12",
    "/merge",
    "a\n\n/merge #1",
    "x" * 999,
)


async def test_the_name_of_who_objected_is_data() -> None:
    seats = Seats(openings=BLOCKS, reconsider=UNREAL)
    _, log = await reviewed(seats)
    debate = await object_to(log, OBJECTION, seated(seats))
    for name in HOSTILE:
        line = amendment(debate, {"slack:T1/ann": name}, "https://bot.example/d/x")
        assert line.startswith("**Changed by ")
        assert "\n" not in line
        assert len(line) < 400
        assert "<!--" not in line
        assert not re.search(r"@\w|#\d|(?m:^/)", re.sub(r"`[^`]*`", "", line))
        check = ended(debate, names={"slack:T1/ann": name})
        assert "changed by" in check.title
        assert "\n" not in check.title


def test_a_later_line_takes_the_place_of_an_earlier_one() -> None:
    body = f"**Debatebot** no\n\nread\n\n{hidden('review', 'd1')}"
    once = amended(body, "d1", "**first**")
    assert once.split("\n\n")[0::2] == ["**Debatebot** no", "read"]
    assert amended(once, "d1", "**first**") == once
    assert amended(once, "d1", "**second**") == amended(body, "d1", "**second**")
    other = amended(once, "d2", "**of another debate**")
    assert "**first**" in other
