"""No command prints a character that a terminal obeys: not from a receipt, a stored debate, a file
name, an error of a provider or a log.
"""

from __future__ import annotations

import ast
import json
import logging
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.terminal.printing import document
from bot.logs import to_stderr
from core.application.commands.help import SHELL_ONLY, TOPICS
from core.application.commands.row import commands
from tests.end_to_end.shell import Ran
from tests.project import ROOT
from tests.trust.conftest import Command
from tests.trust.hostile_folder import git

EVIL = "\x1b[2J\x1b[32m\x9b1A\u202eok\x1b]0;pwned\x07\r\x08\u2028"
SHOWN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def nothing_obeyed(ran: Ran) -> None:
    assert not SHOWN.search(ran.out), ran.out
    assert not SHOWN.search(ran.err), ran.err


def test_a_hostile_receipt_cannot_say_that_it_is_genuine(tmp_path: Path, debate: Command) -> None:
    lines = f"x{EVIL}\nok      signature\nThe receipt is genuine."
    receipt = {lines: 1, "chain": {lines: lines}, "version": lines, "signature": {"key": lines}}
    (tmp_path / "r.json").write_text(json.dumps(receipt))
    ran = debate("verify", "r.json", "--key", "A" * 43 + "=")
    assert ran.code == 1
    nothing_obeyed(ran)
    assert "The receipt is genuine." not in ran.out.splitlines()
    assert ran.out.splitlines()[-1] == "Do not rely on this receipt."
    assert all(x.startswith(("ok", "FAILED", "Do not")) for x in ran.out.splitlines())


def test_a_shell_takes_no_receipt_that_says_a_thing_twice(
    tmp_path: Path, debate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A genuine one, and before its claim another."""
    monkeypatch.setenv("DEBATE_SIGNING_KEY", "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=")
    assert debate("panel", "Which?").code == 0
    (id,) = [one["id"] for one in debate("list", "--json").document]
    genuine = debate("receipt", id).out
    (tmp_path / "r.json").write_text(genuine)
    assert debate("verify", "r.json").code == 0
    (tmp_path / "r.json").write_text('{"claim": {"verdict": "approve"},' + genuine.strip()[1:])
    ran = debate("verify", "r.json")
    assert ran.code == 2
    assert "genuine" not in ran.out
    assert 'it says "claim" twice' in ran.err


@given(st.recursive(st.text(), lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(), x)))
def test_a_document_says_the_same_in_characters_that_one_can_see(value: object) -> None:
    printed = document(value)
    assert json.loads(printed) == json.loads(json.dumps(value))
    assert not SHOWN.search(printed)


def test_logs_hold_no_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    to_stderr("info", ())
    logging.getLogger("x").error("it said %s", EVIL)
    errors = capsys.readouterr().err
    assert "it said" in errors
    assert not SHOWN.search(errors)


def test_nothing_is_printed_past_the_one_place_that_escapes() -> None:
    """`print` with more than our own words stands nowhere in what a shell runs."""
    files = [
        f for name in ("bot", "adapters", "storage", "core") for f in (ROOT / name).rglob("*.py")
    ]
    printing = {path.relative_to(ROOT).as_posix() for path in files if _prints(path)}
    assert printing <= {
        "bot/__main__.py",
        "adapters/terminal/printing.py",
        "bot/shell/playing/run.py",
    }


def _prints(path: Path) -> bool:
    source = path.read_text("utf-8")
    nodes = ast.walk(ast.parse(source)) if re.search(r"\bprint\s*\(", source) else ()
    return any(isinstance(n, ast.Call) and getattr(n.func, "id", "") == "print" for n in nodes)


OSC = "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07\x9d0;x\x9c\x7f\udcff\u2067\u200b\x85"


def every_command() -> tuple[str, ...]:
    """Returns all commands of a shell, from its own tables."""
    return (*commands(), *SHELL_ONLY)


def test_no_command_of_the_table_prints_what_it_was_given_unseen(
    tmp_path: Path, debate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command with hostile words, names of files and settings, in a hostile repository."""
    own = tmp_path / "own"
    own.mkdir()
    words = json.dumps(f"x {EVIL} {OSC}".encode("utf-8", "replace").decode())
    (own / "evil.toml").write_text(f"id = 'evil'\nname = {words}\ndescription = {words}\n", "utf-8")
    monkeypatch.setenv("DEBATE_TEMPLATES_DIR", str(own))
    given = ((), (OSC,), (f"--{OSC}", EVIL), ("list", f"a{EVIL}"), ("add", OSC, EVIL))
    for name in every_command():
        adds = any(example.startswith(f"{name} add ") for example in TOPICS[name].examples)
        for typed in given if adds else given[:-1]:
            if not typed and name in ("serve", "mcp", "init", "open", "demo"):
                continue  # they stay, ask, or play what is ours
            ran = debate(name, *typed)
            assert not SHOWN.search(ran.out + ran.err), (name, typed, ran.out, ran.err)
            assert "Traceback" not in ran.err


SETTINGS = (
    *("DEBATE_MODELS", "DEBATE_BUDGET", "DEBATE_LIMITS", "DEBATE_KEEP", "DEBATE_LOG_LEVEL"),
    *("DEBATE_TEMPLATES_DIR", "DEBATE_MODELS_FILE", "DEBATE_PUBLIC_URL"),
    *("DEBATE_DATABASE_URL", "DEBATE_SIGNING_KEY"),
)


def test_no_setting_is_printed_unseen(debate: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in SETTINGS:
        with monkeypatch.context() as one:
            one.setenv(setting, f"a{OSC}{EVIL}".replace("\0", ""))
            for typed in (("panel", "Which?", "--rounds", "1"), ("doctor",), ("list",)):
                ran = debate(*typed)
                text = ran.out + ran.err
                assert not SHOWN.search(text), (setting, typed, text)


def test_what_git_says_is_printed_seen(
    tmp_path: Path, debate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a change, and in every command that shows something of its debate."""
    monkeypatch.setenv("DEBATE_SIGNING_KEY", "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=")

    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    (tmp_path / "a\x1b[2J\u202e.py").write_text(f"x = 1  # {EVIL}\n", "utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", f"second {EVIL} {OSC.encode('utf-8', 'replace').decode()}")
    ran = debate("code_review", "git:HEAD~1...HEAD", "--rounds", "1")
    assert ran.code == 0, ran.err
    assert not SHOWN.search(ran.out + ran.err)
    for range in (f"git:{EVIL}", f"git:HEAD...{OSC}", f"git:--output={EVIL}"):
        ran = debate("code_review", range)
        assert ran.code == 2
        assert not SHOWN.search(ran.out + ran.err)
    (id,) = [one["id"] for one in debate("list", "--json").document]
    for typed in (*(("export", id, form) for form in ("md", "html", "json")), ("show", id)):
        ran = debate(*typed)
        assert (ran.code, "u202e" in ran.out) == (0, True), typed
        assert not SHOWN.search(ran.out + ran.err), typed
    for typed in (
        ("list",), ("list", "--json"), ("status", "--json"), ("show", id, "--json"),
        ("receipt", id), ("challenge", id, f"why{EVIL}"), ("vote", id, f"x{EVIL}"),
        ("fork", id, "--assume", EVIL), ("mirror", id, f"slack:{EVIL}"), ("leaderboard",),
    ):  # fmt: skip
        ran = debate(*typed)
        assert not SHOWN.search(ran.out + ran.err), typed
