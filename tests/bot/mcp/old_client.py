"""A program with the SDK's first generation (1.x), which knows the older protocol alone. It runs in
an environment of its own: ``python old_client.py COMMAND… -- URL TOKEN`` holds a debate over both
transports and prints what it was told, a line of JSON each.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

mcp: Any = import_module("mcp")  # the checkout's types are those of the second generation
stdio: Any = import_module("mcp.client.stdio")
streamable_http: Any = import_module("mcp.client.streamable_http")


async def held(read: Any, write: Any, target: str, **more: Any) -> None:
    async with mcp.ClientSession(read, write) as session:
        await session.initialize()
        begun = await session.call_tool("start_debate", {"target": target, **more})
        one = {"debate": begun.structuredContent["debate"]}
        over, after = False, 0
        while not over:
            news = await session.call_tool("wait_debate", one | {"after_event": after})
            over, after = news.structuredContent["over"], news.structuredContent["next_event"]
        verdict = await session.call_tool("get_verdict", one)
        report = await session.read_resource(f"debate://{one['debate']}/transcript")
        facts = {"sdk": version("mcp"), "report": report.contents[0].text[:20]}
        print(json.dumps(verdict.structuredContent | facts), flush=True)


async def main() -> None:
    at = sys.argv.index("--")
    url, token = sys.argv[at + 1 :]
    command, *words = sys.argv[1:at]
    here = mcp.StdioServerParameters(command=command, args=words, env=dict(os.environ))
    async with stdio.stdio_client(here) as (read, write):
        await held(read, write, ".")
    brought = {"Authorization": f"Bearer {token}"}
    async with streamable_http.streamablehttp_client(url, headers=brought) as (read, write, _):
        await held(read, write, "Should the cache go?", template="triad", budget_usd=0.2)


asyncio.run(main())
