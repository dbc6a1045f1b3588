"""A review as it is held where nobody says how: typed in a shell, spoken by models behind a socket,
from its price to its verdict.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.bot.debates.provider import Provider, prompt_of
from tests.core.argued import CODE, GUARD, a_finding, opens
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Played, typed
from tests.standins.openai import TWO_MODELS, openai


def task_of(body: dict[str, Any]) -> str:
    wanted = body["response_format"]["json_schema"]["schema"]["properties"]
    if "answers" not in wanted:
        return "chair" if "sections" in wanted else "open"
    if "stance" not in wanted:
        return "vouch"
    return "weigh" if "findings" in wanted else "decide"


def speaking(weigh: dict[str, Any], decide: dict[str, Any]) -> Any:
    """Returns models of which the security critic alone finds something; it keeps to it."""

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        task, prompt = task_of(body), prompt_of(body)
        finder = "\nSecurity critic:" in prompt
        if task == "open":
            return opens("request_changes", a_finding()) if finder else opens("approve")
        if task == "chair":
            return {
                "sections": {"consensus_notes": "as argued"},
                "actions": [],
                "scores": {"consensus": 0.5},
            }
        (id,) = set(re.findall(r"^\| (\S+) app/db\.py:\d+ ", prompt, re.MULTILINE))
        answer = {"position": "not_real", **GUARD} if task == "vouch" else weigh
        if task == "decide":
            answer = decide
        if finder and task != "vouch":
            answer = {"position": "must_fix", **GUARD}
        option = "request_changes" if answer["position"] == "must_fix" else "approve"
        held = {"option": option, "confidence": 0.8, "because": "", "moved_by": ""}
        return {"stance": held, "answers": [{"to": id, **answer}], "findings": []}

    return reply


async def reviewed(folder: Path, reply: Any) -> tuple[Played, list[str]]:
    """Plays a review and returns it with the requests that reached the provider."""
    change = folder / "x.diff"
    change.write_bytes(adding("app/db.py", *CODE, start=10))
    async with openai(provider := Provider(reply)):
        env = provider.settings(TWO_MODELS)
        played = await typed(folder, None, "code_review", str(change), "--yes", "--check", env=env)
    return played, [task_of(body) for body in provider.requests]


FIX, UNREAL = {"position": "must_fix", **GUARD}, {"position": "not_real", **GUARD}
BARE = {"position": "must_fix", "path": "", "line": 0, "quote": ""}
ARGUED = ["open"] * 5 + ["vouch"] + ["weigh"] * 3


@pytest.mark.parametrize(
    ("weigh", "decide", "tasks", "decision", "code"),
    [
        (FIX, {}, [*ARGUED, "chair"], "request_changes", 1),
        (UNREAL, UNREAL, [*ARGUED, *["decide"] * 3, "chair"], "comment", 0),
        (UNREAL, FIX, [*ARGUED, *["decide"] * 3, "chair"], "request_changes", 1),
        (BARE, BARE, [*ARGUED, *["decide"] * 3, "chair"], "comment", 0),
    ],
    ids=["they agree", "they reject it", "they are moved", "they show nothing"],
)
async def test_what_one_alone_found_is_decided_by_those_who_looked(
    tmp_path: Path,
    weigh: dict[str, Any],
    decide: dict[str, Any],
    tasks: list[str],
    decision: str,
    code: int,
) -> None:
    played, requests = await reviewed(tmp_path, speaking(weigh, decide))
    assert requests == tasks
    assert (played.outcome["format"], played.decision) == ("contested", decision)
    assert played.code == code
    assert played.outcome["cost"]["calls"] == len(requests)
    assert "about 5 calls, at most 14" in played.out


async def test_openings_that_agree_are_all_that_is_paid_for(tmp_path: Path) -> None:
    played, requests = await reviewed(tmp_path, lambda _body: opens("approve"))
    assert requests == ["open"] * 5
    assert (played.decision, played.code) == ("approve", 0)
