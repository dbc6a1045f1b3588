"""A call that can't be done is refused in a sentence with the next step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adapters.mcp import instructions
from tests.bot.mcp.talking import here, refused

LONG = "This is long enough."
WRONG: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("challenge", {"debate": "zzzz", "text": "no"}, ("text",)),
    ("challenge", {"debate": "zzzz", "text": "x" * 5000}, ("text",)),
    ("challenge", {"debate": "zzzz", "text": LONG, "finding": "x" * 400}, ("finding",)),
    ("challenge", {}, ("debate", "text")),
    ("wait_debate", {"debate": "zz"}, ("debate",)),
    ("wait_debate", {"debate": "zzzz", "after_event": "later"}, ("after_event",)),
    ("wait_debate", {"debate": "zzzz", "max_wait_s": 500}, ("max_wait_s",)),
    ("get_verdict", {"debate": None}, ("debate",)),
    ("start_debate", {"budget_usd": 1}, ("target",)),
    ("start_debate", {"target": "x" * 1_000_001, "budget_usd": 1}, ("target",)),
    ("start_debate", {"target": LONG, "budget_usd": 0}, ("budget_usd",)),
    ("start_debate", {"target": LONG, "budget_usd": 1, "template": "x" * 200}, ("template",)),
    ("list_debates", {"target": 7}, ("target",)),
]
UNKNOWN = "There is no debate 'zzzz' here: list_debates shows those there are."


async def require_plain(client: Any) -> None:
    for tool, arguments, wrong in WRONG:
        expected = " ".join(instructions.ARGUMENTS[name] for name in wrong)
        assert await refused(client, tool, **arguments) == expected
    for tool in ("wait_debate", "get_verdict", "stop_debate"):
        assert await refused(client, tool, debate="zzzz") == UNKNOWN
    assert await refused(client, "challenge", debate="zzzz", text=LONG) == UNKNOWN
    assert await refused(client, "start", target=LONG) == instructions.NO_SUCH_TOOL
    misspelt = {"target": LONG, "template": "triads", "budget_usd": 1}
    sentence = await refused(client, "start_debate", **misspelt)
    assert sentence == "No template is called 'triads'; did you mean triad?"


async def test_a_shell_refuses_in_plain_words_and_every_argument_has_its_sentence(
    tmp_path: Path,
) -> None:
    async with here(tmp_path, "2026-07-28") as (client, _):
        await require_plain(client)
        tools = (await client.list_tools()).tools
        names = {name for tool in tools for name in tool.input_schema["properties"]}
        assert names == set(instructions.ARGUMENTS)
