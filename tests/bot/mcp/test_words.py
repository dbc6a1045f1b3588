"""The texts about the tools that a model reads are constant, short and known: whoever allowed a
server once has allowed these words.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from adapters.mcp import instructions
from adapters.mcp.session import CallerDebates
from adapters.templates.catalogue import builtin

TOLD = {"here": "d7550c42da3fba0e", "remote": "b4f8d677b9857fb7"}
"""The texts. A change of these is a change of what people allowed: it wants a line in the
changelog.
"""
_MOST = 2048
"""Bytes that clients show of a description."""


def _nobody(_request: object, _scope: str) -> CallerDebates:
    raise AssertionError("what is told of the tools asks nobody")


def tools(*, local: bool) -> AbstractAsyncContextManager[Any]:
    from mcp import Client

    from adapters.mcp.server import DebateAccess, make_server

    return Client(make_server(DebateAccess(_nobody), local=local))


async def listing(*, local: bool) -> str:
    async with tools(local=local) as client:
        listed = (await client.list_tools()).tools
        prompts = (await client.list_prompts()).prompts
        templates = (await client.list_resource_templates()).resource_templates
        texts = [
            client.instructions,
            *(t.description for t in listed),
            *(p.description for p in prompts),
        ]
        assert all(0 < len((text or "").encode()) < _MOST for text in texts)
        everything = [
            client.instructions,
            *([each.name, each.description, each.input_schema] for each in listed),
            *([p.name, p.description] for p in prompts),
            *([t.uri_template, t.description] for t in templates),
        ]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()[:16]


async def test_what_is_told_is_what_was_allowed() -> None:
    assert {"here": await listing(local=True), "remote": await listing(local=False)} == TOLD


async def test_an_unknown_prompt_is_the_client_s_mistake_and_templates_that_are_named_exist() -> (
    None
):
    from mcp import MCPError
    from mcp_types import INVALID_PARAMS

    async with tools(local=False) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt("debate_nothing")
    assert refused.value.code == INVALID_PARAMS
    named = set(re.findall(r"[a-z]+_[a-z]+", instructions.TEMPLATE)) | {"panel"}
    assert named <= set(builtin())
