"""A list in a pipe has columns that tabs separate, and nothing else on standard output."""

from __future__ import annotations

from pathlib import Path

from adapters.terminal.lists import separated, standings
from bot.shell.cli import _COLUMNS
from core.application.commands.requests import Leaderboard
from tests.end_to_end.shell import EXAMPLE, environment, process
from tests.project import ROOT

HOSTILE = "a\tb\n`c` **d** \x1b[31m"


def test_every_list_is_columns_in_a_pipe(tmp_path: Path) -> None:
    (own := tmp_path / "own").mkdir()
    (own / "bad.toml").write_text("id = 7\n")
    env = environment(DEBATE_TEMPLATES_DIR=str(own))
    change = tmp_path / "change.diff"
    change.write_text(f"Subject: {HOSTILE}\n\n{EXAMPLE.read_text('utf-8')}")
    assert process(tmp_path, "code_review", str(change), "--quiet", env=env).code == 0
    line = ("add", "every monday 14:30", "code_review", "github:acme/shop")
    assert process(tmp_path, "schedule", *line, env=env).code == 0
    rows = {}
    for typed in ("list", "list --plain", "search payments", "schedule list", "templates"):
        ran = process(tmp_path, *typed.split(), env=env)
        cells = [line.split("\t") for line in ran.out.splitlines()]
        assert {len(row) for row in cells} == {len(cells[0])}, typed
        assert len(cells[0]) > 3
        assert "`" not in cells[0][0]
        assert not any("\x1b" in cell for row in cells for cell in row)
        rows[typed] = cells
        assert ("bad.toml" in ran.err) is (typed == "templates"), "what is broken is named"
    assert rows["list"] == rows["list --plain"]
    assert rows["list"][0][1] == "changes requested"
    planned = ["30 14 * * mon", "UTC", "code_review", "github:acme/shop"]
    assert rows["schedule list"][0][2:6] == planned
    assert "code_review" in [row[0] for row in rows["templates"]]
    (found,) = process(tmp_path, "search", "payments", "--json", env=env).document
    assert (found["id"], found["decision"]) == (rows["search payments"][0][0], "request_changes")
    assert process(tmp_path, "search", "unicorns", "--json", env=env).document == []
    none = process(tmp_path, "status", env=env)
    assert (none.out, "No debate is running here" in none.err) == ("", True)


def test_the_columns_are_those_of_the_reference() -> None:
    page = (ROOT / "docs/commands.md").read_text("utf-8")
    for columns in _COLUMNS.values():
        assert f"| {', '.join(columns)} |" in page


def test_the_leaderboard_is_a_row_for_each_standing() -> None:
    held = {"low": 0.41, "high": 0.98765}
    panel = {"useful": 2, "judged": 3, "useful_within": held, "held": 1, "resolved": 1}
    ratings = {
        "models": [{"model": HOSTILE, "right": 4, "n": 5, "held": held}],
        "seats": [{"role": "critic", "model": "a/b", "right": 1, "n": 2, "held": held}],
        "dissent": [{"role": "critic", "warned": 1, "failed": 2}],
        "panels": [{**panel, "held_within": held, "form": "standard"}],
        "kinds": [],
    }
    rows = [*separated([*standings(ratings)], _COLUMNS[Leaderboard])]
    assert rows == [
        "a b `c` **d** \\u001b[31m\tmodel held\t4\t5\t0.41\t0.988",
        "critic, a/b\tseat held\t1\t2\t0.41\t0.988",
        "critic\tdissent warned\t1\t2\t\t",
        "standard\tform useful\t2\t3\t0.41\t0.988",
        "standard\tform held\t1\t1\t0.41\t0.988",
    ]
