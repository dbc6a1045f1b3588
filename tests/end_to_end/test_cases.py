"""Real and unusual pull requests by their link: every file accounted for, every citation where it
says it is.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from adapters.models.scripted import Scripted
from core.debate.ports import Model
from tests.end_to_end.diffs import large, right_lines
from tests.end_to_end.played import Played, Review, Watched, typed
from tests.end_to_end.shell import OUTCOME
from tests.standins.github import CASES, HEAD, GitHubStandIn, Pull
from tools.bench.large import change

VERDICTS = ("approve", "comment", "request_changes")
SENTENCES = ("Approved", "Comments only", "Changes requested", "No clear verdict")


def reasons(played: Played) -> dict[str, tuple[str, str]]:
    coverage = played.outcome["material"]["coverage"]
    return {one["path"]: (one["state"], one["reason"]) for one in coverage}


def states(played: Played) -> dict[str, str]:
    return {path: state for path, (state, _) in reasons(played).items()}


def misplaced(played: Played, diff: bytes) -> list[Any]:
    """Returns findings that call themselves anchored and quote something that does not stand where
    they say.
    """
    lines = {place: plain(text) for place, text in right_lines(diff).items()}
    anchored = [f for f in played.findings if f["anchored"] and f["side"] == "RIGHT"]
    return [f for f in anchored if plain(f["quote"]) not in lines.get((f["path"], f["line"]), "")]


def plain(text: str) -> str:
    """Returns the text without white space, without characters that are shown as escapes, and
    without unusual ones.
    """
    return re.sub(r"\\x..|\\u....|\\r|[^!-~]", "", text)


@pytest.mark.parametrize(
    "case",
    ["control-js-proxy-auth", "go-filename-escape", "py-multipart-quadratic", "py-static-prefix"],
)
async def test_a_real_change_is_read_whole_and_cited_rightly(
    case: str, github: GitHubStandIn, review: Review
) -> None:
    facts = json.loads((CASES / f"{case}.json").read_text("utf-8"))
    pull = github.load_case(case)
    played = await review()
    jsonschema.validate(played.outcome, OUTCOME)
    assert (played.code, played.outcome["status"]) == (0, "finished")
    assert played.outcome["ended_because"] in ("completed", "converged")
    assert states(played) == {one["path"]: "full" for one in facts["files"]}
    assert played.outcome["material"]["revision"] == HEAD
    assert played.decision in VERDICTS
    assert played.findings
    assert misplaced(played, pull.diff) == []
    assert any(f"{sentence}: " in played.out for sentence in SENTENCES)


WHOLE = (
    *(".gitmodules", "bidi.py", "crlf.txt", "fakehunk.md", "latin1.txt", "link", "mixed.txt"),
    *("name with space.txt", "noeol.py", "splitlines.py", r"tab\tname.txt", "ünïcödé.md"),
)
"""The files of the unusual change whose text is read."""


@pytest.mark.parametrize("case", ["unusual", "unusual-binary"])
async def test_unusual_changes_move_no_line_and_lose_no_file(
    case: str, github: GitHubStandIn, review: Review
) -> None:
    pull = github.load_case(case)
    played = await review("--format", "panel")
    assert played.code == 0
    assert reasons(played) == dict.fromkeys(WHOLE, ("full", "")) | {
        "img.png": ("left_out", "binary"),
        "new_empty": ("full", "renamed, no text changed"),
        "new_name.py": ("full", "renamed, no text changed"),
        "run.sh": ("full", "modified, no text changed; mode 100644 -> 100755"),
        "vendor/lib": ("full", "submodule, only the commit it names"),
    }
    proven = [(f["path"], f["line"], f["severity"]) for f in played.findings if "code" in f["by"]]
    assert proven == [("bidi.py", 2, "high"), ("bidi.py", 4, "medium")]
    textless = {"img.png", "new_empty", "new_name.py", "run.sh", "vendor/lib"}
    assert not textless & {f["path"] for f in played.findings if f["anchored"]}
    assert misplaced(played, pull.diff) == []
    assert "1 left out (binary: 1)" in played.out


@pytest.mark.faults
async def test_a_megabyte_is_read_in_parts_by_everybody_who_opens(
    github: GitHubStandIn, review: Review
) -> None:
    diff = large()
    github.pulls["o/r", 412] = Pull(diff=diff, title="large", changed_files=137)
    played = await review()
    assert played.code == 0
    coverage = played.outcome["material"]["coverage"]
    assert len(coverage) == len({one["path"] for one in coverage}) == 137
    assert {one["state"] for one in coverage} == {"full"}
    parts = played.outcome["material"]["parts"]
    subjects = ("correctness", "security", "performance", "maintainability")
    critics = [f"{subject}_critic" for subject in subjects]
    assert [(one["read_by"], one["not_read_by"]) for one in parts] == [(critics, [])] * len(parts)
    assert {path for one in parts for path in one["paths"]} == {one["path"] for one in coverage}
    assert misplaced(played, diff) == []
    lines = played.out.splitlines()
    text = f"Too large for one reading: every seat that opens reads it in {len(parts)} parts first."
    price = next(n for n, line in enumerate(lines) if line.startswith("Price:"))
    assert any(text in line for line in lines[price : price + 12])
    narrowed = await review("path:src/part1/")
    folders = {path.rpartition("/")[0]: each for path, each in reasons(narrowed).items()}
    assert folders.pop("src/part1")[0] == "full"
    assert set(folders.values()) == {("left_out", "outside src/part1/")}


class Small(Watched):
    """Models that read little at a time."""

    def _make_scripted(self, name: str) -> Model:
        model = Scripted(window=4500)
        self.made.append(model)
        return model


async def test_nothing_is_refused_because_a_window_is_small(
    github: GitHubStandIn, review: Review
) -> None:
    github.pulls["o/r", 412] = Pull(diff=large(files=5, lines=60), title="large", changed_files=5)
    played = await review(make_models=Small)
    assert played.code == 0
    parts = played.outcome["material"]["parts"]
    assert len(parts) > 3
    assert not any(one["not_read_by"] for one in parts)
    assert list(states(played).values()) == ["full"] * 5
    assert {path for one in parts for path in one["paths"]} == set(states(played))
    longest = max(sum(len(m.text) for m in prompt) for prompt in played.prompts)
    assert longest < 4500 * 3.7


@pytest.mark.faults
async def test_forty_thousand_lines_end_with_every_file_read(tmp_path: Path) -> None:
    (tmp_path / "large.diff").write_bytes(change(40_000))
    played = await typed(tmp_path, None, "code_review", str(tmp_path / "large.diff"))
    assert (played.code, played.outcome["ended_because"]) == (0, "completed")
    assert list(states(played).values()) == ["full"] * 400
    assert not any(one["not_read_by"] for one in played.outcome["material"]["parts"])
    assert played.outcome["cost"]["calls"] > 3 * len(played.outcome["material"]["parts"])


async def test_nothing_to_debate_is_said_in_one_line(github: GitHubStandIn, review: Review) -> None:
    github.pulls["o/r", 412] = Pull(title="empty")
    played = await review()
    assert (played.code, played.refusal) == (
        2,
        "o/r#412 changes no text (it is empty). Nothing to debate; no model was called.",
    )
    assert (played.outcome, played.prompts) == ({}, [])
