"""The folder that a command is typed in may be anybody's repository: its ``.env`` file and its git
configuration run nothing, send nothing away and change nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from adapters.models.weights import PIP
from adapters.processes.environment import child_environment, pip_environment
from bot.env_file import LONGEST
from bot.settings import read
from core.debate.errors import BadInput
from tests.end_to_end.diffs import adding
from tests.end_to_end.shell import Command, aside, environment, process
from tests.project import ROOT
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.openai import openai
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.trust.hostile_folder import git, repository

HOSTILE = """\
LD_PRELOAD=/tmp/evil.so
GIT_CONFIG_COUNT=1
GIT_CONFIG_KEY_0=core.fsmonitor
GIT_CONFIG_VALUE_0=touch fsmonitor
GIT_EXTERNAL_DIFF=touch external;
PYTHONSTARTUP=/tmp/evil.py
HTTPS_PROXY=http://127.0.0.1:9
SSL_CERT_FILE=/tmp/evil.pem
PATH=/tmp/evil
"""


def test_a_shell_command_does_not_obey_the_file_of_the_folder_it_stands_in(
    tmp_path: Path, debate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The addresses it names would get the operator's tokens and prompts."""
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_" + "a" * 36)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    with aside(GitHubStandIn().running()) as theirs, aside(openai()) as evil:
        theirs.pulls["o/r", 1] = Pull(diff=adding("a.py", "x = 1", "x = 2"))
        (tmp_path / ".env").write_text(
            f"{HOSTILE}GITHUB_API_URL={theirs.url}\nOPENAI_API_BASE={evil.base}\n"
            "DEBATE_MODELS=openai/gpt-5\n"
        )
        before = dict(os.environ)
        (tmp_path / "x.diff").write_bytes(adding("a.py", "x = 1", "x = 2"))
        ran = debate("code_review", "x.diff", "--rounds", "1", "--json")
        assert ran.code == 0, ran.err
        assert {seat["model"] for seat in ran.document["seats"]} == {"scripted"}
        debate("doctor")
        assert (theirs.seen, evil.requests) == ([], [])
        assert dict(os.environ) == before
    assert "names DEBATE_MODELS" not in ran.err, "it is set already, so the file changes nothing"
    assert ".env names GITHUB_API_URL, HTTPS_PROXY, OPENAI_API_BASE" in ran.err
    assert "is not read" in ran.err
    assert "LD_PRELOAD" not in ran.err


def test_a_file_that_would_send_the_environment_s_secrets_away_is_left_unread(
    tmp_path: Path,
) -> None:
    with aside(SlackStandIn()) as theirs:
        (tmp_path / ".env").write_text(f"SLACK_API_URL={theirs.url}\n")
        ours = environment(SLACK_BOT_TOKEN=BOT_TOKEN, SLACK_APP_TOKEN=APP_TOKEN)
        ran = process(tmp_path, "doctor", env={**ours, "HTTPS_PROXY": "http://127.0.0.1:1"})
        assert theirs.calls == []
        assert (
            ".env is not read: it names SLACK_API_URL, which would be sent what the environment "
            "keeps (SLACK_APP_TOKEN, SLACK_BOT_TOKEN). If you trust it: "
            "set DEBATE_ENV_FILE=.env" in ran.err
        )
        assert "nothing is taken from" in ran.out
        trusted = process(tmp_path, "doctor", env={**ours, "DEBATE_ENV_FILE": ".env"})
        assert trusted.code == 0, trusted.out
        assert theirs.calls != []


def test_what_looks_after_a_bot_reads_its_file(tmp_path: Path, debate: Command) -> None:
    """The commands are typed as the pages say, right after ``debate init`` wrote the file."""
    keys = f"DEBATE_SIGNING_KEY={'ab' * 32}\nDEBATE_SECRET_KEY={'A' * 43}\n"
    (tmp_path / ".env").write_text(f"{keys}DEBATE_DATABASE_URL=the-bot.db\n")
    added = debate("hooks", "add", "https://ci.acme.example/debates")
    assert (added.code, "Its secret, shown this once" in added.out) == (0, True), added.err
    link = debate("setup", "github", "--app")
    assert (link.code, "/github/app/new?state=" in link.out) == (0, True), link.err
    copied = debate("db", "backup", "copy.db")
    assert (copied.code, (tmp_path / "copy.db").exists()) == (0, True), copied.err
    assert (tmp_path / "the-bot.db").exists()
    assert not (tmp_path / "debate.db").exists()


def test_a_named_file_is_taken_by_its_known_names_alone_and_a_line_says_so(
    tmp_path: Path, debate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEBATE_MODELS")
    named = tmp_path / "mine.env"
    named.write_text(f"{HOSTILE}DEBATE_MODELS=scripted\nGROQ_API_KEY=gsk_there\n")
    monkeypatch.setenv("DEBATE_ENV_FILE", str(named))
    before = dict(os.environ)
    ran = debate("templates", "--json")
    assert ran.code == 0
    assert "mine.env: 4 settings taken; not on my list and left out: GIT_CONFIG_COUNT" in ran.err
    network = {"HTTPS_PROXY": "http://127.0.0.1:9", "SSL_CERT_FILE": "/tmp/evil.pem"}  # noqa: S108
    shared = {**network, **before, "GROQ_API_KEY": "gsk_there"}
    assert dict(os.environ) == shared, "keys, proxies and certificates, and nothing else"
    assert json.loads(ran.out)


def test_serve_reads_its_folder_s_file_and_says_so(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"{HOSTILE}DEBATE_PORT=none\n")
    ran = process(tmp_path, "serve", env=environment())
    assert ran.code == 2
    assert "3 settings taken; not on my list and left out:" in ran.err
    assert "DEBATE_PORT is no port" in ran.err


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("gone.env", None, "DEBATE_ENV_FILE names {path}, which is not there."),
        ("wrong.env", b"A=\xff\n", "{path} cannot be read: it is not UTF-8 text."),
        ("long.env", b"A=1\n" * LONGEST, "{path} cannot be read: it is larger than 100000 bytes."),
        ("pipe.env", "pipe", "{path} cannot be read: it is no regular file."),
    ],
)
def test_a_named_file_that_cannot_be_read_stops_the_command(
    tmp_path: Path, name: str, text: bytes | str | None, reason: str
) -> None:
    path = tmp_path / name
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text == "pipe":
        os.mkfifo(path)
    with pytest.raises(BadInput) as wrong:
        read({"DEBATE_ENV_FILE": str(path)}, tmp_path)
    assert str(wrong.value).startswith(reason.format(path=path))


def test_git_runs_nothing_that_a_repository_or_the_environment_names(
    tmp_path: Path, debate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository that came in an archive brings its own configuration, hooks and filters."""
    repository(tmp_path)
    git(tmp_path, "commit", "-qam", "a second change")
    (tmp_path / "a.py").write_text("one\n2\n")
    traps = tmp_path / "traps"
    traps.mkdir()

    def trap(name: str) -> str:
        script = traps / name
        script.write_text(f"#!/bin/sh\ntouch {traps}/{name}.sprung\ncat\n")
        script.chmod(0o755)
        return str(script)

    (tmp_path / ".gitattributes").write_text("*.py filter=mine diff=mine\n")
    config = tmp_path / ".git" / "config"
    config.write_text(
        f"""{config.read_text()}
[filter "mine"]
    clean = {trap("clean")}
    smudge = {trap("smudge")}
    required = true
[diff "mine"]
    textconv = {trap("textconv")}
    command = {trap("command")}
[diff]
    external = {trap("external")}
[core]
    fsmonitor = {trap("fsmonitor")}
    hooksPath = {traps}
    pager = {trap("pager")}
[log]
    showSignature = true
[gpg]
    program = {trap("gpg")}
"""
    )
    trap("post-index-change")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", trap("outer"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", trap("inner"))
    for span in ("git:HEAD", "git:HEAD~1..HEAD"):
        ran = debate("code_review", span, "--rounds", "1", "--json")
        assert ran.code == 0, ran.err
    assert [path.name for path in traps.glob("*.sprung")] == []


def test_child_processes_get_an_environment_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {
        "GITHUB_TOKEN": "t", "OPENAI_API_KEY": "k", "LD_PRELOAD": "x", "GIT_DIR": "/x",
        "PYTHONPATH": "/x", "HTTPS_PROXY": "http://p", "DEBATE_SECRET_KEY": "s",
    }  # fmt: skip
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    assert not ours.keys() & child_environment().keys()
    assert child_environment()["PATH"] == os.environ["PATH"]
    assert pip_environment().keys() & {*ours, "PIP_INDEX_URL"} == {"HTTPS_PROXY", "PIP_INDEX_URL"}
    assert "-I" in PIP, "a folder called pip in the working folder is not pip"


IMPORTING = """
import os, sys
from adapters.models.protocols import litellm

class Stopped(Exception):
    pass

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("litellm."):
            print(sys.modules["litellm"].__file__, os.environ.get("OPENAI_API_BASE"))
            raise Stopped

sys.meta_path.insert(0, Stop())
try:
    litellm.library()
except Stopped:
    pass
"""


def test_litellm_obeys_no_file_above_its_own_folder(tmp_path: Path) -> None:
    """A virtual environment often lies inside the repository that is worked on. The file is read
    before litellm imports anything of its own, which takes seconds and is stopped here.
    """
    (tmp_path / ".env").write_text("OPENAI_API_BASE=http://127.0.0.1:9\n")
    packages = tmp_path / "venv" / "packages"
    packages.mkdir(parents=True)
    spec = find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    (packages / "litellm").symlink_to(Path(spec.origin).parent)
    inherited = {name: value for name, value in os.environ.items() if name != "LITELLM_MODE"}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING],
        cwd=tmp_path,
        env={**inherited, "PYTHONPATH": f"{packages}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    where, base = done.stdout.split()
    assert where == str(packages / "litellm" / "__init__.py")
    assert base == "None"
