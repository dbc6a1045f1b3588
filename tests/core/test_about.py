"""The topic decides what a turn is about: a name that means something else elsewhere (a challenge's
id, a seat's, the word for a reversed order) changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from adapters.posts import posts_for
from adapters.templates.catalogue import find
from core.debate import events as e
from core.debate.formats import FORMATS, Plan
from core.debate.prompting import prompt
from core.debate.replies import Statement
from core.debate.script import About, Topic
from core.debate.state import Debate, evolve, replay
from core.debate.usage import Usage
from tests.core.memory import opening

PLAIN = "zebra"


def attacked_by(category: str) -> Debate:
    """Returns a gauntlet with this one category of attack, its claim made."""
    gauntlet = find("gauntlet")
    template = replace(gauntlet, settings={**gauntlet.settings, "categories": [category]})
    script = FORMATS["gauntlet"].compile(template, Plan(), Random(1))
    requested, opened = opening("gauntlet")
    assert isinstance(opened, e.DebateOpened)
    debate = replay([requested, replace(opened, template=template, script=script)])
    return says(debate, "t1")


def says(debate: Debate, turn: str) -> Debate:
    event = e.TurnFinished(debate.turns[int(turn[1:]) - 1].id, Statement("so"), Usage(), "m")
    return evolve(debate, event)


@pytest.mark.parametrize("category", ["xss", "x1", "swapped", "challenge", "doubter", "defender"])
def test_an_attack_of_any_name_is_asked_for_and_posted_as_one(category: str) -> None:
    debate, plain = attacked_by(category), attacked_by(PLAIN)
    attack, other = debate.turns[1], plain.turns[1]
    assert attack.about == About(Topic.CATEGORY, category)
    assert [m.text for m in prompt(debate, attack)] == [
        m.text.replace(PLAIN, category) for m in prompt(plain, other)
    ]
    assert "One attack for each category" in prompt(debate, attack)[-2].text
    after = says(debate, "t2")
    posted = posts_for(debate, e.TurnFinished(attack.id, Statement("so"), Usage(), "m"), after)
    assert ["Round 2 of 4: Attacks" in p.small for p in posted] == [True]
