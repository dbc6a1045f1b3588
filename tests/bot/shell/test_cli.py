"""The program as a shell runs it: arguments in; output, errors and an exit code out.

The models are scripted, everything else is real.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from adapters.posts.compare import comparison, measured
from bot.__main__ import main
from core.words.receipt.signing import public_key
from storage import schema
from storage.database.files import default_file
from tests import new_files
from tests.bot.shell.conftest import DIFF, Run
from tests.project import ROOT
from tests.standins.repository import Repository


def test_a_debate_runs_to_its_end_and_can_be_looked_at(debate: Run) -> None:
    ran = debate("code_review", "a.diff")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    roles = (
        "author, correctness critic, security critic, performance critic, maintainability critic"
    )
    assert lines[:3] == [
        "Code Review: a.diff, 1 file read",
        f"7 seats ({roles}, synthesizer, judge), 6 rounds, 17 turns · model scripted",
        "Price: free, 17 calls",
    ]
    assert "Round 1 of 6: Initial review" in lines
    (ended,) = (n for n, line in enumerate(lines) if line.startswith("■ "))
    assert len(lines) - ended <= 24
    id = next(line for line in lines if line.startswith("debate ")).split()[1]
    assert lines[-1] == f"To send on: debate export {id} html · all of it: debate show {id}"
    assert "## Code Review Summary" in debate("show", id).out.splitlines()

    listed = [id, "changes requested", "a.diff", "code_review"]
    assert debate("list").out.split("\t")[:4] == listed
    document = debate("show", id, "--json").document
    assert (document["id"], document["status"]) == (id, "finished")
    ends = ("completed", "converged", "consensus")  # the draw of labels is new each time
    assert document["ended_because"] in ends
    assert json.loads(debate("export", id, "json").out) == document
    assert debate("export", id, "html").out.startswith("<!doctype html>")
    assert debate("status", "--json").document == []
    assert [d["id"] for d in debate("list", "--json").document] == [id]


def test_a_provider_that_is_down_is_not_a_verdict(debate: Run) -> None:
    options = ("--models", "scripted:fail", "--form", "standard", "--rounds", "1")
    ran = debate("panel", "Should we move the queue?", "--json", *options)
    assert ran.code == 3
    assert ran.document["status"] == "failed"
    assert ran.err.splitlines()[-1].startswith(
        "debate: The debate could not be completed. scripted:fail"
    )


def test_a_branch_a_range_and_a_file_without_a_template_are_reviewed(
    debate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repository(tmp_path / "made")
    made.commit("Begin", app="a = 1\n")
    made.git("checkout", "-q", "-b", "topic")
    made.commit("Count", app="a = 1\nb = count(a)\n")
    (tmp_path / "a.diff").rename(made.folder / "own.diff")
    monkeypatch.chdir(made.folder)
    for target in (".", "git:main...topic", "own.diff"):
        ran = debate(target, "--format", "contested", "--rounds", "1", "--json")
        assert ran.code == 0, ran.err
        assert ran.document["template"] == "code_review"
        assert [one["path"] for one in ran.document["material"]["coverage"]] == ["app.py"]


def test_several_branches_stand_side_by_side(debate: Run, reviewed: str) -> None:
    id = reviewed
    branches = ("--branch", "without security_critic", "--branch", "strict")
    ran = debate("fork", id, *branches)
    assert ran.code == 0, ran.err
    table = [line.split(" | ") for line in ran.out.splitlines() if line.startswith("| ")][-4:]
    rows = ["| ", "| This debate", "| Without security critic", "| Strict"]
    assert [line[0] for line in table] == rows
    assert table[0][1:3] == ["Verdict", "Seats' votes"]
    assert table[1][-1] == f"`{id}` |"
    documents = debate("fork", id, *branches[2:], "--json").document["debates"]
    assert [d["id"] == id for d in documents] == [True, False]
    wrong = debate("fork", id, "--branch", "strict", "--branch", "sideways")
    assert (wrong.code, "is no branch" in wrong.err) == (2, True)
    wrong = debate("mirror", id, "discord:123")
    assert (wrong.code, "Discord is not connected here." in wrong.err) == (2, True)


def test_one_question_in_two_forms(debate: Run) -> None:
    ran = debate("compare", "Should we rewrite the parser in Rust?", "--rounds", "1", "--json")
    assert ran.code == 0
    small, large = ran.document["debates"]
    assert (small["complexity"]["form"], large["complexity"]["form"]) == ("standard", "extended")
    assert len(small["seats"]) < len(large["seats"])
    assert ran.document["comparison"] == comparison(small, large)
    assert measured(large)["diversity"].split()[0] != "0"
    twice = debate("compare", small["id"], small["id"])
    named = f"Both ids are those of debate {small['id']}: name another one."
    assert (twice.code, named in twice.err) == (2, True)


def test_a_file_without_a_template_says_which_one(debate: Run, tmp_path: Path) -> None:
    for name, template in (("doc.md", "design_doc"), ("README", "code_review")):
        (tmp_path / name).write_text("# A design")
        for typed in ((name,), (name, "--rounds", "2"), ("--rounds", "2", name)):
            ran = debate(*typed)
            assert (ran.code, ran.out) == (2, "")
            assert ran.err == (
                f"debate: '{name}' is not a diff, so name the template to use for it. Like this: "
                f"debate {template} {name}\n"
            )
    (tmp_path / "what a long name.md").write_text("# A design")
    assert "is not a diff, so name the template" in debate("what a long name.md").err


def test_a_file_that_is_a_diff_is_called_one(debate: Run, tmp_path: Path) -> None:
    for name in ("x.diff", "changes.txt", "changes"):
        (tmp_path / name).write_text(DIFF)
    for name in ("changes.txt", "changes"):
        like = f"debate: '{name}' is a diff. Like this: debate code_review {name}\n"
        assert debate(name).err == like
    assert "Did you mean code_review?" in debate("code_reviw", "x.diff").err
    assert "--budget takes" in debate("x.diff", "--budget", "-1").err


ACME = ("code_review", "a.diff", "--models", "openai/acme-large")


def test_without_a_person_an_unknown_price_needs_consent(
    debate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nothing-of-worth")
    ran = debate(*ACME)
    assert ran.code == 2
    assert ran.err == (
        "debate: Nobody knows what this will cost: say --yes, write the price in the file that "
        "DEBATE_MODELS_FILE names (`debate doctor` shows how), or set DEBATE_UNKNOWN_PRICE=allow.\n"
    )
    assert re.search(r"^Price: unknown", ran.out, re.MULTILINE)
    assert "free" not in ran.out
    assert debate("list", "--json").document == []


@pytest.mark.parametrize(
    ("env", "typed", "reason"),
    [
        ({}, ("--budget", "1"), "so a budget of $1.00 cannot be kept"),
        ({"DEBATE_BUDGET": "2"}, ("--yes",), "so a budget of $2.00 cannot be kept"),
        ({"DEBATE_UNKNOWN_PRICE": "refuse"}, ("--yes",), "DEBATE_UNKNOWN_PRICE refuses that"),
        ({"DEBATE_UNKNOWN_PRICE": "maybe"}, (), "DEBATE_UNKNOWN_PRICE is one of allow, ask, ref"),
    ],
)
def test_what_nobody_knows_the_price_of_is_refused_where_it_has_to_be(
    debate: Run,
    monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str],
    typed: tuple[str, ...],
    reason: str,
) -> None:
    for name, value in {"OPENAI_API_KEY": "sk-nothing-of-worth", **env}.items():
        monkeypatch.setenv(name, value)
    ran = debate(*ACME, *typed)
    assert ran.code == 2
    assert reason in ran.err
    assert ran.err.count("\n") == 1


def test_a_fork_and_a_schedule_need_consent_too(
    debate: Run, reviewed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nothing-of-worth")
    monkeypatch.setenv("DEBATE_ASK_ABOVE", "0.001")
    forked = debate("fork", reviewed, "--models", "openai/gpt-5")
    assert forked.code == 2
    assert re.fullmatch(
        r"debate: This will cost about \$\S+, more than \$0\.0010: say --yes\.\n", forked.err
    )
    planned = ("schedule", "add", "0 9 * * mon", "panel", "Tabs or spaces?")
    ran = debate(*planned, "--models", "openai/gpt-5")
    assert ran.code == 2
    assert re.search(r"Nothing is scheduled yet\. Write it again with `--yes`", ran.err)
    assert debate("schedule", "list").err.startswith("No schedules")
    assert len(debate("list", "--json").document) == 1
    assert debate(*planned, "--models", "openai/gpt-5", "--yes").code == 0


def test_votes_that_still_count_are_said(debate: Run) -> None:
    short = ("--format", "contested", "--rounds", "1")
    ran = debate("code_review", "a.diff", *short, "--vote-window", "10m")
    id = ran.out.split()[-1]
    vote = f"debate vote {id} OPTION. When their time is over: debate resume {id}"
    assert f"Votes still count: {vote}" in ran.out
    assert debate("vote", id, "approve").code == 0
    document = debate("show", id, "--json").document
    assert document["status"] == "waiting"
    assert document["votes"]["people"] == {"approve": 1, "comment": 0, "request_changes": 0}


def test_no_secret_is_shown(debate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    none = "debate: There is no debate '[secret]' here: `debate list` shows those there are.\n"
    for name in ("GITHUB_TOKEN", "OPENAI_API_KEY", "DEBATE_SIGNING_KEY"):
        monkeypatch.setenv(name, "sesame_s3cr3t")
        assert debate("show", "sesame_s3cr3t").err == none
        monkeypatch.delenv(name)


def test_the_database_is_kept_up_and_copied(debate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "_make_database_file", new_files.MAKE)
    location = f"sqlite+pysqlite:///{default_file()}"
    assert debate("db", "upgrade").out == f"{location}: brought up to date\n"
    assert debate("db", "upgrade").out == f"{location}: up to date already\n"
    assert debate("db", "backup", "copy.db").out == "Copied to copy.db.\n"
    assert debate("db", "backup", "copy.db").code == 2


def test_a_receipt_is_issued_and_verified(
    debate: Run, reviewed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DEBATE_SIGNING_KEY", "11" * 32)
    issued = debate("receipt", reviewed)
    (tmp_path / "receipt.json").write_text(issued.out, encoding="utf-8")
    good = debate("verify", "receipt.json")
    assert (good.code, good.out.splitlines()[-1]) == (0, "The receipt is genuine.")
    key, other = public_key("11" * 32), public_key("22" * 32)
    (tmp_path / "key.txt").write_text(f"{key}\n", encoding="utf-8")
    (tmp_path / "key.raw").write_bytes(base64.b64decode(key))
    for named, code in ((key, 0), ("key.txt", 0), ("key.raw", 0), (other, 1), ("nowhere.txt", 2)):
        assert debate("verify", "receipt.json", "--key", named).code == code
    verdict = json.loads(issued.out)["attestation"]["mechanism"]["verdicts"][-1]
    for decision, code, words in (
        (verdict["decision"], 0, "message: it is in the receipt"),
        ("approve", 1, "Do not rely on this message."),
    ):
        data = {"debate": reviewed, **verdict, "decision": decision}
        body = json.dumps({"type": "debate.verdict", "data": data})
        (tmp_path / "body.json").write_text(body, encoding="utf-8")
        ran = debate("verify", "receipt.json", "--message", "body.json", "--stored")
        assert (ran.code, words in ran.out) == (code, True), ran.out
    forged = issued.out.replace("request_changes", "approve")
    (tmp_path / "receipt.json").write_text(forged, encoding="utf-8")
    assert debate("verify", "receipt.json").code == 1


def test_the_doctor_lists_everything_although_settings_can_t_be_read(
    debate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBATE_PORT", "abc")
    monkeypatch.setenv("DEBATE_BUDGET", "much")
    monkeypatch.setenv("DEBATE_LOG_LEVEL", "loud")
    monkeypatch.setenv("DEBATE_ENV_FILE", "/nowhere/env")
    ran = debate("doctor")
    assert ran.code == 2
    lines = ran.out.splitlines()
    broken = [(line, lines[n + 1]) for n, line in enumerate(lines) if line.startswith("BROKEN")]
    assert [line.split()[2] for line, _ in broken] == [
        "DEBATE_ENV_FILE", "DEBATE_BUDGET", "DEBATE_PORT", "DEBATE_LOG_LEVEL",
    ]  # fmt: skip
    assert all(step.split()[0] == "->" for _, step in broken), broken
    assert "budgets" in ran.out
    assert ran.err == ""
    assert debate("list").code == 2, "other commands refuse what they can't read"


def test_the_doctor_names_what_is_missing(debate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = debate("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert "off     Slack" in ran.out
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-s3cr3t")
    ran = debate("doctor", "--json")
    slack = next(f for f in ran.document["findings"] if f["part"] == "Slack")
    assert (ran.code, slack["state"]) == (2, "broken")
    assert slack["next"] == "Set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)."
    assert ran.document["environment"]["SLACK_BOT_TOKEN"] is True
    assert "s3cr3t" not in ran.out


HEAVY = (
    "rich", "sqlalchemy", "aiohttp", "litellm", "msgspec", "asyncio", "discord", "slack_bolt",
    "markdown_it", "cryptography",
)  # fmt: skip
MOST_MODULES = 160
"""The modules that help may load, Python's own included, which is its cost without a clock."""


def test_help_costs_nothing() -> None:
    """No heavy import, and few of any kind."""
    program = f"""
import sys
from bot.__main__ import main
code = main(["--help"]) or main(["help", "schedule"])
heavy = ",".join(m for m in {HEAVY!r} if m in sys.modules)
sys.exit(code or heavy or (len(sys.modules) if len(sys.modules) > {MOST_MODULES} else 0))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout


def test_a_template_has_help_and_a_word_that_is_none_has_one_error(debate: Run) -> None:
    for typed in (("code_review", "--help"), ("help", "code_review")):
        ran = debate(*typed)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("code_review (contested, software engineering): Reviews")
        assert "Seats: author, correctness critic, security critic," in ran.out
        assert "  debate code_review https://github.com/OWNER/REPO/pull/7\n" in ran.out
        assert "Options: --rounds N, --models a,b,c" in ran.out
        assert ran.out.endswith("All of them: debate help start\n")
    ran = debate("help", "code_reviw")
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("debate: There is no help on 'code_reviw'.")


def test_a_command_that_serves_nothing_loads_no_server_and_no_mapper(tmp_path: Path) -> None:
    program = """
import sys
from bot.__main__ import main
code = main(["list"])
heavy = (
    "aiohttp.web", "litellm", "openai", "discord", "slack_bolt", "xllamacpp", "sqlalchemy.orm",
    "sqlalchemy.dialects.postgresql",
)
sys.exit(code or ",".join(m for m in heavy if m in sys.modules) or 0)
"""
    env = {"PATH": os.environ["PATH"], "DEBATE_DATABASE_URL": str(tmp_path / "debate.db")}
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, check=False
    )
    assert ran.returncode == 0
    assert ran.stderr.splitlines() == [
        b"No debate is stored here. Start one: debate code_review LINK"
    ]


def test_a_question_of_any_length_is_no_file_name(debate: Run) -> None:
    question = ("Should we " + "really " * 1000)[:4999] + "?"
    ran = debate("panel", question, "--rounds", "1", "--json", "--yes")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["material"]["kind"] == "question"


def test_a_stored_debate_is_played_again_byte_for_byte(debate: Run, reviewed: str) -> None:
    again = debate("replay", reviewed)
    assert (again.code, "came out again, byte for byte" in again.out) == (0, True), again.out
    with closing(sqlite3.connect(default_file())) as store, store:
        store.execute("UPDATE outcome SET document = json_set(document, '$.report', 'as then')")
    other = debate("replay", reviewed)
    assert other.code == 1
    assert "another “report” in the outcome document" in other.out


def test_ctrl_c_while_the_program_is_still_loaded_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("bot.__main__._run", interrupted)
    assert main(["list"]) == 3
    assert capsys.readouterr().err == "debate: Interrupted, and nothing was started.\n"
