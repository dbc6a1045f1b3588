"""The facts about a model come from the file of models, from its server's list, or from litellm's
table.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from adapters.models import Vendors
from adapters.models.catalogue.lists import read_list, read_litellm
from core.debate.errors import BadInput
from core.debate.ports import CallOptions, Message, Price
from tests.patience import PATIENCE
from tests.standins.openai import OpenAI, openai

PROMPT = (Message("user", "hello"),)
FILE = (Path(__file__).parent / "models.toml").read_text("utf-8")


def written(folder: Path, text: str) -> dict[str, str]:
    file = folder / "models.toml"
    file.write_text(text)
    return {"DEBATE_MODELS_FILE": str(file)}


async def test_a_gateways_model_is_asked_as_the_file_says(tmp_path: Path) -> None:
    async with openai() as server:
        env = written(tmp_path, FILE.replace("BASE", server.base))
        vendors = Vendors(env | {"ACME_LLM": "k" * 20})
        model = vendors.get("acme/large")
        reply = await model.reply(PROMPT, CallOptions(timeout=PATIENCE, schema={"type": "object"}))
        await vendors.get("acme/any/other").reply(PROMPT, CallOptions(timeout=PATIENCE))
        await vendors.aclose()
    assert (model.family, model.window) == ("qwen", 113_964)
    assert vendors.price("acme/large") == Price(5e-07, 1.5e-06, 2.5e-07, tools=True)
    assert reply.usage.usd == pytest.approx(100 * 5e-07 + 10 * 1.5e-06)
    first, second = server.requests
    assert (first["model"], "response_format" in first) == ("qwen3-235b", False)
    assert second["model"] == "any/other"
    assert server.keys == ["Bearer " + "k" * 20, ""]


def test_an_entry_may_describe_a_known_providers_model_or_name_a_key(tmp_path: Path) -> None:
    env = written(tmp_path, FILE.replace("BASE", "http://127.0.0.1:9/v1"))
    vendors = Vendors(env | {"OPENAI_API_KEY": "k" * 20})
    assert vendors.price("openai/house-model-7") == Price(2e-06, 8e-06)
    assert vendors.get("openai/house-model-7").window == 24_800
    assert vendors.price("openai/gpt-4.1") == Vendors({}).price("openai/gpt-4.1")
    with pytest.raises(BadInput) as caught:
        vendors.get("acme/large")
    assert str(caught.value) == (
        "acme/large needs a key: set ACME_LLM, or choose another model with --models."
    )


# Lists of servers


OPENROUTER_ROW = {
    "id": "maker/model",
    "context_length": 200000,
    "pricing": {
        "prompt": "0.000003",
        "completion": "0.000015",
        "request": "0",
        "input_cache_read": "0.0000003",
        "input_cache_write": "0.00000375",
    },
    "supported_parameters": ["tools", "reasoning"],
}


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[1]", b'{"data": 3}', b"3", b'{"data": [{"a": 1}]}']
)
def test_what_is_no_list_tells_nothing(body: bytes) -> None:
    assert read_list(body) == read_litellm(body) == {}


def router(server: OpenAI) -> Vendors:
    return Vendors({"OPENROUTER_API_KEY": "k" * 20, "OPENROUTER_API_BASE": server.base})


async def test_price_and_window_are_learned_from_the_server_once(tmp_path: Path) -> None:
    name = "openrouter/maker/model"
    async with openai() as server:
        server.listed = [OPENROUTER_ROW]
        vendors = router(server)
        before = vendors.price(name)
        await vendors.learn([name, name])
        await vendors.scoped().learn([name])
        after, window = vendors.scoped().price(name), vendors.get(name).window
        await vendors.aclose()
    assert before == Price(None, None, None)
    assert after == Price(3e-06, 1.5e-05, 3e-07, 3000, tools=True, written=3.75e-06)
    assert window == 176_000
    assert server.keys == ["Bearer " + "k" * 20], "asked once, with the key"


@pytest.mark.parametrize("ends", [False, True], ids=("answered", "cancelled"))
async def test_a_debate_waits_for_the_list_that_another_one_asked_for(ends: bool) -> None:
    arrived, go = asyncio.Event(), asyncio.Event()

    class Slow(OpenAI):
        async def list(self, request: web.Request) -> web.Response:
            arrived.set()
            await go.wait()
            return await super().list(request)

    name = "openrouter/maker/model"
    async with openai(server := Slow()):
        server.listed = [OPENROUTER_ROW]
        vendors = router(server)
        first = asyncio.create_task(vendors.learn([name]))
        await arrived.wait()
        second = asyncio.create_task(vendors.learn([name]))
        for _ in range(10):
            await asyncio.sleep(0)
        if ends:
            first.cancel()
        assert not second.done()
        go.set()
        await asyncio.wait([first, second])
        price = vendors.price(name)
        await vendors.aclose()
    assert price.prompt == 3e-06


async def test_a_local_servers_window_is_learned_and_its_price_stays_nothing() -> None:
    async with openai() as server:
        server.listed = [{"id": "qwen3", "meta": {"n_ctx": 20000}}]
        vendors = Vendors({"LLAMA_SERVER_API_BASE": server.base})
        before = vendors.get("llama_server/qwen3").window
        await vendors.learn(["llama_server/qwen3"])
        after = vendors.get("llama_server/qwen3").window
        fixed = Vendors({"LLAMA_SERVER_API_BASE": server.base, "DEBATE_LOCAL_WINDOW": "5000"})
        await fixed.learn(["llama_server/qwen3"])
        chosen = fixed.get("llama_server/qwen3").window
        await vendors.aclose()
        await fixed.aclose()
    assert (before, after, chosen) == (3000, 14_000, 5000)
    for name in ("llama_server/qwen3", "lm_studio/gpt-5"):
        assert vendors.price(name) == Price(0.0, 0.0, 0.0), "nor has it room for thinking"


def deployment(
    name: str, window: int | None, read: float, wrote: float | None = None, **facts: bool
) -> dict[str, Any]:
    """Returns a row of the proxy's ``/v1/model/info``, of which much is left out."""
    costs = {"input_cost_per_token": read, "output_cost_per_token": wrote}
    known = {"max_input_tokens": window, **costs, **facts}
    return {"model_name": name, "litellm_params": {"model": "openai/x"}, "model_info": known}


async def test_litellms_proxy_is_asked_for_window_and_price_and_the_worst_of_one_name_holds() -> (
    None
):
    async with openai() as server:
        server.listed = [
            {"id": "team-large", "max_input_tokens": 1047576},
            {"id": "own", "object": "model", "owned_by": "openai"},
        ]
        server.info = [
            deployment("team-large", 1047576, 2e-06, 8e-06, supports_function_calling=True),
            deployment("team-large", 200000, 3e-06, 1.5e-05, supports_function_calling=False),
            deployment("own", None, 0),
        ]
        vendors = Vendors({"OPENAI_API_KEY": "k" * 20, "OPENAI_API_BASE": server.base})
        await vendors.learn(["openai/team-large", "openai/own"])
        large, own = vendors.get("openai/team-large"), vendors.get("openai/own")
        priced = vendors.price("openai/team-large"), vendors.price("openai/own")
        await vendors.aclose()
    assert (large.window, own.window) == (176_000, 16_000)
    assert priced == (Price(3e-06, 1.5e-05), Price(None, None, None))
    assert server.paths == ["/v1/models", "/v1/model/info"]


async def test_a_server_that_tells_nothing_leaves_the_price_unknown() -> None:
    async with openai() as gone:
        vendors = router(gone)
    await vendors.learn(["openrouter/maker/model", "openai/gpt-5", "nobody/model", "embedded"])
    assert vendors.price("openrouter/maker/model") == Price(None, None, None)
    await vendors.aclose()
