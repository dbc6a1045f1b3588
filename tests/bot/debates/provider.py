"""A provider over a real socket whose models answer by the schema they were sent, and that can be
told to search first.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from aiohttp import web

from bot import settings
from bot.wire.parts import Parts, open_parts
from core.debate.ports import CallOptions
from tests.core.memory import answer
from tests.standins.openai import OpenAI, Say, openai

_FIELDS = "JSON fields:\n"
_FIELD = re.compile(r'^"(\w+)": (.+)', re.MULTILINE)
Reply = Callable[[dict[str, Any]], dict[str, Any]]


class Provider(OpenAI):
    """``reply`` makes the JSON of an answer from the request; ``searches`` is how often a model
    that may search does so first.
    """

    def __init__(self, reply: Reply | None = None, searches: int = 0) -> None:
        super().__init__()
        self.reply = reply or by_schema
        self.searches = searches

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        done = sum(m["role"] == "tool" for m in body["messages"])
        if body.get("tools") and body.get("tool_choice") != "none" and done < self.searches:
            arguments = json.dumps({"query": f"queue database benchmark {done}"})
            return await self._say(request, Say(calls=(("web_search", arguments),)))
        return await self._say(request, Say((json.dumps(self.reply(body)),)))


def by_schema(body: dict[str, Any]) -> dict[str, Any]:
    """Returns an answer in the shape of the schema, the same for the same prompt. A model that may
    use tools is sent no schema: it finds the fields in the prompt and answers with empty lists.
    """
    bound = body.get("response_format", {}).get("json_schema", {}).get("schema")
    schema = bound or {"properties": _fields(prompt_of(body))}
    return answer(CallOptions(schema=schema), Random(json.dumps(body["messages"])))


def _fields(prompt: str) -> dict[str, Any]:
    return {name: _field(form) for name, form in _FIELD.findall(prompt.rpartition(_FIELDS)[2])}


def _field(form: str) -> dict[str, Any]:
    if form.startswith("["):
        return {"type": "array", "enum": [[]]}
    if not form.startswith('{"option": '):
        return {"type": "object" if form.startswith("{") else "string"}
    options = {"option": {"enum": form.split('"')[2].strip(": ,").split("|")}}
    words = {name: {"type": "string"} for name in ("because", "moved_by", "would_resolve_if")}
    return {"type": "object", "properties": options | {"confidence": {"type": "number"}} | words}


def prompt_of(body: dict[str, Any]) -> str:
    return "\n".join(str(m["content"]) for m in body["messages"])


@asynccontextmanager
async def hosted(folder: Path, provider: Provider, **env: str) -> AsyncIterator[Parts]:
    """Returns parts whose models are hosted ones behind ``provider``."""
    async with openai(provider):
        given = {
            "DEBATE_DATABASE_URL": f"sqlite:///{folder}/debate.db",
            "DEBATE_MODELS": "openai/gpt-4.1,openai/gpt-4.1-mini",
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
            "OPENAI_API_BASE": provider.base,
            **env,
        }
        async with open_parts(settings.read(given, folder)) as parts:
            yield parts
