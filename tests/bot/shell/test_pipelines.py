"""The shell in pipelines and at a terminal: exit codes of verdicts, files of exports, one more
review.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.shell.test_person import Person
from tests.end_to_end import nursery
from tests.end_to_end.diffs import adding
from tests.end_to_end.shell import DEBATE, Ran, aside, environment, process
from tests.patience import PATIENCE
from tests.standins.github import GitHubStandIn, Pull

QUESTION = "Should the queue of jobs move into PostgreSQL?"
LINK = "https://github.com/o/r/pull/412"

TIE = (
    "Not a reached verdict. No decision: a tie, 2 of 4 seats for each side. With --only-blocking "
    "it passes."
)


def decided(folder: Path, models: str, *words: str) -> Ran:
    return process(
        folder, "design_doc", QUESTION, "--quiet", "--models", models, *words, env=environment()
    )


@pytest.mark.parametrize(
    ("models", "strict", "milder", "reason"),
    [
        ("scripted:stance=accept", 0, 0, ""),
        ("scripted:stance=accept,scripted:stance=reject", 1, 0, TIE),
        ("scripted:stance=reject", 1, 1, "The verdict blocks: reject."),
    ],
)
def test_only_a_reached_verdict_that_passes_is_checked_well(
    tmp_path: Path, models: str, strict: int, milder: int, reason: str
) -> None:
    ran = decided(tmp_path, models, "--check")
    assert ran.code == strict
    assert reason in ran.err
    both = decided(tmp_path, models, "--check", "--only-blocking")
    assert both.code == milder


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize(
    ("words", "program"),
    [
        (("--version",), subprocess.Popen),
        (("help",), subprocess.Popen),
        (("templates", "--json"), nursery.Popen),
    ],
)
def test_a_full_disk_below_the_output_is_named(
    tmp_path: Path, words: tuple[str, ...], program: type[subprocess.Popen[str]]
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = program(
            (*DEBATE, *words), cwd=tmp_path, env=environment(), stdout=full,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    _, err = ran.communicate(timeout=PATIENCE)
    assert (ran.returncode, err.count("\n")) == (3, 1)
    assert "The disk is full, so the output was not written." in err


def test_on_a_terminal_files_are_written_and_piped_they_are_printed(tmp_path: Path) -> None:
    key = {"DEBATE_SIGNING_KEY": "ab" * 32}
    ran = decided(tmp_path, "scripted", "--json")
    id = str(ran.document["id"])
    for typed, name in ((("export", id, "html"), f"debate-{id}.html"),
                        (("receipt", id), f"receipt-{id}.json")):  # fmt: skip
        piped = process(tmp_path, *typed, env=environment(**key))
        assert not (tmp_path / name).exists()
        with closing(Person(tmp_path, *typed, **key, DEBATE_MODELS="scripted")) as sitting:
            sitting.sees(f"Wrote {name}.")
            assert sitting.leaves() == 0
        written = (tmp_path / name).read_text("utf-8")
        assert written.splitlines()[0] == piped.out.splitlines()[0]
        assert "<!doctype" not in sitting.screen
    verified = process(tmp_path, "verify", f"receipt-{id}.json", env=environment(**key))
    assert verified.out.splitlines()[-1] == "The receipt is genuine."


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    id = str(decided(tmp_path, "scripted", "--json").document["id"])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / f"debate-{id}.md").symlink_to(elsewhere)
    with closing(Person(tmp_path, "export", id, DEBATE_MODELS="scripted")) as sitting:
        sitting.sees("cannot be written")
        assert sitting.leaves() == 2
    assert elsewhere.read_text() == "mine"


@pytest.fixture
def forge() -> Iterator[GitHubStandIn]:
    with aside(GitHubStandIn().running()) as standin:
        standin.pulls["o/r", 412] = Pull(diff=adding("a.py", "total = sum(prices)"))
        yield standin


def test_a_change_is_reviewed_again_where_it_moved_and_else_its_verdict_stands(
    tmp_path: Path, forge: GitHubStandIn
) -> None:
    env = environment(GITHUB_API_URL=forge.url, DEBATE_MODELS="scripted:stance=request_changes")

    def review(*words: str) -> Ran:
        return process(tmp_path, LINK, "--recheck", "--check", "--json", *words, env=env)

    first = review()
    assert "No review of this change is stored here yet: it is read whole." in first.err
    id = first.document["id"]
    again = review()
    assert f"The change is the same as before: the verdict of {id} still applies." in again.err
    assert (again.code, first.code, again.document) == (1, 1, first.document)
    pull = forge.pulls["o/r", 412]
    pull.push("b" * 40, adding("a.py", "total = sum(prices)", "mean = total / len(prices)"))
    moved = review()
    assert moved.document["material"]["revision"] != first.document["material"]["revision"]
    output = process(tmp_path, "show", moved.document["id"], env=env).out
    assert "Review 1 has it" in output
    pull.push("c" * 40, pull.diff, how="diverged")
    rebased = review()
    assert f"The verdict of {moved.document['id']} still applies." in rebased.err
    assert (rebased.code, rebased.document["id"]) == (1, moved.document["id"])
    assert len(json.loads(process(tmp_path, "list", "--json", env=env).out)) == 2


def test_only_a_change_with_a_link_is_looked_at_again(tmp_path: Path) -> None:
    (tmp_path / "a.diff").write_bytes(adding("a.py", "x = 1"))
    ran = process(tmp_path, "a.diff", "--recheck", env=environment())
    assert (ran.code, ran.out) == (2, "")
    assert "--recheck looks at a pull request again: give its link" in ran.err
    assert json.loads(process(tmp_path, "list", "--json", env=environment()).out) == []
