"""One suite over every client checks each provider's requests, its answers and errors, and every
way to fail.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from adapters.models import Vendors, _Shared, faults, search
from adapters.models.catalogue import prices
from adapters.models.exchange import ModelRequest, Speaks
from adapters.models.hosted import Hosted
from adapters.models.prose import Prose
from adapters.models.protocols.litellm import LiteLLM, library
from adapters.models.wire import Http
from core.debate.errors import ModelError
from core.debate.ports import CallOptions, Message
from core.debate.scene import Scene
from tests.adapters.models.recordings import KEY, PLAIN, SAID, Dialect, Recording, chunk, sse
from tests.adapters.models.recordings.anthropic import ANTHROPIC, begun, block, delta, ended
from tests.adapters.models.recordings.dialects import DIALECTS
from tests.adapters.models.recordings.openai import OPENAI
from tests.patience import PATIENCE
from tests.standins.openai import Answer as Sent
from tests.standins.openai import Cut, Fail, Garbage, OpenAI, Raw, Silence, openai

PROMPT = (
    Message("system", "Be brief."),
    Message("user", "=== a.py\n    1 + pay(order)", cache=True),
    Message("user", "Your turn."),
)
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "additionalProperties": False,
}


def no_scene() -> Scene:
    raise AssertionError("a provider is sent the prompt, and nothing else of the turn")


ASKING = CallOptions(
    max_tokens=77,
    timeout=PATIENCE,
    schema=SCHEMA,
    role="unsent role",
    task="unsent task",
    turn="unsent turn",
    scene=no_scene,
)


@asynccontextmanager
async def stand_in(*answers: Sent) -> AsyncIterator[OpenAI]:
    async with openai() as provider:
        provider.answers = list(answers)
        yield provider


@asynccontextmanager
async def connected(
    dialect: Dialect, provider: OpenAI, silence: float = PATIENCE
) -> AsyncIterator[Hosted]:
    """Returns the model of a dialect, pointed at the stand-in."""
    root = provider.base.removesuffix("/v1")
    env = {k: v.replace("BASE", root) for k, v in dialect.env.items()}
    vendors = Vendors(env, shared=_Shared(http=Http(silence=silence)))
    try:
        model = vendors._make(dialect.model)
        assert isinstance(model, Hosted)
        yield model
    finally:
        await vendors.aclose()


@asynccontextmanager
async def client(who: str, provider: OpenAI, silence: float = PATIENCE) -> AsyncIterator[Hosted]:
    if not who.startswith("litellm"):
        async with connected(DIALECTS[who], provider, silence) as model:
            yield model
        return
    facts = prices.facts("openai/gpt-4.1")
    assert facts is not None
    env = {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": provider.base}
    clean = faults.cleaner([KEY], str)
    await asyncio.to_thread(library)  # the first import takes seconds, which belong to no call
    speaks: Speaks = LiteLLM("openai/gpt-4.1", facts, env, clean=clean)
    yield Hosted("openai/gpt-4.1", facts, speaks, clean=clean)


@asynccontextmanager
async def talking(who: str, *answers: Sent) -> AsyncIterator[tuple[OpenAI, Hosted]]:
    """Yields a provider that gives these answers, and the client that asks it."""
    async with stand_in(*answers) as provider, client(who, provider) as model:
        yield provider, model


CASES = [
    pytest.param(dialect, recording, id=f"{who}: {what}")
    for who, dialect in DIALECTS.items()
    for what, recording in dialect.recordings.items()
    if recording is not PLAIN or who == "openai"
]


@pytest.mark.parametrize(("dialect", "recording"), CASES)
async def test_what_a_provider_sends_is_understood(dialect: Dialect, recording: Recording) -> None:
    async with stand_in(recording.raw) as provider, connected(dialect, provider) as model:
        question = ModelRequest(PROMPT, ASKING, tools=(search.TOOL,) if recording.calls else ())
        if recording.kind:
            with pytest.raises(ModelError) as caught:
                await model.reply(PROMPT, replace(ASKING, schema=None))
            check_error(caught.value, recording)
        elif recording.calls:
            answer = await model.speaks.ask(question, Prose(None))
            assert [(c.id, c.name, c.arguments) for c in answer.calls] == [
                ("call_1", *call) for call in recording.calls
            ]
            assert (answer.ended, answer.tokens) == ("tool_calls", recording.tokens)
        else:
            words: list[str] = []
            answer = await model.speaks.ask(question, Prose(words.append))
            assert (answer.ended, answer.tokens) == ("stop", recording.tokens)
            assert (answer.id, answer.model) == ("chatcmpl-1", "m-2025")
            reply = await model.reply(PROMPT, ASKING)
            assert reply.text == recording.text
            if "<think>" not in answer.text:
                assert "".join(words) == recording.text
    assert "unsent" not in json.dumps(provider.requests), "what describes a turn stays here"
    watched = not recording.kind and not recording.calls
    assert provider.requests[0].get("stream", False) is watched, "streamed for those who watch"


def check_error(error: ModelError, recording: Recording) -> None:
    assert error.kind == recording.kind
    assert recording.says in str(error)
    assert KEY not in f"{error} {error.__cause__!r} {vars(error)}"
    assert "\n" not in str(error)
    assert "Next: " in str(error)


ASKED: Mapping[str, dict[str, Any]] = {
    "openai": {"max_tokens": 77},
    "azure": {"max_tokens": 77},
    "gemini": {"max_tokens": 3077, "reasoning_effort": "low"},
    "groq": {"max_completion_tokens": 3077, "reasoning_effort": "low"},
    "mistral": {"max_tokens": 77, "stream_options": None},
    "deepseek": {"max_tokens": 3077, "response_format": {"type": "json_object"}},
    "xai": {"max_tokens": 3077, "reasoning_effort": "low"},
    "openrouter": {"max_tokens": 77, "model": "anthropic/claude-sonnet-4.5"},
    "perplexity": {"max_tokens": 77},
    "moonshot": {"max_tokens": 3077},
    "cerebras": {"max_completion_tokens": 3077},
    "vllm": {"max_tokens": 77, "model": "Qwen/Qwen3-32B"},
    "ollama": {"max_tokens": 77, "model": "qwen3"},
    "llama-server": {"max_tokens": 77},
    "a gateway of litellm's list": {"max_tokens": 77},
    "anthropic": {"max_tokens": 77, "model": "claude-sonnet-4-5", "response_format": None},
}
"""What differs in a request, ``None`` for what must not be there."""
BOUND = {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": False}}


@pytest.mark.parametrize("who", DIALECTS)
async def test_each_provider_is_asked_in_its_own_dialect(who: str) -> None:
    dialect = DIALECTS[who]
    async with talking(who, dialect.recordings["answer"].raw) as (provider, model):
        asking = replace(ASKING, temperature=0.2)
        await model.reply(PROMPT, asking, lambda _words: None)
        await model.reply(PROMPT, asking)
    assert provider.paths[0] == dialect.path
    name, value = dialect.header
    assert provider.headers[0].get(name, "") == value
    body, unwatched = provider.requests
    assert not {"stream", "stream_options"} & set(unwatched)
    usual: dict[str, Any] = {"stream_options": {"include_usage": True}, "response_format": BOUND}
    expected = (usual if dialect.path != "/v1/messages" else {}) | ASKED[who]
    thinks = 3077 in expected.values()
    expected["temperature"] = None if thinks else 0.2
    assert {k: body.get(k) for k in expected} == expected
    marked = [m for m in json.dumps(body["messages"]).split("cache_control") if m]
    assert len(marked) - 1 == (who in ("openrouter", "anthropic"))


async def test_anthropic_is_asked_with_marks_and_a_schema_it_can_bind() -> None:
    share = {"type": "number", "minimum": 0, "maximum": 1}
    schema = SCHEMA | {
        "properties": {
            "minimum": share,
            "claims": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
        }
    }
    async with talking("anthropic", ANTHROPIC["answer"].raw) as (provider, model):
        await model.reply(PROMPT, replace(ASKING, schema=schema, temperature=0.2))
        free = SCHEMA | {"properties": {"risks": {"type": "object", "additionalProperties": share}}}
        await model.reply(PROMPT, replace(ASKING, schema=free))
    bound, unbound = provider.requests
    marked = {"type": "text", "text": PROMPT[1].text, "cache_control": {"type": "ephemeral"}}
    taken = {
        "minimum": {"type": "number"},
        "claims": {"type": "array", "items": {"type": "string"}},
    }
    form = {"type": "json_schema", "schema": SCHEMA | {"properties": taken}}
    assert bound == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 77,
        "temperature": 0.2,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": [marked, {"type": "text", "text": "Your turn."}]}],
        "output_config": {"format": form},
    }
    assert "output_config" not in unbound, "an object with free keys has no grammar"
    assert provider.headers[0]["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize("who", ["openai", "anthropic"])
async def test_a_round_of_searching_is_sent_back_in_the_dialect(who: str) -> None:
    dialect = DIALECTS[who]
    answers = (dialect.recordings[what].raw for what in ("tool call", "answer"))
    async with talking(who, *answers) as (provider, model):
        question = ModelRequest(PROMPT, ASKING, tools=(search.TOOL,))
        answer = await model.speaks.ask(question, Prose(None))
        searched = ((answer, ("nothing was found",)),)
        await model.speaks.ask(replace(question, searched=searched, last=True), Prose(None))
    first, second = provider.requests
    assert "tool_choice" not in first
    assert ("output_config" in first, "response_format" in first) == (False, False)
    if who == "openai":
        assert second["tool_choice"] == "none"
        call, result = second["messages"][-2:]
        assert call["tool_calls"][0]["function"]["arguments"] == '{"query": "x"}'
        assert result == {"role": "tool", "tool_call_id": "call_1", "content": "nothing was found"}
    else:
        assert second["tool_choice"] == {"type": "none"}
        call, result = second["messages"][-2:]
        assert call["content"] == [
            {"type": "tool_use", "id": "call_1", "name": "web_search", "input": {"query": "x"}}
        ]
        assert result["content"] == [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "nothing was found"}
        ]


# Every way to fail, over every client.

CLIENTS = ("openai", "anthropic", "litellm", "litellm, watched")
TALK = {
    "openai": (chunk({"content": "Looks "}),),
    "anthropic": (begun(), block(0, "text", text=""), delta(0, "text_delta", text="Looks ")),
}


async def failure(
    who: str, sent: Sent, *, timeout: float = PATIENCE, silence: float = PATIENCE
) -> ModelError:
    words: list[str] = []
    watching = words.append if who.endswith("watched") else None
    async with stand_in(sent) as provider, client(who, provider, silence) as model:
        with pytest.raises(ModelError) as caught:
            await model.reply(PROMPT, CallOptions(max_tokens=77, timeout=timeout), watching)
    assert len(provider.requests) == 1, "only our own layer may try again"
    error = caught.value
    assert "Next: " in str(error)
    assert "\n" not in str(error)
    assert KEY not in f"{error} {error.__cause__!r} {vars(error)}"
    return error


def spoken(who: str, texts: Sequence[str]) -> Raw:
    """Returns an answer in pieces, in the client's protocol."""
    if who == "anthropic":
        words = (delta(0, "text_delta", text=text) for text in texts)
        return sse(begun(), block(0, "text", text=""), *words, *ended("end_turn"), named=True)
    if who == "litellm":
        message = {"role": "assistant", "content": "".join(texts)}
        whole = chunk() | {
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
        return Raw((json.dumps(whole).encode(),), headers={"Content-Type": "application/json"})
    return sse(*(chunk({"content": text}) for text in texts), chunk({}, "stop"))


FAILURES: tuple[tuple[Sent, str], ...] = (
    (Fail(401, f"Incorrect API key provided: {KEY}"), "bad_key"),
    (Fail(429, "You exceeded your current quota", "insufficient_quota"), "no_credit"),
    (Fail(400, "maximum context length is 8192 tokens"), "context_too_long"),
    (Fail(500, "boom"), "provider_down"),
    (Raw((b"<html><title>Just a moment</title>",), 403), "provider_down"),  # a gateway's
    (Cut(), "provider_down"),
    (Cut(clean=True), "provider_down"),
)
OF_LITELLM: tuple[tuple[Sent, str], ...] = (
    (Fail(402, "please pay"), "no_credit"),
    (Fail(403, "not for you"), "bad_key"),
    (Fail(404, "The model does not exist"), "bad_reply"),
    (Fail(429, "Rate limit reached"), "rate_limited"),
    (Fail(429, "Rate limit reached", headers={"Retry-After": "7"}), "rate_limited"),
    (Fail(400, "rejected by our content policy"), "refused_by_policy"),
    (Fail(400, "no such parameter"), "bad_reply"),
    (Fail(400, "No connected db."), "bad_key"),  # LiteLLM's proxy without a database
    (Fail(503, "overloaded"), "provider_down"),
)
"""Each is another exception of LiteLLM; our own client sorts by ``faults``."""


@pytest.mark.parametrize(
    ("who", "sent", "kind"),
    [
        *((who, *each) for who in CLIENTS for each in FAILURES),
        *(("litellm", *each) for each in OF_LITELLM),
    ],
    ids=str,
)
async def test_a_failure_is_sorted_and_told_in_one_line_without_secrets(
    who: str, sent: Sent, kind: str
) -> None:
    error = await failure(who, sent)
    named = isinstance(sent, Fail) and "Retry-After" in sent.headers
    assert (error.kind, error.retry_after) == (kind, 7.0 if named else None)


async def test_silence_before_the_first_word_ends_at_the_time_limit() -> None:
    for who in ("openai", "litellm"):
        await failure(who, Fail(500, "boom"))  # what a first call loads takes a while: no silence
    silent = [failure(who, Silence(), timeout=1.0) for who in ("openai", "litellm")]
    for error in await asyncio.gather(*silent):  # a busy machine asks within that time
        assert (error.kind, "no answer within 1 s" in str(error)) == ("timeout", True)


@pytest.mark.parametrize("who", ["openai", "anthropic"])
async def test_an_answer_that_stalls_is_given_up_before_the_time_limit(who: str) -> None:
    stalled = replace(sse(*TALK[who], named=who == "anthropic", end=b""), stall=PATIENCE)
    error = await failure(who, stalled, silence=0.2)
    assert (error.kind, "silent for 0.2 s" in str(error)) == ("timeout", True)


async def test_slow_words_are_no_silence() -> None:
    async def heard(who: str) -> str:
        raw = spoken(who, ["a"] * 12)
        async with (
            stand_in(replace(raw, pause=0.2)) as provider,  # more in all than the silence allowed
            client(who, provider, silence=2.0) as model,
        ):
            return (await model.reply(PROMPT, ASKING)).text

    assert set(await asyncio.gather(heard("openai"), heard("anthropic"))) == {"a" * 12}


@pytest.mark.parametrize("who", CLIENTS)
async def test_a_dropped_connection_is_a_provider_that_is_down(who: str) -> None:
    dropped = replace(spoken(who, ["Looks", " fine."]), drop=True)
    dropped = replace(dropped, pieces=tuple(p[: len(p) // 2] for p in dropped.pieces[:1]))
    dropped = replace(dropped, headers={**dropped.headers, "Content-Length": "99999"})
    assert (await failure(who, dropped)).kind == "provider_down"


@pytest.mark.parametrize("who", CLIENTS)
async def test_a_stream_that_repeats_itself_is_an_answer(who: str) -> None:
    words: list[str] = []
    async with talking(who, spoken(who, ["----"] * 300)) as (_, model):
        reply = await model.reply(PROMPT, ASKING, words.append if "watched" in who else None)
    assert reply.text == "----" * 300


@pytest.mark.parametrize(("who", "pieces"), [("openai", 1000), ("litellm", 1)])
async def test_ten_megabytes_are_refused(who: str, pieces: int) -> None:
    error = await failure(who, spoken(who, ["x" * (10_000_000 // pieces)] * pieces))
    assert (error.kind, "longer than any" in str(error)) == ("bad_reply", True)


@pytest.mark.parametrize("who", ["openai", "anthropic"])
async def test_garbage_is_no_answer(who: str) -> None:
    for sent in (
        Garbage(),
        sse({"pong": 1}),
        Raw((b"data: {nonsense\n\n",)),
        Raw((b"x" * 3000000,)),
        Raw((b'data: {"usage": ' + b'{"a": ' * 20_000 + b"\n\n",)),
        Raw((b'data: {"x": "\xe4"}\n\n',)),
    ):
        assert (await failure(who, sent)).kind in ("bad_reply", "provider_down")


ODD: dict[str, list[dict[str, Any]]] = {
    "openai": [{"choices": 7}, {"choices": [{"message": "x"}]}, {"choices": [None], "id": 7}],
    "anthropic": [{"content": 7}, {"content": [None]}, {"content": [], "stop_reason": ["x"]}],
}
COUNTED = {
    "openai": {"prompt_tokens": 900, "completion_tokens": 14},
    "anthropic": {"input_tokens": 900, "output_tokens": 14, "cache_read_input_tokens": None},
}


def tokens_of(error: ModelError) -> tuple[int, int]:
    assert error.usage is not None
    return error.usage.prompt_tokens, error.usage.completion_tokens


@pytest.mark.parametrize("who", ODD)
async def test_an_answer_of_a_wrong_shape_is_paid_for_all_the_same(who: str) -> None:
    for odd in ODD[who]:
        body = {"type": "message", **odd, "usage": COUNTED[who]}
        error = await failure(who, Raw((json.dumps(body).encode(),)))
        assert (error.kind, tokens_of(error)) == ("bad_reply", (900, 14))


@pytest.mark.parametrize("who", ODD)
async def test_an_answer_that_is_too_long_to_be_read_is_paid_for(who: str) -> None:
    """Its counts are at its end: they are estimated, at most what the request allows."""
    block = {"type": "text", "text": "x" * 2_000_000}
    message = {"role": "assistant", "content": block["text"]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"type": "message", "content": [block], "choices": [choice], "usage": COUNTED[who]}
    whole = json.dumps(body).encode()
    for sent in (Raw((whole,)), Raw((b"data: " + whole + b"\n\n",))):
        error = await failure(who, sent)
        assert (error.kind, "longer than any" in str(error)) == ("bad_reply", True)
        read, written = tokens_of(error)
        assert (read > 0, written) == (True, 77)
    for sent in (Raw((b"x" * 2_000_000,)), Raw((b"<html>" + whole,))):
        assert (await failure(who, sent)).usage is None


@pytest.mark.parametrize("who", ODD)
async def test_an_answer_of_another_good_status_is_read(who: str) -> None:
    sent = spoken(who, [SAID])
    async with talking(who, replace(sent, status=201)) as (_, model):
        assert (await model.reply(PROMPT, ASKING)).text == SAID


@pytest.mark.parametrize("who", [*ODD, "litellm"])
async def test_an_answer_without_choices_is_empty_and_paid_for(who: str) -> None:
    if who == "anthropic":
        counted, body = COUNTED[who], {"type": "message", "content": [], "stop_reason": "end_turn"}
    else:
        counted, body = COUNTED["openai"], {"object": "chat.completion", "choices": []}
    whole = json.dumps(body | {"id": "1", "created": 1, "model": "m", "usage": counted}).encode()
    error = await failure(who, Raw((whole,), headers={"Content-Type": "application/json"}))
    assert (error.kind, "the answer is empty" in str(error)) == ("bad_reply", True)
    assert tokens_of(error) == (900, 14)


async def test_a_reply_that_comes_as_an_object_is_its_json() -> None:
    for content, text in (
        ({"text": SAID, "stance": "approve"}, f'{{"text":"{SAID}","stance":"approve"}}'),
        ({"type": "text", "text": SAID}, SAID),
        ({"text": SAID}, SAID),
    ):
        choice = {"message": {"content": content}, "finish_reason": "stop"}
        sent = Raw((json.dumps({"choices": [choice], "usage": COUNTED["openai"]}).encode(),))
        async with talking("openai", sent) as (_, model):
            assert (await model.reply(PROMPT, ASKING)).text == text


async def test_a_null_in_anthropic_s_protocol_stands_for_nothing() -> None:
    block = {"type": "text", "text": SAID, "id": None, "input": None, "thinking": None}
    body = {
        "type": "message", "id": None, "model": None, "content": [block], "index": None,
        "stop_reason": "end_turn", "usage": COUNTED["anthropic"], "error": None,
    }  # fmt: skip
    sent = Raw((json.dumps(body).encode(),))
    async with talking("anthropic", sent) as (_, model):
        reply = await model.reply(PROMPT, ASKING)
    assert (reply.text, reply.usage.prompt_tokens) == (SAID, 900)


@pytest.mark.parametrize("who", ["openai", "anthropic"])
async def test_a_redirect_is_refused_and_the_key_stays(who: str) -> None:
    async with openai() as other:
        error = await failure(who, Raw((), 307, {"Location": f"{other.base}/chat/completions"}))
        assert other.requests == []
    assert error.kind == "bad_reply"
    variable = {"openai": "OPENAI_API_BASE", "anthropic": "ANTHROPIC_API_BASE"}[who]
    assert str(error) == (
        f"{DIALECTS[who].model}: bad reply (HTTP 307, a redirect, which is not followed: the key "
        f"and the material would go to another address). Next: set {variable} to the address that "
        "answers itself."
    )


@pytest.mark.parametrize("who", CLIENTS)
async def test_nobody_at_the_address_is_a_provider_that_is_down(who: str) -> None:
    with socket.socket() as silent:  # bound, so that nobody else answers there
        silent.bind(("127.0.0.1", 0))
        gone = OpenAI()
        gone.base = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        async with client(who, gone) as model:
            with pytest.raises(ModelError) as caught:
                await model.reply(PROMPT, CallOptions(timeout=PATIENCE))
    assert caught.value.kind == "provider_down"
    if not who.startswith("litellm"):
        name = DIALECTS[who].model
        assert str(caught.value).startswith(f"{name}: no connection (“127.0.0.1 was not reached")
        assert "check the network" in str(caught.value)


# Parts of a request that a model refuses.


UNKNOWN = Fail(400, "unknown field: response_format")
FORMS: dict[str, tuple[str, tuple[Fail, ...], list[str | None]]] = {
    "a form that is refused": (
        "vllm",
        (Fail(400, "Bad request"),),
        ["json_schema", "json_object", "json_object"],
    ),
    "any form": ("vllm", (UNKNOWN, UNKNOWN), ["json_schema", "json_object", None, None]),
    "an answer that missed the schema says nothing about the next": (
        "groq",
        (Fail(400, "Failed to validate JSON", "json_validate_failed"),),
        ["json_schema", "json_object", "json_schema"],
    ),
}


@pytest.mark.parametrize("refused", FORMS)
async def test_what_a_model_refuses_is_left_out_and_remembered(refused: str) -> None:
    who, refusals, shapes = FORMS[refused]
    async with talking(who, *refusals, OPENAI["answer"].raw) as (provider, model):
        assert (await model.reply(PROMPT, ASKING)).text == SAID
        assert (await model.reply(PROMPT, ASKING)).text == SAID
    sent = [body.get("response_format", {}).get("type") for body in provider.requests]
    assert sent == shapes


async def test_a_refusal_that_nothing_helps_is_told_and_not_remembered() -> None:
    async with talking("openai", Fail(400, "no such thing")) as (provider, model):
        with pytest.raises(ModelError):
            await model.reply(PROMPT, ASKING)
        provider.answers = [OPENAI["answer"].raw]
        await model.reply(PROMPT, ASKING)
    shapes = [body.get("response_format", {}).get("type") for body in provider.requests]
    assert shapes == ["json_schema", "json_object", None, "json_schema"]


async def test_a_model_that_only_streams_or_knows_another_bound_is_asked_so() -> None:
    refusal = Fail(400, "This model only supports stream mode, please enable the stream parameter")
    async with talking("openai", refusal, OPENAI["answer"].raw) as (provider, model):
        await model.reply(PROMPT, ASKING)
        await model.reply(PROMPT, ASKING)
    assert [body.get("stream") for body in provider.requests] == [None, True, True]
    other = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    async with talking("openai", Fail(400, other), OPENAI["answer"].raw) as (provider, model):
        await model.reply(PROMPT, ASKING)
    bounds = [[name for name in body if name.startswith("max")] for body in provider.requests]
    assert bounds == [["max_tokens"], ["max_completion_tokens"]]
