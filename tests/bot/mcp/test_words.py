"""The texts about the tools that a model reads are constant, short and known: whoever allowed a
server once has allowed these words.
"""

from __future__ import annotations

import hashlib
import json

from mcp import Client

from adapters.mcp.server import DebateAccess, make_server
from adapters.mcp.session import CallerDebates

TOLD = {"here": "041b353555af8185", "remote": "48a1784e3768bd7a"}
"""The texts. A change of these is a change of what people allowed: it wants a line in the
changelog.
"""
_MOST = 2048
"""Bytes that clients show of a description."""


def _nobody(_request: object, _scope: str) -> CallerDebates:
    raise AssertionError("what is told of the tools asks nobody")


async def listing(*, local: bool) -> str:
    async with Client(make_server(DebateAccess(_nobody), local=local)) as client:
        tools = (await client.list_tools()).tools
        prompts = (await client.list_prompts()).prompts
        templates = (await client.list_resource_templates()).resource_templates
        texts = [
            client.instructions,
            *(t.description for t in tools),
            *(p.description for p in prompts),
        ]
        assert all(0 < len((text or "").encode()) < _MOST for text in texts)
        everything = [
            client.instructions,
            *([each.name, each.description, each.input_schema] for each in tools),
            *([p.name, p.description] for p in prompts),
            *([t.uri_template, t.description] for t in templates),
        ]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()[:16]


async def test_what_is_told_is_what_was_allowed() -> None:
    assert {"here": await listing(local=True), "remote": await listing(local=False)} == TOLD
