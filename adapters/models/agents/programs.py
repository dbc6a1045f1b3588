"""The programs of coding agents: how each is run without its tools, and how what it prints is read.

No test runs such a program: the flags and the form of the output come from the vendors' pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.models.exchange import usage_at, usd_at
from adapters.text.documents import read_object
from core.debate.usage import Usage

PREFIX = "cli:"
TASK = "Answer the text that you are given. You have no tools and no files: answer in text only."
POLICY = "policy.toml"
NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
"""Gemini's policy without any tool, for a file of that name next to the agent's folder."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a run says of itself: the answer, an error instead, and tools that it used."""

    text: str
    usage: Usage
    id: str = ""
    error: str = ""
    used: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent's program: the oldest version whose tools can be turned off, its variables, its
    arguments (given the folder next to its own), and the reader of what it prints.
    """

    program: str
    title: str
    maker: str
    least: tuple[int, int, int]
    variables: tuple[str, ...]
    arguments: Callable[[Path], tuple[str, ...]]
    read: Callable[[str], Answered]


def _claude(_: Path) -> tuple[str, ...]:
    return (
        "--print",
        "--output-format=json",
        "--tools=",
        "--strict-mcp-config",
        "--setting-sources=",
        "--disable-slash-commands",
        "--no-session-persistence",
        f"--system-prompt={TASK}",
    )


def _codex(_: Path) -> tuple[str, ...]:
    off = ("apps", "plugins", "shell_tool", "unified_exec")
    return (
        "exec",
        "--json",
        "--sandbox=read-only",
        "--skip-git-repo-check",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        *(part for name in off for part in ("--config", f"features.{name}=false")),
        "--config",
        'web_search="disabled"',
        "--config",
        "project_doc_max_bytes=0",
        "-",
    )


def _gemini(beside: Path) -> tuple[str, ...]:
    return (
        "--output-format=json",
        "--approval-mode=default",
        "--extensions=none",
        "--allowed-mcp-server-names=none",
        f"--policy={beside / POLICY}",
        f"--prompt={TASK}",
    )


def _of_claude(printed: str) -> Answered:
    made = read_object(printed)
    usage = _members(made.get("usage"))
    read, cached, new = (
        int(usage_at(usage, (name,)))
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    return Answered(
        _text(made.get("result")),
        Usage(
            read + cached + new,
            cached,
            int(usage_at(usage, ("output_tokens",))),
            usd_at(made, ("total_cost_usd",)),
        ),
        _text(made.get("session_id")),
        _text(made.get("result")) or "it reports an error" if made.get("is_error") else "",
        "a tool" if made.get("permission_denials") or usage_at(made, ("num_turns",)) > 1 else "",
    )


def _of_codex(printed: str) -> Answered:
    text, used, error, id, usage = "", "", "", "", Usage(usd=None)
    for line in filter(str.strip, printed.splitlines()):
        event = read_object(line)
        item = event.get("item")
        match event.get("type"):
            case "thread.started":
                id = _text(event.get("thread_id"))
            case "item.completed" if isinstance(item, dict):
                match item.get("type"):
                    case "agent_message":
                        text = _text(item.get("text"))
                    case "reasoning" | "error" | "todo_list":
                        pass
                    case kind:
                        used = _text(kind).replace("_", " ") or "a tool"
            case "turn.completed":
                counts = _members(event.get("usage"))
                usage = Usage(
                    int(usage_at(counts, ("input_tokens",))),
                    int(usage_at(counts, ("cached_input_tokens",))),
                    int(usage_at(counts, ("output_tokens",))),
                    None,
                )
            case "turn.failed" | "error":
                failed = _members(event.get("error")).get("message")
                error = _text(failed or event.get("message")) or "it reports an error"
            case _:
                pass
    return Answered(text, usage, id, "" if text else error, used)


def _of_gemini(printed: str) -> Answered:
    made = read_object(printed)
    stats, error = _members(made.get("stats")), made.get("error")
    models = [_members(one) for one in _members(stats.get("models")).values()]

    def total(*names: str) -> int:
        return sum(int(usage_at(one, ("tokens", name))) for one in models for name in names)

    failed = _members(error).get("message") or error
    tools = usage_at(stats, ("tools", "totalCalls"))
    return Answered(
        _text(made.get("response")),
        Usage(total("prompt"), total("cached"), total("candidates", "thoughts"), None),
        _text(made.get("session_id")),
        _text(failed) or "it reports an error" if error else "",
        "a tool" if tools else "",
    )


AGENTS: Mapping[str, Agent] = {
    f"{PREFIX}{agent.program}": agent
    for agent in (
        Agent(
            "claude",
            "Claude Code",
            "claude-sonnet-4-5",
            (2, 1, 0),
            (
                "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL",
                "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
            ),
            _claude,
            _of_claude,
        ),
        Agent(
            "codex",
            "Codex",
            "gpt-5",
            (0, 145, 0),
            ("CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
            _codex,
            _of_codex,
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            "gemini-2.5-pro",
            (0, 40, 0),
            (
                "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS",
                "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_PROJECT", "GOOGLE_GENAI_USE_VERTEXAI",
            ),
            _gemini,
            _of_gemini,
        ),
    )
}  # fmt: skip


def _members(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ""
