"""A unanimous independent vote ends a debate at once and says how to hold it all the same; it does
not where a person asked for the debate.
"""

from __future__ import annotations

import json
from pathlib import Path

from adapters.models.retry import Retrying
from adapters.models.scripted import Scripted
from bot.debates.opening.prepare import Prepared
from bot.debates.opening.request import request_of
from bot.wire.parts import Parts
from core.application.commands import Start, parse
from core.debate import events as e
from core.debate.state import Debate
from core.words.outcome import outcome
from core.words.outcome.report import report
from core.words.views.verdict.facts import verdict_facts
from tests.bot.parts import Given, with_advancer

QUESTION = "Should we move the queue to PostgreSQL now, or wait a year?"


async def prepared(parts: Parts, line: str) -> Prepared:
    ask = parse(line, templates=("design_doc", "code_review"), prefix="debate")
    assert isinstance(ask, Start)
    request = request_of(ask, asker="shell:ann", place="shell:ann", files=True)
    return await parts.service.prepare(request)


async def typed(parts: Parts, line: str) -> Debate:
    """Plays the debate that a typed line starts to its end."""
    return await parts.player.play(await parts.service.open(await prepared(parts, line)))


async def test_the_offer_stands_in_the_post_and_in_the_report(parts: Parts) -> None:
    debate = await typed(parts, f'design_doc "{QUESTION}" --models scripted:stance=accept')
    assert debate.stop is not None
    assert debate.stop.reason is e.EndReason.CONSENSUS
    offer = f"To debate it all the same: fork {debate.id}"
    assert offer in dict(verdict_facts(debate, ""))["Ended early"]
    assert offer in report(debate).replace("\\", "")
    assert len(debate.skipped) > 5


async def test_whoever_asks_for_it_gets_the_debate(parts: Parts) -> None:
    debate = await typed(
        parts, f'design_doc "{QUESTION}" --models scripted:stance=accept --debate-anyway'
    )
    assert debate.open.terms.anyway
    assert debate.stop is None or debate.stop.reason is e.EndReason.CONVERGED
    argued = {t.round for t in debate.turns if t.id in debate.finished and not t.closing}
    assert len(argued) > 2


NOTHING = '{"text": "I see nothing.", "stance": {"option": "comment", "confidence": 0.6}, '
NOTHING += '"claims": [], "findings": []}'
CHANGE = "examples/02-remember-rights.diff"


def sees_nothing(parts: Parts) -> tuple[Parts, Scripted]:
    """Returns the parts, with the scripted model set to raise nothing in its openings."""
    model = parts.models.get("scripted")
    assert isinstance(model, Retrying)
    assert isinstance(model.inner, Scripted)
    model.inner.replies += [NOTHING] * 4
    model.inner.keeps = True
    return with_advancer(parts, models=Given(parts.models)), model.inner


async def test_a_review_with_nothing_to_settle_costs_its_openings_and_no_more(parts: Parts) -> None:
    scripted, model = sees_nothing(parts)
    debate = await typed(scripted, f"code_review {CHANGE}")
    assert len(model.seen) == 4
    assert debate.stop is not None
    assert debate.stop.detail.startswith("All 4 independent votes say comment and no finding is")
    written = report(debate)
    assert "_not answered_" not in written
    assert "The closing turn failed" not in str(outcome(debate)["warnings"])
    assert dict(verdict_facts(debate, ""))["Ended early"] == debate.stop.detail


async def test_and_is_debated_to_its_report_where_somebody_asks_for_it(parts: Parts) -> None:
    scripted, model = sees_nothing(parts)
    debate = await typed(scripted, f"code_review {CHANGE} --debate-anyway")
    assert len(model.seen) > 8
    assert any(t.closing and t.id in debate.finished for t in debate.turns)


async def test_a_scanners_results_are_debated(parts: Parts, tmp_path: Path) -> None:
    hunk = (await prepared(parts, f"code_review {CHANGE}")).opened.material.hunks[0]
    line = next(x.new for x in hunk.lines if x.mark == "+")
    place = {"artifactLocation": {"uri": hunk.path}, "region": {"startLine": line}}
    result = {
        "ruleId": "r1", "level": "error", "message": {"text": "tainted"},
        "locations": [{"physicalLocation": place}],
    }  # fmt: skip
    log = {"runs": [{"tool": {"driver": {"name": "semgrep"}}, "results": [result]}]}
    (tmp_path / "scan.sarif").write_text(json.dumps(log))
    debate = await typed(parts, f"code_review {CHANGE} --evidence {tmp_path / 'scan.sarif'}")
    assert debate.open.material.scanned[0].title == "tainted"
    answers = [
        a for statement in debate.finished.values() for a in statement.answers if a.to == "scan.f1"
    ]
    assert len(answers) >= 3
    (finding,) = [f for f in outcome(debate)["findings"] if f["id"] == "scan.f1"]
    assert "scanner" in {*finding["by"]} or finding["state"] == "withdrawn"
    assert "### What scanners reported" in report(debate)
