"""A new text of a finding costs five places; every surface shows it then."""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import core.words.outcome
from adapters.mcp.results import verdict_of
from adapters.posts.export import export
from adapters.posts.finding import finding_post
from adapters.review.sarif import sarif
from adapters.review.text import compose
from bot.debates.search_texts import _statements
from bot.library import results as library
from core.debate import finding as wording
from core.debate.replies.parsing import parse
from core.debate.replies.schema import schema
from core.debate.replies.tasks import LOCATE, TASKS
from core.debate.script import SeatId, Turn, TurnId
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import demands_after
from core.words.outcome import outcome
from core.words.views.verdict import findings as views
from tests.adapters.review.samples import injection, material
from tests.core.table import REVIEW, table
from tests.core.table import template as table_template

OWNER = "The payments team"


@dataclass(frozen=True, slots=True)
class Owned(wording.Finding):
    owner: str = ""


@dataclass(frozen=True, slots=True)
class OwnedOutside(library.Finding):
    owner: str = ""


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Changes the five places, and returns the schema of the outcome document."""
    # 1: core/debate/finding.py, the field and its name among the texts
    texts = (*wording.TEXTS, "owner")
    put_everywhere(monkeypatch, "Finding", wording.Finding, Owned)
    put_everywhere(monkeypatch, "TEXTS", wording.TEXTS, texts)
    # 2: core/debate/prompts/field-findings.md asks for it in words
    # 3: core/words/views/verdict/findings.py has its label
    monkeypatch.setitem(views._LABELS, "owner", "Owner")
    # 4: core/words/outcome/outcome.schema.json describes it
    file = Path(core.words.outcome.__file__).with_name("outcome.schema.json")
    described: dict[str, Any] = deepcopy(json.loads(file.read_text(encoding="utf-8")))
    one = described["properties"]["findings"]["items"]
    one["properties"]["owner"] = {"type": "string"}
    one["required"].append("owner")
    # 5: bot/library/results.py, the typed result for Python
    monkeypatch.setattr(library, "Finding", OwnedOutside)
    return described


def put_everywhere(monkeypatch: pytest.MonkeyPatch, name: str, was: object, new: object) -> None:
    """Replaces a value in every module that imported it."""
    for module in list(sys.modules.values()):
        if vars(module).get(name) is was:
            monkeypatch.setattr(module, name, new)


def test_a_reply_is_asked_for_it_and_read_with_it() -> None:
    form = schema(TASKS["open"], table_template(), findings=True, ruling=False)
    assert "owner" in form["properties"]["findings"]["items"]["properties"]
    reply = {
        "text": "x",
        "findings": [{"severity": "high", "confidence": 0.9, "title": "Races", "owner": OWNER}],
    }
    turn = Turn(TurnId("t1"), SeatId("author"), "open")
    (read,) = parse(json.dumps(reply), LOCATE, turn, REVIEW).findings
    assert getattr(read, "owner") == OWNER  # noqa: B009


def test_every_surface_shows_it(places: dict[str, Any]) -> None:
    known = injection()
    given = {each.name: getattr(known, each.name) for each in fields(known)}
    owned = Owned(**given | {"owner": OWNER})
    t = table(material=material()).says("t1", "request_changes", findings=[owned])
    t.says("t2", "request_changes").says("t3", "comment").says("end").concluded()
    debate = t.debate
    (finding,) = merge_findings(debate)

    document = outcome(debate)
    jsonschema.validate(document, places)
    assert document["findings"][0]["owner"] == OWNER
    assert ("Owner", OWNER) in finding_post(debate, finding).fields  # Slack, Discord, shell, room
    for form in ("md", "html"):
        assert OWNER in export(debate, form)
    assert f"Owner: {OWNER}" in compose(debate).comments[0].body
    assert sarif(debate)["runs"][0]["results"][0]["properties"]["owner"] == OWNER
    assert verdict_of(debate, "").findings[0].quoted["owner"] == OWNER
    assert getattr(library.result_of(debate).findings[0], "owner") == OWNER  # noqa: B009
    assert OWNER in list(_statements(debate))
    assert getattr(demands_after(debate)[0].finding, "owner") == OWNER  # noqa: B009  the next review
