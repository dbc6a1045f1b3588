"""A review as it is held where nobody says how: typed in a shell, spoken by models behind a socket,
from its price to its verdict.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.bot.debates.provider import Provider, prompt_of
from tests.core.examined import CODE, GUARD, a_finding, opens
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Played, typed
from tests.standins.openai import openai

POSITIONS = {"agree": "refute", "keep": "uphold", "concede": "justify"}


def task_of(body: dict[str, Any]) -> str:
    wanted = body["response_format"]["json_schema"]["schema"]["properties"]
    if "findings" in wanted:
        return "open"
    return POSITIONS[wanted["answers"]["items"]["properties"]["position"]["enum"][0]]


def speaking(refute: dict[str, Any], uphold: dict[str, Any]) -> Any:
    """Returns models of which the security critic alone finds something."""

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        task = task_of(body)
        if task == "open":
            opening = a_finding() if "\nSecurity critic:" in prompt_of(body) else None
            return opens("request_changes", opening) if opening else opens("approve")
        (id,) = set(re.findall(r"^\| (\S+) app/db\.py:\d+ ", prompt_of(body), re.MULTILINE))
        answer = {"refute": refute, "uphold": uphold}.get(
            task, {"position": "concede", "because": "it is right"}
        )
        return {"answers": [{"to": id, **answer}]}

    return reply


async def reviewed(folder: Path, reply: Any) -> tuple[Played, list[str]]:
    """Plays a review and returns it with the requests that reached the provider."""
    change = folder / "x.diff"
    change.write_bytes(adding("app/db.py", *CODE, start=10))
    async with openai(provider := Provider(reply)):
        env = {
            "DEBATE_MODELS": "openai/gpt-4.1,openai/gpt-4.1-mini",
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
            "OPENAI_API_BASE": provider.base,
        }
        played = await typed(folder, None, "code_review", str(change), "--yes", "--check", env=env)
    return played, [task_of(body) for body in provider.requests]


GUARDED = {"position": "dispute", "input": "", **GUARD}
REACHED = {"position": "agree", "input": "name='x'", "path": "", "line": 0, "quote": ""}


@pytest.mark.parametrize(
    ("refute", "uphold", "questions", "decision", "code"),
    [
        (REACHED, {}, ["refute", "justify"], "request_changes", 1),
        (GUARDED, {"position": "withdraw", "input": ""}, ["refute", "uphold"], "approve", 0),
        (GUARDED, {"position": "keep", "input": "name='x'"}, ["refute", "uphold"], "comment", 0),
        ({**GUARDED, "quote": "if safe(name):"}, {}, ["refute", "justify"], "request_changes", 1),
    ],
)
async def test_what_one_alone_found_is_decided_by_what_stands_in_the_code(
    tmp_path: Path,
    refute: dict[str, Any],
    uphold: dict[str, Any],
    questions: list[str],
    decision: str,
    code: int,
) -> None:
    played, tasks = await reviewed(tmp_path, speaking(refute, uphold))
    assert tasks == ["open"] * 3 + questions
    assert (played.outcome["format"], played.decision) == ("cross_examination", decision)
    assert played.code == code
    assert played.outcome["cost"]["calls"] == len(tasks)
    assert "about 6 calls, at most 14" in played.out
