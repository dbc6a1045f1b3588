"""The demonstration stays short and honest: counted in what it reads and writes, not on a clock."""

from __future__ import annotations

from pathlib import Path

from core.words.outcome import outcome
from core.words.outcome.report import report
from tools.bench.demonstration import EXAMPLE, demonstrated


async def test_the_demonstration_is_short_and_its_report_is_code_s(tmp_path: Path) -> None:
    run = await demonstrated(EXAMPLE, tmp_path)
    debate = run.debate
    assert run.first_words <= 20
    assert run.seconds <= 150
    assert debate.status == "finished"
    assert [t.task for t in debate.turns if t.id in debate.finished] == [
        "open", "open", "open", "respond", "debate", "debate", "debate",
    ]  # fmt: skip
    document = outcome(debate)
    proven = [f for f in document["findings"] if "code" in f["by"]]
    assert [f["title"] for f in proven] == [
        "The test test_no_name_leads_out_of_the_folder is removed"
    ]
    assert {one["state"] for one in document["material"]["coverage"]} == {"full"}
    text = report(debate)
    assert "This is a demonstration: rely on nothing that these models say." in text
    assert "not assessed" not in text.split("## Action Items")[1].split("##")[0]
    assert "is removed" in text


async def test_a_larger_change_is_read_in_part_and_says_so(tmp_path: Path) -> None:
    run = await demonstrated(EXAMPLE.with_name("02-remember-rights.diff"), tmp_path)
    states = {one["state"] for one in outcome(run.debate)["material"]["coverage"]}
    assert states != {"full"}
    assert run.seconds <= 240
