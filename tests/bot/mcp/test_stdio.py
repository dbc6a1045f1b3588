"""``debate mcp`` as a coding assistant starts it: a process of its own, spoken to by the SDK."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bot.mcp.talking import called, command, repository


async def test_what_is_not_committed_is_debated_to_its_verdict(tmp_path: Path) -> None:
    from mcp import Client

    heard: list[tuple[float, str]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message or ""))

    async with Client(command(repository(tmp_path)), mode="legacy") as client:
        begun = await called(client, "start_debate", target=".")
        again = await called(client, "start_debate", target=".")
        assert (again["debate"], again["started_before"]) == (begun["debate"], True)
        one = {"debate": begun["debate"]}
        waited = await client.call_tool("wait_debate", one, progress_callback=hear)
        news = waited.structured_content
        assert news is not None
        assert (news["over"], news["status"]) == (True, "finished")
        assert heard == [(each["event"], each["line"]) for each in news["happened"]]
        verdict = await called(client, "get_verdict", **one)
        codes = {f["quoted"]["code"] for f in verdict["findings"]}
        assert codes <= {"for _ in range(3):", "send(x)"}
        places = {(f["quoted"]["path"], f["line"]) for f in verdict["findings"]}
        assert places <= {("pay.py", 2), ("pay.py", 3)}
        for about, count in (("", 1), (".", 1), ("main against", 1), ("another change", 0)):
            listed = (await called(client, "list_debates", target=about))["debates"]
            assert [each["debate"] for each in listed] == [begun["debate"]] * count, about
        read = await client.read_resource(f"debate://{begun['debate']}/findings.sarif")
        assert json.loads(getattr(read.contents[0], "text", ""))["version"] == "2.1.0"
        (tmp_path / "pay.py").write_text("def pay(x):\n    return send(x)\n")
        moved = await called(client, "start_debate", target=".")
        assert not moved["started_before"]
