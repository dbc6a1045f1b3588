"""Computes what example 01 costs with stand-ins of the models of autumn 2026: Claude 5, thinking
700 and 2,500 tokens before each answer, and GPT-5.6 with cache marks and without: ``python -m
tools.bench.todays``.

Tokens are four characters, and every answer is 800 characters of words with short other fields.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from adapters.terminal.terminal import Style, Terminal
from bot import settings
from bot.shell import cli
from bot.shell.playing.run import Shell
from bot.wire.parts import open_parts
from core.application.commands import Start, parse
from core.application.commands.help import SHELL_ONLY
from core.words.outcome import outcome
from tests.end_to_end.shell import EXAMPLE
from tests.standins.thinking import Body, Thinking, thinking

KEY = "sk-bench-0123456789abcdef"
TODAY: Sequence[tuple[str, str, int, bool]] = (
    ("Claude Sonnet 5, 700 tokens of thinking", "anthropic/claude-sonnet-5", 700, True),
    ("Claude Sonnet 5, 2,500 tokens of thinking", "anthropic/claude-sonnet-5", 2500, True),
    ("Claude Opus 5.5, 700 tokens of thinking", "anthropic/claude-opus-5-5", 700, True),
    ("Claude Opus 5.5, 2,500 tokens of thinking", "anthropic/claude-opus-5-5", 2500, True),
    ("GPT-5.6, cache marks", "openai/gpt-5.6", 300, True),
    ("GPT-5.6, no cache marks", "openai/gpt-5.6", 300, False),
)


def _refuse_marks(body: Body) -> web.Response | None:
    """Refuses cache marks, as a gateway that does not know them."""
    if "prompt_cache_options" not in body and "prompt_cache_breakpoint" not in str(body):
        return None
    error = {"message": "Unknown parameter: 'prompt_cache_options'.", "code": "unknown_parameter"}
    return web.json_response({"error": error}, status=400)


async def review(model: str, thinks: int, change: Path, *, marks: bool) -> str:
    """Plays one review and describes its cost and its end."""
    state = Thinking(thinks)
    if not marks:
        state.refuse = _refuse_marks
    with tempfile.TemporaryDirectory() as folder:
        async with thinking(state):
            env = {
                "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": state.base,
                "OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{state.base}/v1",
                "DEBATE_MODELS": model, "DEBATE_DATABASE_URL": str(Path(folder) / "debate.db"),
            }  # fmt: skip
            read = settings.read(env, Path(folder))
            async with open_parts(read, shell=True) as parts:  # noqa: S604  no shell is started
                terminal = Terminal(io.StringIO(), style=Style.PLAIN, width=100)
                words = ["code_review", str(change), "--yes", "--debate-anyway"]
                start = parse(
                    words,
                    templates=cli.template_names(parts.settings),
                    prefix="debate",
                    also=SHELL_ONLY,
                )
                if not isinstance(start, Start):
                    raise RuntimeError(f"{start} starts no debate")
                await Shell(parts, terminal, "shell:bench").start(start)
                (line,) = await parts.stores.debates.find_recent()
                document = outcome(await parts.service.load(line.id))
    cost, verdict = document["cost"], document["verdict"]
    return (
        f"${cost['usd']:.4f}, {cost['calls']} calls, {cost['prompt_tokens']:,} read "
        f"({cost['cached_tokens']:,} cached), {cost['completion_tokens']:,} written, "
        f"{state.cut} cut, verdict {'reached' if verdict['reached'] else 'not reached'}"
    )


def _large(folder: Path) -> Path:
    """Writes a change of 85 kB."""
    lines = [f"+value_{n} = compute_the_total({n}, rate={n % 7})" for n in range(1750)]
    head = ["diff --git a/a.py b/a.py", "--- a/a.py", "+++ b/a.py", f"@@ -0,0 +1,{len(lines)} @@"]
    path = folder / "large.diff"
    path.write_text("\n".join([*head, *lines, ""]))
    return path


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        large = _large(Path(folder))
        for name, model, thinks, marks in TODAY:
            print(f"{'example 01':<12} {name:<44}", end="", flush=True)
            print(await review(model, thinks, EXAMPLE, marks=marks), flush=True)
        for name, model, thinks, marks in TODAY[-2:]:
            print(f"{'85 kB diff':<12} {name:<44}", end="", flush=True)
            print(await review(model, thinks, large, marks=marks), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
