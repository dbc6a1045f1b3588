"""People are asked whether a verdict held once they can know it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from core.debate.commands.decisions import decide
from core.debate.events import FollowUpDue, OutcomeResolved
from core.words.views.course.invitations import can_be_known, commands
from tests.core.table import START, Table, table


def over(**terms: object) -> Table:
    t = table(terms=terms).says("t1", "approve").says("t2", "approve").says("t3", "approve")
    return t.says("end").concluded()


def test_nobody_is_asked_at_once_whether_an_open_change_held() -> None:
    debate = over().debate
    concluded = debate.concluded
    assert concluded is not None
    assert not can_be_known(debate, None)
    assert not can_be_known(debate, concluded.at + timedelta(hours=23))
    assert can_be_known(debate, concluded.at + timedelta(days=1))


def test_on_its_day_and_after_a_merge_people_are_asked_until_one_has_said_it() -> None:
    due = over().add(FollowUpDue("Did it hold?", START))
    merged = over()
    opened = merged.debate.open
    material = replace(opened.material, facts={**opened.material.facts, "state": "merged"})
    merged.events[1] = replace(opened, material=material)
    for t in (due, merged):
        assert can_be_known(t.debate, None)
        assert not can_be_known(t.add(OutcomeResolved(True, "slack:T1:U1", START)).debate, None)


def test_no_question_is_noted_once_it_is_answered_or_without_a_verdict() -> None:
    due = FollowUpDue("Did it hold?", START)
    assert decide(over().debate, due) == (due,)
    for t in (over().resolved(True), table().says("t1", "approve"), table().concluded()):
        assert decide(t.debate, due) == ()


def test_a_demonstration_asks_nobody() -> None:
    assert not can_be_known(over(demo=True).debate, START + timedelta(days=400))


def test_a_debate_that_failed_is_offered_another_model_and_no_export() -> None:
    debate = table().concluded().debate
    (line,) = commands(debate)
    assert line.startswith(f"With another model: debate fork {debate.id} --models NAME")
    assert len(commands(over().debate)) == 2
