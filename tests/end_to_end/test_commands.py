"""A shell gets from one command the exit code and one line or one document; nothing is stored where
nothing began.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from tests.end_to_end.diffs import adding
from tests.end_to_end.shell import OUTCOME, Command, Ran, aside, debates, environment, process
from tests.standins.github import GitHubStandIn, Pull, redirect
from tests.standins.openai import Fail, OpenAI, Say, openai

LINK = "https://github.com/o/r/pull/412"


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubStandIn]:
    """GitHub, with one small pull request."""
    with aside(GitHubStandIn().running()) as standin:
        standin.pulls["o/r", 412] = Pull(
            diff=adding("a.py", "total = sum(prices)", "mean = total / len(prices)")
        )
        monkeypatch.setenv("GITHUB_API_URL", standin.url)
        yield standin


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAI]:
    """OpenAI, with a key in the environment and nothing else said."""
    with aside(openai()) as standin:
        monkeypatch.delenv("DEBATE_MODELS", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("OPENAI_API_BASE", standin.base)
        yield standin


def nothing_began(ran: Ran, folder: Path, code: int) -> None:
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("debate: ")
    assert ran.err.count("\n") == 1
    assert debates(folder) == 0


def test_bad_input_is_one_line_and_nothing_began(
    debate: Command, forge: GitHubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "ledger"
    monkeypatch.setenv("DEBATE_SCRIPTED_LEDGER", str(ledger))
    for typed, expected in (
        ("code_review", "code_review needs something to debate"),
        ("code_review https://gitbucket.example/o/r/pull/1", "I read github.com and gitlab.com"),
        ("code_review https://github.com/o/r/issues/1", "is not a supported link"),
        ("code_review git:no-such-branch...HEAD", "git"),
        (f"code_reviw {LINK}", "code_review"),
        (f"code_review {LINK} --rounds many", "--rounds"),
        (f"code_review {LINK} --threshold 7", "--threshold"),
        (f"code_review {LINK} --budget -1", "--budget"),
        (f"code_review {LINK} --consensus loudest", "--consensus"),
        (f"code_review {LINK} --rouns 3", "--rounds"),
        (f"code_review {LINK} --models nobody/knows-this", "No model is called"),
        (f"code_review {LINK} --models openai/gpt-4.1", "OPENAI_API_KEY"),
        (f"code_review {LINK} --format duel", "duel"),
        ("show nothing", "nothing"),
        (f"code_review {LINK.replace('412', '413')}", "I can't see o/r#413"),
    ):
        ran = debate(*typed.split())
        nothing_began(ran, tmp_path, 2)
        assert expected in ran.err
    assert not ledger.exists()


def test_a_forge_that_refuses_moved_or_is_down_is_not_the_person_s_fault(
    debate: Command, forge: GitHubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = {"remaining": "0", "limit": "60", "reset": "4102444800"}
    used_up = {f"x-ratelimit-{name}": value for name, value in limit.items()}
    for status, headers, expected in (
        (401, {}, "asks for a token"),
        (403, {}, "GitHub refused"),
        (403, used_up, "limit is used up"),
        (429, {"retry-after": "3600"}, "limit"),
        (500, {}, "GitHub"),
    ):
        forge._spoiled.clear()
        forge.refuse("/pulls/412$", status, "no", headers)
        ran = debate("code_review", LINK)
        nothing_began(ran, tmp_path, 3)
        assert expected in ran.err
    forge._spoiled.clear()
    forge.spoil("/pulls/412$", redirect("http://127.0.0.1:9/elsewhere"))
    moved = debate("code_review", LINK)
    nothing_began(moved, tmp_path, 3)
    assert "If GitHub moved, set its new address: GITHUB_API_URL." in moved.err
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    ran = debate("code_review", LINK)
    nothing_began(ran, tmp_path, 3)
    assert "GitHub" in ran.err


def test_check_and_json_together(
    debate: Command, forge: GitHubStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBATE_MODELS", "scripted:stance=request_changes")
    ran = debate("code_review", LINK, "--check", "--json")
    assert ran.code == 1
    jsonschema.validate(ran.document, OUTCOME)
    assert ran.document["verdict"]["decision"] == "request_changes"
    assert "The verdict blocks: request changes." in ran.err
    again = debate("show", ran.document["id"], "--json")
    assert again.document == ran.document


def test_a_link_in_a_process_of_its_own(tmp_path: Path, forge: GitHubStandIn) -> None:
    ran = process(
        tmp_path, "code_review", LINK, "--json", env=environment(GITHUB_API_URL=forge.url)
    )
    assert ran.code == 0, ran.err
    jsonschema.validate(ran.document, OUTCOME)
    assert ran.document["material"]["coverage"] == [{"path": "a.py", "state": "full", "reason": ""}]
    rendered = process(tmp_path, "show", ran.document["id"], env=environment())
    assert rendered.code == 0
    assert "## How this was decided" in rendered.out


def test_documents_and_words(debate: Command, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "one.md").write_text("# Queue\nJobs move into the database.\n")
    (docs / "two.md").write_text("# Why\nOne thing less to run.\n")
    (docs / "notes.bin").write_bytes(b"\0\1")
    folder = debate("design_doc", "docs", "--json")
    assert folder.code == 0, folder.err
    paths = {one["path"] for one in folder.document["material"]["coverage"]}
    assert {path.rpartition("/")[2] for path in paths} >= {"one.md", "two.md"}
    question = "Should the job queue move into PostgreSQL?"
    for target, title in (("docs/one.md", "Queue"), (question, question)):
        ran = debate("design_doc", target, "--json")
        assert (ran.code, ran.document["material"]["title"]) == (0, title)


def test_a_key_alone_chooses_the_provider_and_says_so(
    debate: Command, provider: OpenAI, forge: GitHubStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    stance = {"option": "approve", "confidence": 0.8, "because": "it is small", "moved_by": ""}
    reply = {"text": "Looks fine.", "stance": {**stance, "would_resolve_if": ""}}
    provider.answers = [Say((json.dumps(reply),))]
    ran = debate("code_review", LINK, "--rounds", "2", "--yes")
    assert "openai/gpt-5 (OPENAI_API_KEY is set): the material is sent to this provider" in ran.out
    assert "Price: " in ran.out
    assert "Approved: no finding is open." in ran.out
    assert set(provider.keys) == {"Bearer sk-test-0123456789abcdef"}
    assert {request["model"] for request in provider.requests} == {"gpt-5"}
    assert "demonstration" not in ran.out.lower()


def test_a_price_above_the_limit_is_asked_for_and_an_unknown_one_is_called_unknown(
    debate: Command,
    provider: OpenAI,
    forge: GitHubStandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DEBATE_ASK_ABOVE", "0.0001")
    ran = debate("code_review", LINK, "--models", "openai/gpt-4.1")
    assert ran.code == 2
    assert "say --yes, or set a limit with --budget USD" in ran.err
    assert (provider.requests, debates(tmp_path)) == ([], 0)
    provider.answers = [Fail(401, "no")]
    unknown = debate("code_review", LINK, "--models", "openai/not-in-any-table", "--yes")
    assert "Price: unknown" in unknown.out
