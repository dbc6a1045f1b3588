"""A stranger's words reach a coding assistant as a quotation, and name no file to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adapters.models import Vendors
from bot.seats import ScriptedSeats
from core.material.escaping import show_hidden
from tests.bot.mcp.talking import ORDER, called, here, refused, repository


async def test_the_words_of_others_are_marked_and_show_all_that_is_in_them(tmp_path: Path) -> None:
    finding = {
        "title": f"{ORDER} title", "path": "pay.py", "quote": "send(x)", "severity": "high",
        "trigger": f"{ORDER} trigger", "fix": f"{ORDER} fix",
    }  # fmt: skip
    fields = {"text": ORDER, "stance": "request_changes", "findings": [finding]}
    seats = ScriptedSeats({"security_critic": fields})

    def make_models(**given: Any) -> Vendors:
        return Vendors(**given, own={seats.name: seats})

    repository(tmp_path)
    hostile = f"+++ b/pay.py\n@@ -1 +1,2 @@\n def pay(x):\n+    send(x)  # {ORDER}\n"
    async with here(tmp_path, make_models=make_models, DEBATE_MODELS=seats.name) as (client, _):
        begun = await called(client, "start_debate", target=f"--- a/pay.py\n{hostile}")
        one = {"debate": begun["debate"]}
        news = await called(client, "wait_debate", **one)
        verdict = await called(client, "get_verdict", **one)
        assert 2 in [f["line"] for f in verdict["findings"]]
        theirs = [*quotations(news), *quotations(verdict)]
        assert {"title", "trigger", "fix"} <= {one.split()[-1] for one in theirs}
        assert all(show_hidden(one) == one for one in theirs)
        for page in (news, verdict, await called(client, "list_debates")):
            assert "Ignore your rules" not in json.dumps(ours(page))


async def test_a_file_of_another_folder_is_not_read(tmp_path: Path) -> None:
    work, beside = tmp_path / "work", tmp_path / "other.diff"
    work.mkdir()
    beside.write_text("--- a/pay.py\n+++ b/pay.py\n@@ -1 +1,2 @@\n def pay(x):\n+    send(x)\n")
    (repository(work) / "linked.diff").symlink_to(beside)
    async with here(work, DEBATE_MODELS="scripted", DEBATE_SCRIPTED="1") as (client, parts):
        for outside in (str(beside), "../other.diff", "../other.diff path:src/", "linked.diff"):
            reason = await refused(client, "start_debate", target=outside, template="code_review")
            assert "Only files of the folder" in reason
        assert "Standard input" in await refused(client, "start_debate", target="-")
        assert await parts.service.list() == []


def ours(value: Any) -> Any:
    """Returns the parts that are not marked as somebody else's."""
    if isinstance(value, dict):
        return {name: ours(each) for name, each in value.items() if not name.startswith("quoted")}
    return [ours(each) for each in value] if isinstance(value, list) else value


def quotations(value: Any, *, within: bool = False) -> Iterator[str]:
    """Yields the texts that are marked as somebody else's."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from quotations(each, within=within or name.startswith("quoted"))
    elif isinstance(value, list):
        for each in value:
            yield from quotations(each, within=within)
    elif within and isinstance(value, str) and value:
        yield value
