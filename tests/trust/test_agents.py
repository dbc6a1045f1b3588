"""Coding agents in seats: only in a person's own debates in a shell, and confined when they run."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.models import Vendors, agents
from adapters.models.agents import CodingAgent
from adapters.models.agents.programs import AGENTS
from bot.shell.playing.demo import CHANGE
from core.debate.errors import BadInput, ModelError, ModelFailure
from core.debate.ports import CallOptions, Message
from storage.database.files import default_file
from storage.database.lock import RunnerLock
from tests.project import ROOT
from tests.standins.agents import AgentStandIn, claude, codex, gemini, install
from tests.standins.discord_world import until
from tests.trust.conftest import Command
from tools.hygiene import tracked_files

PROMPT = (Message("system", "You review."), Message("user", "Is `x` right?\n$(touch /tmp/x)"))
OWN = {"claude": "ANTHROPIC_API_KEY", "codex": "CODEX_API_KEY", "gemini": "GEMINI_API_KEY"}
SECRETS = {
    "GITHUB_TOKEN": "ghp_x", "SLACK_BOT_TOKEN": "xoxb-x", "DEBATE_SIGNING_KEY": "k" * 44,
    "NODE_OPTIONS": "--require /tmp/evil.js", "MISTRAL_API_KEY": "m",
    **{each: each for each in OWN.values()},
}  # fmt: skip
KEPT = {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "NO_COLOR", "PATH", "TMPDIR", "TZ", "USER"}
WAY = {"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, AgentStandIn]:
    there = {name: install(tmp_path / "bin", name) for name in OWN}
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    return there


def _agent(name: str) -> CodingAgent:
    return CodingAgent(f"cli:{name}", os.environ)


async def _answer(name: str, timeout: float = 90.0) -> str:
    return (await _agent(name).reply(PROMPT, CallOptions(timeout=timeout))).text


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("claude", ("--print", "--tools=", "--strict-mcp-config", "--setting-sources=")),
        ("codex", ("exec", "--sandbox=read-only", "--ignore-user-config", "--ephemeral", "-")),
        ("gemini", ("--extensions=none", "--allowed-mcp-server-names=none")),
    ],
)
async def test_an_agent_runs_without_tools_in_an_empty_folder_with_a_named_environment(
    programs: dict[str, AgentStandIn], name: str, flags: Sequence[str]
) -> None:
    programs[name].says("It is.")
    reply = await _agent(name).reply(PROMPT, CallOptions())
    (run,) = programs[name].runs
    assert (reply.text, run["files"], _exists(run["folder"])) == ("It is.", [], False)
    assert run["beside"] == ["empty", "policy.toml"], "its policy is next to it"
    assert run["prompt"] == "You review.\n\nIs `x` right?\n$(touch /tmp/x)"
    assert not any("Is `x`" in one for one in run["arguments"]), "no process list shows it"
    assert set(flags) <= set(run["arguments"])
    assert not any("dangerous" in one or "yolo" in one for one in run["arguments"])
    more = {one for one in run["environment"] if one.upper() not in KEPT | WAY}
    assert more - {"XDG_CACHE_HOME"} == {OWN[name]}
    usage = reply.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens, usage.calls) == (
        150 if name == "claude" else 100, 40, 20, 1,
    )  # fmt: skip
    assert usage.usd == (0.0123 if name == "claude" else None), "never free"


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("claude", claude("ok", num_turns=2)),
        ("claude", claude("ok", permission_denials=[{"tool_name": "Bash"}])),
        ("codex", codex("ok", {"type": "command_execution", "command": "ls"})),
        ("codex", codex("ok", {"type": "mcp_tool_call", "tool": "x"})),
        ("gemini", gemini("ok", stats={"tools": {"totalCalls": 1}})),
    ],
)
async def test_an_answer_after_the_use_of_a_tool_is_none(
    programs: dict[str, AgentStandIn], name: str, printed: str
) -> None:
    programs[name].plans(printed=printed)
    with pytest.raises(ModelError, match=r"it used .*, which it may not") as refused:
        await _answer(name)
    assert refused.value.usage is not None, "it is paid for all the same"


async def test_an_agent_ends_with_all_that_it_started(
    programs: dict[str, AgentStandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents, "LONGEST_RUN", 0.0)
    programs["claude"].plans(children=True, sleeps=600)
    task = asyncio.create_task(_answer("claude", timeout=600.0))
    await until(lambda: len(programs["claude"].runs) == 1)
    (run,) = programs["claude"].runs
    assert run["group"] == run["pid"], "it leads its own group"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not any(_lives(pid) for pid in (run["pid"], *run["children"])))
    assert not _exists(run["folder"])


def _exists(folder: str) -> bool:
    return Path(folder).exists()


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_time_and_output_are_bounded(
    programs: dict[str, AgentStandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents, "LONGEST_RUN", 0.0)
    programs["claude"].plans(sleeps=600)
    with pytest.raises(ModelError, match="no answer within"):
        await _answer("claude", timeout=0.5)
    programs["claude"].plans(printed="x" * 100_000, times=50, sleeps=600, errors="y" * 500_000)
    with pytest.raises(ModelError, match="it printed more than 4 MB"):
        await _answer("claude", timeout=60.0)


@pytest.mark.parametrize(
    ("name", "plan", "kind", "words"),
    [
        ("claude", {"printed": claude("Please run /login", is_error=True)}, ModelFailure.BAD_KEY,
         "log in: run claude in a shell"),
        ("claude", {"printed": claude("Usage limit reached", is_error=True)},
         ModelFailure.NO_CREDIT, "wait until it is free again"),
        ("codex", {"errors": "error: unexpected argument '--x'\n", "code": 2},
         ModelFailure.PROVIDER_DOWN, "unexpected argument"),
        ("codex", {"printed": '{"type": "turn.failed", "error": {"message": "Not logged in"}}\n'},
         ModelFailure.BAD_KEY, "log in: run codex"),
        ("gemini", {"printed": '{"error": {"message": "Quota exceeded"}}', "code": 1},
         ModelFailure.NO_CREDIT, "Quota exceeded"),
        ("gemini", {"printed": gemini("")}, ModelFailure.PROVIDER_DOWN, "the answer is empty"),
        ("gemini", {"printed": "[]", "code": 1}, ModelFailure.PROVIDER_DOWN, "ended with code 1"),
    ],
)  # fmt: skip
async def test_a_run_without_an_answer_names_its_cause(
    programs: dict[str, AgentStandIn], name: str, plan: dict[str, object], kind: str, words: str
) -> None:
    programs[name].plans(**plan)
    with pytest.raises(ModelError) as failed:
        await _answer(name)
    assert failed.value.kind == kind
    assert words in str(failed.value)


def test_every_place_but_a_shell_s_own_debates_refuses_it(
    debate: Command, programs: dict[str, AgentStandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="only in a person's own debates in a shell, never in a bot"):
        Vendors(env=os.environ).get("cli:claude")
    schedule = ("schedule", "add", "every monday 9:00", "code_review", "github:o/r")
    monkeypatch.setenv("DEBATE_MODELS", "cli:claude,scripted")
    for typed in (("serve",), ("mcp",), (*schedule, "--models", "cli:claude")):
        ran = debate(*typed)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), typed
        assert "cli:claude: a coding agent has a seat only in a person's own" in ran.err
    assert programs["claude"].runs == []


def test_nothing_else_lets_an_agent_in() -> None:
    switch = re.compile(r"\bagents=(?!False)")
    sources = [path for path in tracked_files(ROOT) if path.endswith(".py")]
    shipped = [path for path in sources if path.startswith(("adapters/", "bot/"))]
    lets = {path for path in shipped if switch.search((ROOT / path).read_text("utf-8"))}
    assert lets == {"bot/shell/cli.py", "bot/doctor/models.py"}


def test_a_database_that_a_bot_plays_has_no_seat_for_it(
    debate: Command, programs: dict[str, AgentStandIn], tmp_path: Path
) -> None:
    (tmp_path / "x.diff").write_bytes(CHANGE.read_bytes())
    debate("list")  # which makes the database
    programs["claude"].says("{}")
    with RunnerLock(default_file()):
        ran = debate("code_review", "x.diff", "--yes", "--models", "cli:claude")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "a bot may play those of this database. Name another: DEBATE_DATABASE_URL=" in ran.err
    assert programs["claude"].runs == []


def test_a_missing_or_old_program_is_one_line_before_anything(
    debate: Command, programs: dict[str, AgentStandIn], tmp_path: Path
) -> None:
    (tmp_path / "x.diff").write_bytes(CHANGE.read_bytes())
    (programs["codex"].folder / "codex").unlink()
    programs["claude"].plans(version="1.0.3 (Claude Code)")
    programs["gemini"].plans(version="", version_code=1)
    for name, words in (
        ("cli:codex", "cli:codex needs the program codex (Codex), which was not found. Install it"),
        ("cli:claude", "cli:claude: claude 1.0.3 cannot run without its tools. Update it to 2.1.0"),
        ("cli:gemini", "cli:gemini: `gemini --version` does not answer."),
        ("cli:cat", "No coding agent is called 'cli:cat': cli:claude, cli:codex, cli:gemini."),
    ):
        ran = debate("code_review", "x.diff", "--yes", "--models", name)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), name
        assert words in ran.err
    assert debate("list").out == "", "nothing was opened"


def test_a_debate_with_an_agent_in_every_seat_goes_on_when_they_are_gone(
    debate: Command, programs: dict[str, AgentStandIn], tmp_path: Path
) -> None:
    (tmp_path / "x.diff").write_bytes(CHANGE.read_bytes())
    reply = {"text": "Nothing is wrong.", "stance": "approve", "confidence": 0.9, "findings": []}
    for name in OWN:
        programs[name].says(json.dumps(reply))
    review = ("code_review", "x.diff", "--rounds", "1", "--yes")
    ran = debate(*review, "--models", ",".join(AGENTS), "--json")
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert {seat["model"] for seat in document["seats"]} & set(AGENTS)
    assert document["cost"]["unpriced"] > 0
    assert "free" not in ran.err
    report = debate("show", document["id"]).out
    assert "of unknown price" in report or "price unknown" in report
    for name in OWN:
        (programs[name].folder / name).unlink()
    objected = debate("challenge", document["id"], "--yes", "The caller holds the lock.")
    assert "Unexpected" not in objected.err
    assert re.search(r"cli:(\w+) needs the program \1", objected.out + objected.err)


def test_the_doctor_shows_each_agent(
    debate: Command, programs: dict[str, AgentStandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs["codex"].plans(version="codex-cli 0.9.1")
    monkeypatch.setenv("DEBATE_MODELS", "cli:claude,cli:codex")
    report = debate("doctor").out
    assert f"cli:claude: {programs['claude'].folder / 'claude'} 9.9.9; reports its price" in report
    assert "Only in a shell: debate serve refuses it." in report
    assert "codex 0.9.1 cannot run without its tools" in report
