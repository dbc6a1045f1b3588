"""Finding models by name: what is refused at once, what it costs, what is chosen when nobody
chose.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

import pytest

from adapters.models import Vendors, weights
from adapters.models.catalogue import prices
from adapters.models.catalogue.keys import KEYS, PREFERRED
from adapters.models.catalogue.local import detect
from core.debate.errors import BadInput, ModelError
from core.debate.ports import CallOptions, Message, Models, Price
from tests.patience import PATIENCE
from tests.standins.openai import openai

NOBODY = "127.0.0.1:9"
QUIET = {"OLLAMA_HOST": NOBODY, "LM_STUDIO_API_BASE": NOBODY, "LLAMA_SERVER_API_BASE": NOBODY}
PROMPT = (Message("user", "hello"),)


UNKNOWN = (
    "No model is called {name!r}. Name it as PROVIDER/MODEL, for example openai/gpt-5, "
    "ollama/llama3 or embedded."
)
NEEDS = "{name} needs a key: set {key}, or choose another model with --models."


REFUSED = {
    **{name: UNKNOWN.format(name=name) for name in ("gpt-9000", "nobody/model", "")},
    **{
        name: NEEDS.format(name=name, key=key)
        for name, key in (
            ("openai/gpt-5", "OPENAI_API_KEY"),
            ("gpt-4.1", "OPENAI_API_KEY"),
            ("claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        )
    },
    "scripted": "The scripted model is for tests. Set DEBATE_SCRIPTED=1 to use it.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_name_or_a_missing_key_is_refused_before_anything_starts(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        Vendors({}).get(name)
    assert str(caught.value) == REFUSED[name]


def test_the_scripted_model_says_what_it_can_be_told() -> None:
    known = r"has no behaviour 'dance'. It knows: fail, .*obey.*stance=OPTION"
    with pytest.raises(BadInput, match=known):
        Vendors({"DEBATE_SCRIPTED": "1"}).get("scripted:dance")


def test_models_of_all_kinds_by_name() -> None:
    models: Models = Vendors(
        {"OPENAI_API_KEY": "k" * 20, "GEMINI_API_KEY": "g" * 20, "DEBATE_SCRIPTED": "1"}
    )
    kinds = [
        ("openai/gpt-5", "openai", False, 240_800),
        ("gpt-4.1", "openai", False, 938_818),
        ("gemini/gemini-2.5-pro", "google", False, 939_718),
        ("ollama/qwen3", "qwen", False, 3000),
        ("embedded", "qwen", True, 3000),
        ("embedded-small", "smollm", True, 3000),
        ("scripted:obey", "scripted", True, 100_000),
    ]
    got = {name: models.get(name) for name, *_ in kinds}
    assert [(m.name, m.family, m.demo, m.window) for m in got.values()] == kinds
    assert models.get("gpt-4.1") is got["gpt-4.1"]


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("openai/gpt-5", Price(1.25e-06, 1e-05, 1.25e-07, thinking=3000, tools=True)),
        ("anthropic/claude-sonnet-4-5", Price(3e-06, 1.5e-05, 3e-07, tools=True, written=3.75e-06)),
        ("openai/house-model-7", Price(None, None, None)),
        ("nobody/model", Price(None, None, None)),
        ("cli/claude", Price(None, None, None)),
        ("embedded/small", Price(None, None, None)),
        ("ollama/qwen3", Price(0.0, 0.0, 0.0)),
        ("embedded", Price(0.0, 0.0, 0.0)),
        ("scripted:lie", Price(0.0, 0.0, 0.0)),
    ],
)
def test_an_unknown_price_is_not_free(name: str, price: Price) -> None:
    assert Vendors({}).price(name) == price


def test_each_key_stands_for_a_model_that_the_table_knows_and_prices() -> None:
    for provider, model in PREFERRED:
        facts = prices.facts(model)
        assert facts is not None
        assert (facts.provider, provider in KEYS) == (provider, True)
        if provider == "openrouter":
            continue  # a gateway whose own prices litellm does not list: shown as unknown
        assert facts.known, model
        assert facts.price.prompt is not None, model
        assert facts.price.completion is not None, model


async def test_without_names_and_keys_a_local_server_is_chosen_else_the_embedded_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patient = partial(detect, seconds=PATIENCE)
    monkeypatch.setattr("adapters.models.catalogue.local.detect", patient)
    async with openai() as server:
        local = QUIET | {"LM_STUDIO_API_BASE": server.base}
        keyed = local | {"OPENAI_API_KEY": "k" * 20}
        choices = [await asyncio.to_thread(Vendors(env).choice) for env in (keyed, local, QUIET)]
    named = ["openai/gpt-5", "lm_studio/local-model", "embedded"]
    assert [names for names, _ in choices] == [(name,) for name in named]
    assert choices[1][1] == (
        f"lm_studio/local-model: a local server answers at {server.base}, nothing leaves this "
        "machine"
    )
    assert choices[2][1] == (
        "embedded: no key is set and no local server answers; its verdicts are a demonstration "
        "only. For real reviews set a provider's key or start a local model server."
    )


async def test_local_servers_are_found_by_their_own_variables() -> None:
    async with openai() as server:
        server.models = ["qwen3:8b", "nomic-embed-text"]
        host = server.base.removesuffix("/v1").removeprefix("http://")
        env = QUIET | {"OLLAMA_HOST": host.replace("127.0.0.1", "0.0.0.0")}  # noqa: S104  looked for, not bound
        assert await asyncio.to_thread(detect, env, PATIENCE) == {"ollama": ["ollama/qwen3:8b"]}


async def test_debates_share_breakers_but_not_searches_and_scripted_seats_neither() -> None:
    models = Vendors({"DEBATE_SCRIPTED": "1"}, find=lambda _query: ())
    other = models.scoped()
    with pytest.raises(ModelError):
        await models.get("scripted:fail").reply(PROMPT, CallOptions())
    with pytest.raises(ModelError, match="3 times in a row"):
        await other.get("scripted:fail").reply(PROMPT, CallOptions())
    assert (await models.get("scripted").reply(PROMPT, CallOptions())).text
    assert models._searches is not other._searches
    assert models.shared is other.shared


async def test_nothing_heavy_is_imported_until_a_model_is_asked_and_litellm_never() -> None:
    program = """
import asyncio, sys
from adapters.models import Vendors
from core.debate.ports import CallOptions, Message

def loaded(*names):
    print([name for name in names if name in sys.modules])

v = Vendors({"OPENAI_API_KEY": "k" * 20, "OPENAI_API_BASE": sys.argv[1]})
model = v.get("openai/gpt-4.1"); v.price("openai/gpt-5"); v.get("embedded"); v.get("ollama/x")
loaded("litellm", "aiohttp", "xllamacpp", "ddgs", "openai")

async def ask():
    await v.learn(["openai/gpt-4.1"])
    print((await model.reply((Message("user", "hello"),), CallOptions())).text)
    await v.aclose()

asyncio.run(ask())
loaded("litellm", "openai", "httpx", "xllamacpp")
"""
    async with openai() as provider:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, provider.base), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await child.communicate()
    assert out.decode().splitlines() == ["[]", "Hello there.", "[]"]


@pytest.mark.parametrize(
    "reply",
    [b"220 mail ready\r\n", b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200, b"HTTP/1.1 x y\r\n\r\n",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     b"HTTP/1.1 302 F\r\nLocation: http://[\r\n\r\n"],
)  # fmt: skip
async def test_a_port_with_something_else_than_a_model_server_is_passed_over(
    reply: bytes, tmp_path: Path
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(reply)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        at = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        env = {"OLLAMA_HOST": at, "LM_STUDIO_API_BASE": at, "LLAMA_SERVER_API_BASE": at}
        assert await asyncio.to_thread(detect, env, PATIENCE) == {}
        env = {"DEBATE_EMBEDDED_URL": f"http://{at}/x", "XDG_CACHE_HOME": str(tmp_path)}
        with pytest.raises(weights.Unobtainable, match="cannot be had"):
            await asyncio.to_thread(weights.fetch, weights.SMALL, env)
