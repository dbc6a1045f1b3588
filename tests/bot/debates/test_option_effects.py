"""Each option of a start changes the debate that it is given for, or is refused with the reason:
every option with every template.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.templates.catalogue import builtin
from bot.debates.opening.prepare import Prepared, Preparer
from bot.debates.opening.request import request_of
from bot.wire.parts import Parts, open_parts
from core.application.commands import Start, parse
from core.application.commands.options import options_of
from core.application.desk import Caller
from core.debate.errors import BadInput
from core.debate.formats import FORMATS
from core.debate.template import Mode
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import NoServers
from tests.core.memory import Voice, Voices
from tests.standins.github import CASES

CHANGE = (CASES / "js-proxy-auth-redirect.diff").read_text("utf-8")
QUESTION = "Should the queue move into PostgreSQL, or wait a year?\nIt is a question of cost."

VALUES: Mapping[str, tuple[Any, ...]] = {
    "rounds": (1, 4, 9),
    "consensus": tuple(Mode),
    "threshold": (0.3, 0.93),
    "format": tuple(FORMATS),
    "turns": ("all", "round_robin", "ring", "rotating"),
    "convergence": (0.37,),
    "form": ("standard", "extended"),
    "importance": ("low", "critical"),
    "openings": (3, 7),
    "seats": (("person:U9",),),
    "debate_anyway": (True,),
}
ELSEWHERE = {
    "models", "budget", "vote_window", "timeout", "search", "fresh", "evidence", "department",
    "priority", "target_date", "quiet", "json", "plain", "check", "recheck", "only_blocking", "yes",
    "prove", "with_remarks", "language",
}  # fmt: skip
"""Options that every template obeys alike, or whose own tests show when they are refused."""
AT_ONCE = (
    "design_doc", "financial_risk", "healthcare_compliance", "incident_response", "policy_review",
    "product_strategy", "research_synthesis",
)  # fmt: skip
"""Templates in which the seats of a phase speak at once."""
REPEATING = [
    ("critique", "rounds", 9),
    *((name, "turns", "all") for name in AT_ONCE),
]
"""Values by which a person asks for what is played anyway."""


async def test_every_option_of_a_start_is_in_this_table() -> None:
    assert {each.field for each in options_of(Start)} == VALUES.keys() | ELSEWHERE


@pytest.fixture
async def parts(tmp_path: Path) -> AsyncIterator[Parts]:
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path)
    async with open_parts(settings, shell=False) as opened:
        yield opened


@pytest.fixture
def preparer(parts: Parts) -> Preparer:
    """Prepares with models of whose judgement a review makes something."""
    voices = Voices((Voice(), Voice("voice-b", "b")))
    return replace(parts.service.preparer, models=voices, seed=7, history=None, servers=NoServers())


async def test_each_option_changes_the_debate_or_is_refused(preparer: Preparer) -> None:
    ignored = []
    for name, template in builtin().items():
        text = CHANGE if template.material == "pull_request" else QUESTION
        plain = Start(name, "x", text=text, models=("voice-a", "voice-b"))

        before = await preparer.prepare(request_of(plain, asker=ASKER, place=PLACE))
        material, usual = before.opened.material, before.opened.template
        for field, value in entered():
            changed = request_of(replace(plain, **{field: value}), asker=ASKER, place=PLACE)
            try:
                after = await preparer.prepare(changed, material=material)
            except BadInput:
                continue
            if played(after) == played(before) and value != getattr(usual, field, None):
                ignored.append((name, field, value))
    assert [x for x in ignored if x not in REPEATING] == []


def entered() -> Iterator[tuple[str, Any]]:
    for field, values in VALUES.items():
        yield from ((field, value) for value in values)


def played(prepared: Prepared) -> tuple[Any, ...]:
    """Returns everything of an opening by which two debates can differ, except their price."""
    opened = prepared.opened
    terms = replace(opened.terms, estimate=None, reserve=0.0)
    return opened.script, terms


async def test_an_option_without_an_effect_is_refused_with_the_reason(preparer: Preparer) -> None:
    for template, options, refusal in (
        (
            "code_review",
            "--consensus supermajority",
            "one rule over its findings and votes decides",
        ),
        ("code_review", "--consensus unanimous", "--consensus judge or hybrid adds judges"),
        ("code_review", "--threshold 80%", "one rule over its findings and votes decides"),
        ("code_review", "--threshold 80% --consensus judge", "one rule over its findings"),
        ("code_review", "--threshold 80% --consensus hybrid", ""),
        ("code_review", "--consensus judge", ""),
        ("code_review", "--rounds 3", "argues in 2 rounds at most, not 3"),
        ("code_review", "--rounds 3 --format phased", ""),
        ("code_review", "--turns ring --format contested", "--format phased changes that"),
        ("code_review", "--convergence 40%", "no round is left out"),
        ("code_review", "--convergence 40% --format phased", "no round is left out"),
        ("gauntlet", "--consensus majority", "how its attacks end decides, not a vote"),
        ("gauntlet", "--threshold 80%", "how its attacks end decides, not a vote"),
        ("design_doc", "--form extended", "--form is for the format panel"),
        ("design_doc", "--form extended --format panel", ""),
        ("design_doc", "--threshold 80% --consensus unanimous", "all seats must agree"),
        ("design_doc", "--threshold 50% --consensus supermajority", "two thirds of the seats"),
        ("policy_review", "--turns ring", ""),
        ("incident_response", "--turns ring", "--turns ring is --turns all here"),
    ):
        start = parse(f"{template} x {options}", templates=tuple(builtin()))
        assert isinstance(start, Start)
        request = request_of(replace(start, models=("voice-a",)), asker=ASKER, place=PLACE)
        with pytest.raises(BadInput, match=refusal) if refusal else nullcontext():
            await preparer.check_options(request)


async def test_a_chat_is_refused_before_anything_is_stored(parts: Parts) -> None:
    caller = Caller(ASKER, PLACE, "e1")
    answer = await parts.desk.take(Start("design_doc", QUESTION, form="extended"), caller)
    assert (answer.ok, await parts.stores.debates.find_recent()) == (False, [])
    assert answer.text.startswith("--form is for the format panel")
