"""In a large change in parts, each opening seat reads every part first, and no seat reads another's
before.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.templates.catalogue import builtin, find
from core.debate.formats import FORMATS, Plan
from core.debate.formats.changes import in_parts, most_parts
from core.debate.script import MAX_TURNS, About, Script, Topic, TurnId

PHASED = [template.id for template in builtin().values() if template.format == "phased"]


def compiled(name: str) -> Script:
    template = find(name)
    return FORMATS[template.format].compile(template, Plan(), Random(7))


@given(st.sampled_from(PHASED), st.data())
def test_the_openings_alone_read_each_part(name: str, data: st.DataObject) -> None:
    script = compiled(name)
    parts = data.draw(st.integers(2, max(2, min(9, most_parts(script)))))
    made = in_parts(script, parts)
    readings = [turn for turn in made if turn.about_the(Topic.PART)]
    openers = [turn for turn in script if turn.independent and not turn.reads]
    assert {(t.seat, t.about) for t in readings} == {
        (t.seat, About(Topic.PART, str(n))) for t in openers for n in range(1, parts + 1)
    }
    assert all(t.independent and not t.reads and t.task == "read" for t in readings)
    own = {t.id: {r.id for r in readings if r.seat == t.seat} for t in openers}
    for turn in script:
        now = made.turn(turn.id)
        heard = {id for read in turn.reads for id in own.get(read, ())} | own.get(turn.id, set())
        assert set(now.reads) == {*turn.reads, *heard}
        assert replace(now, reads=turn.reads) == turn


@pytest.mark.parametrize("name", PHASED)
def test_as_many_parts_as_a_script_may_have_can_be_played(name: str) -> None:
    script = compiled(name)
    most = most_parts(script)
    assert MAX_TURNS - 24 - most < len(in_parts(script, most).turns) <= MAX_TURNS
    assert most >= 10


def test_where_nobody_opens_on_the_whole_there_is_one_part() -> None:
    script = compiled("code_review")
    heard = tuple(replace(turn, independent=False) for turn in script.turns)
    assert most_parts(replace(script, turns=heard)) == 1


@pytest.mark.parametrize(("room", "most"), [(-1, 1), (0, 1), (1, 1), (2, 2)])
def test_a_long_script_has_at_least_one_part(room: int, most: int) -> None:
    """``room`` is the number of readings of each opening for which the script leaves turns."""
    script = compiled("code_review")
    openers = sum(turn.independent for turn in script)
    closing = script.turns[-1]
    added = MAX_TURNS - 24 - len(script.turns) - max(0, room) * openers + (room < 0)
    more = tuple(replace(closing, id=TurnId(f"more{n}")) for n in range(added))
    assert most_parts(replace(script, turns=(*script.turns, *more))) == most
