"""What a provider refuses is left out, asked again, and remembered for the process; what it charges
for is counted, whatever it answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from adapters.models import Vendors
from core.debate.errors import ModelError
from core.debate.ports import CallOptions, Message, Reply
from core.debate.usage import Usage
from tests.adapters.models.recordings import sse
from tests.adapters.models.recordings.anthropic import begun, block, delta
from tests.patience import PATIENCE
from tests.standins.clock import Hurried
from tests.standins.openai import Fail, OpenAI, Raw, Say, openai

KEY = "sk-test-0123456789abcdef"
PROMPT = (Message("system", "Be brief."), Message("user", "One."), Message("user", "Two."))
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "additionalProperties": False,
}


@pytest.fixture
async def provider() -> AsyncIterator[OpenAI]:
    async with openai() as state:
        yield state


@pytest.fixture
async def vendors(provider: OpenAI) -> AsyncIterator[Vendors]:
    keys = {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": provider.base}
    made = Vendors(keys, clock=Hurried())
    yield made
    await made.aclose()


async def reply_of(vendors: Vendors, watched: bool = False, **more: Any) -> Reply:
    asking = CallOptions(timeout=PATIENCE, **more)
    on_words = (lambda _words: None) if watched else None
    return await vendors.get("openai/gpt-4.1").reply(PROMPT, asking, on_words)


async def failure(vendors: Vendors, watched: bool = False) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await reply_of(vendors, watched)
    return raised.value


REFUSED: dict[str, tuple[str, Callable[[dict[str, Any]], bool]]] = {
    "streams": (
        "Your organization must be verified to stream this model.",
        lambda body: "stream" in body or "stream_options" in body,
    ),
    "streams, in other words": (
        "Streaming is not supported for this model",
        lambda body: "stream" in body,
    ),
    "a system role": (
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        lambda body: any(m["role"] == "system" for m in body["messages"]),
    ),
    "a template without a system role": (
        "Conversation roles must alternate user/assistant/user/assistant/...",
        lambda body: len(body["messages"]) > 1,
    ),
    "a schema": (
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported.",
        lambda body: body.get("response_format", {}).get("type") == "json_schema",
    ),
    "an effort": (
        "Unsupported parameter: 'reasoning_effort'",
        lambda body: "reasoning_effort" in body,
    ),
    "marks": (
        "Unknown parameter: 'prompt_cache_options'.",
        lambda body: "prompt_cache_key" in body or "breakpoint" in json.dumps(body),
    ),
}


@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize("what", REFUSED)
async def test_a_refused_part_is_left_out_and_not_sent_again(
    provider: OpenAI, vendors: Vendors, what: str, watched: bool
) -> None:
    words, has = REFUSED[what]
    prompt = (*PROMPT, Message("user", "x" * 9000, cache=True))
    asking = CallOptions(schema=SCHEMA, timeout=PATIENCE, cache_key="d1")
    heard: list[str] = []
    provider.answers = [Fail(400, words), Say(("Hello.",))]
    for _ in range(2):
        model = vendors.scoped().get("openai/gpt-5.6")
        reply = await model.reply(prompt, asking, heard.append if watched else None)
        assert reply.text == "Hello."
    sent = [has(body) for body in provider.requests]
    assert sent in ([True, False, False], [False, False])  # streams are not asked for by all
    assert "Be brief." in json.dumps(provider.requests[-1])


async def test_one_refused_part_after_another_is_left_out(
    provider: OpenAI, vendors: Vendors
) -> None:
    refusals = [words for words, _ in REFUSED.values() if "alternate" not in words]
    provider.answers = [*(Fail(400, words) for words in refusals), Say(("Hello.",))]
    asking = CallOptions(schema=SCHEMA, timeout=PATIENCE, cache_key="d1")
    for _ in range(2):
        reply = await vendors.get("openai/gpt-5.6").reply(PROMPT, asking, lambda _: None)
        assert reply.text == "Hello."
    assert len(provider.requests) <= len(refusals) + 2


@pytest.mark.parametrize("tools", [(), ("read",)])
async def test_an_answer_in_a_tool_call_that_nobody_offered_is_read(
    provider: OpenAI, vendors: Vendors, tools: tuple[str, ...]
) -> None:
    async def look_up(name: str, arguments: str) -> str:
        return "found"

    answer = '{"text": "Hello."}'
    provider.answers = [Say(calls=(("reply", answer),))]
    reply = await reply_of(vendors, schema=SCHEMA, tools=tools, look_up=look_up)
    assert (reply.text, len(provider.requests)) == (answer, 1)


def whole(content: object, ended: str, **message: Any) -> Raw:
    """An answer of 900 and 1,400 tokens."""
    lines = {"role": "assistant", "content": content, **message}
    usage = {"prompt_tokens": 900, "completion_tokens": 1400, "total_tokens": 2300}
    choice = {"index": 0, "message": lines, "finish_reason": ended}
    body = {"id": "c", "model": "m", "choices": [choice], "usage": usage}
    return Raw((json.dumps(body).encode(),), headers={"Content-Type": "application/json"})


OBJECT = '{"text": "Hello."}'
FORMS = {
    "the call of a function, as before tools": whole(
        None, "function_call", function_call={"name": "reply", "arguments": OBJECT}
    ),
    "parts": whole([{"type": "thinking", "text": "{}"}, {"type": "text", "text": OBJECT}], "eos"),
    "words after thinking aloud": whole(
        f"<think>{{}} or</think>\n<think>{{}}</think>{OBJECT}", "stop"
    ),
    "words after a </think> that the prompt began": whole(f"So: yes.</think>\n\n{OBJECT}", "stop"),
    "thinking in another mark": whole(f"<thinking>a</thinking> {OBJECT}", "stop"),
    "thinking in a field": whole(OBJECT, "stop", reasoning_content="{}", reasoning={"a": 1}),
}


@pytest.mark.parametrize("form", FORMS)
async def test_an_answer_is_its_words_in_whatever_form(
    provider: OpenAI, vendors: Vendors, form: str
) -> None:
    provider.answers = [FORMS[form]]
    heard: list[str] = []
    asking = CallOptions(schema=SCHEMA, timeout=PATIENCE)
    reply = await vendors.get("openai/gpt-4.1").reply(PROMPT, asking, heard.append)
    assert (reply.text.strip(), reply.cut) == (OBJECT, "")
    if "</think>" not in form:
        assert "".join(heard) in ("Hello.", "")


CUT = "it was cut off at its limit of 1,400 tokens"
ENDS = {
    "max_tokens": ('{"text": "Hel', CUT),
    "MAX_TOKENS": ('{"text": "Hel', CUT),
    "pause_turn": ('{"text": "Hel', "the provider paused it"),
    "length": (None, CUT),  # it thought, and came to no word
}


@pytest.mark.parametrize("end", ENDS)
async def test_an_answer_that_is_not_whole_says_why_and_is_paid_for(
    provider: OpenAI, vendors: Vendors, end: str
) -> None:
    words, why = ENDS[end]
    provider.answers = [whole(words, end, reasoning_content="thinking and thinking")]
    reply = await reply_of(vendors)
    assert (reply.text, reply.cut) == (words or "", why)
    assert (reply.usage.calls, reply.usage.prompt_tokens) == (1, 900)


PAID = {
    "refused in a part": whole([{"type": "refusal", "refusal": "I can't."}], "stop"),
    "recited": whole("Half", "RECITATION"),
    "filtered by Gemini": whole(None, "content_filter: PROHIBITED_CONTENT"),
    "no words": whole("", "stop"),
    "filtered": whole("Half", "content_filter"),
    "refused": whole(None, "stop", refusal="I can't help with that."),
    "failed at its end": whole("Half", "error"),
}


@pytest.mark.parametrize("what", PAID)
async def test_an_answer_that_is_none_is_paid_for(
    provider: OpenAI, vendors: Vendors, what: str
) -> None:
    provider.answers = [PAID[what]]
    paid = (await failure(vendors)).usage or Usage()
    tries = len(provider.requests)
    assert (paid.calls, paid.prompt_tokens, paid.completion_tokens) == (
        tries,
        900 * tries,
        1400 * tries,
    )
    assert paid.usd == pytest.approx(tries * (900 * 2e-6 + 1400 * 8e-6))


async def test_tries_before_the_answer_are_paid_for(provider: OpenAI, vendors: Vendors) -> None:
    provider.answers = [whole("Half", "error"), whole("Hello.", "stop")]
    reply = await reply_of(vendors)
    assert (reply.text, reply.usage.calls, reply.usage.completion_tokens) == ("Hello.", 2, 2800)


async def test_a_stream_that_breaks_off_is_paid_for_by_its_length(
    provider: OpenAI, vendors: Vendors
) -> None:
    piece = {"id": "c", "choices": [{"index": 0, "delta": {"content": "word " * 80}}]}
    event = f"data: {json.dumps(piece)}\n\n".encode()
    provider.answers = [Raw((event,), drop=True), Say(("Hello.",))]
    reply = await reply_of(vendors, watched=True)
    assert (reply.text, reply.usage.calls) == ("Hello.", 2)
    assert reply.usage.completion_tokens == 100 + 10


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><html><head><title>Model hub</title></head>"])
@pytest.mark.parametrize("watched", [True, False])
async def test_a_page_names_its_title_and_the_address(body: bytes, watched: bool) -> None:
    async with openai() as provider:
        provider.answers = [Raw((body,), headers={"Content-Type": "text/html"})]
        base = provider.base.removesuffix("/v1")
        vendors = Vendors({"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": base})
        error = await failure(vendors, watched)
        await vendors.aclose()
    assert "Model hub" in str(error)
    step = "set OPENAI_API_BASE to the address that ends in /v1, which it probably lacks"
    assert step in str(error)
    assert error.usage is None


@pytest.mark.parametrize(
    ("status", "seconds", "long"),
    [(429, 3541, "60 minutes"), (503, 86_400, "24 hours"), (429, 200_000, "3 days")],
)
async def test_a_longer_wait_than_ours_is_named(
    provider: OpenAI, vendors: Vendors, status: int, seconds: int, long: str
) -> None:
    provider.answers = [Fail(status, "Too many", headers={"Retry-After": str(seconds)})]
    step = f"Next: wait {long}, as the provider asks, or choose another model with --models."
    assert str(await failure(vendors)).endswith(step)
    assert len(provider.requests) == 1


BLOCKED = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>API token"


async def test_a_page_that_refuses_does_not_blame_the_key(
    provider: OpenAI, vendors: Vendors
) -> None:
    provider.answers = [Raw((BLOCKED,), 403, {"Content-Type": "text/html"})] * 3
    assert str(await failure(vendors)) == (
        "openai/gpt-4.1: refused by something between this machine and the provider (HTTP 403, "
        "“Just a moment...”). Next: check the network, HTTPS_PROXY if it is set, and the address."
    )


@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize(
    "body", [{"detail": "Token expired"}, {"code": 500, "msg": "Token expired", "success": False}]
)
async def test_an_error_under_the_status_of_an_answer_is_passed_on(
    provider: OpenAI, vendors: Vendors, body: Any, watched: bool
) -> None:
    provider.answers = [Raw((json.dumps(body).encode(),))]
    error = await failure(vendors, watched)
    assert "instead of an answer in OpenAI's chat protocol: Token expired" in str(error)
    assert error.usage is None


async def test_a_body_that_ends_early_is_an_answer_that_broke_off(
    provider: OpenAI, vendors: Vendors
) -> None:
    provider.answers = [Raw((b'{"choices": ',), headers={"Content-Length": "5000"}, drop=True)]
    assert "provider down (“the answer broke off”)" in str(await failure(vendors))


async def test_what_was_paid_counts_if_the_provider_is_left_alone_in_between(
    provider: OpenAI, vendors: Vendors
) -> None:
    provider.answers = [PAID["failed at its end"]]
    failures = await asyncio.gather(*(failure(vendors) for _ in range(4)))
    paid = [error.usage.calls for error in failures if error.usage]
    assert sum(paid) == len(provider.requests)


@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize(
    "counts",
    [
        *([], {}, "none", None),
        {"total_tokens": 14},
        {"prompt_tokens": -9, "completion_tokens": None},
        {"prompt_tokens": 10**14, "completion_tokens": 10**14, "total_tokens": 2 * 10**14},
        {"prompt_tokens": 0, "completion_tokens": 100},
    ],
)
async def test_what_a_provider_does_not_count_is_estimated(
    provider: OpenAI, vendors: Vendors, counts: Any, watched: bool
) -> None:
    """Else a budget would pay for it without end."""
    provider.answers = [Say(("yes " * 100,), usage=counts)]
    prompt = [Message("user", "x" * 40_000)]
    asking = CallOptions(timeout=PATIENCE)
    on_words = (lambda _words: None) if watched else None
    reply = await vendors.get("openai/gpt-4.1").reply(prompt, asking, on_words)
    usage = reply.usage
    assert usage.prompt_tokens == pytest.approx(10_000, rel=0.02)
    assert usage.completion_tokens == 100
    assert usage.usd == pytest.approx(usage.prompt_tokens * 2e-6 + 100 * 8e-6)


@pytest.mark.parametrize(
    "counts",
    [
        {"prompt_tokens": "900", "completion_tokens": "14"},
        {"input_tokens": 900, "output_tokens": 14, "total_tokens": 914},
    ],
    ids=["texts", "the names of OpenAI's other protocol"],
)
async def test_counts_are_read_however_they_are_written(
    provider: OpenAI, vendors: Vendors, counts: Any
) -> None:
    provider.answers = [Say(usage=counts)]
    usage = (await reply_of(vendors)).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (900, 14)


async def test_an_answer_that_broke_off_costs_its_words_and_not_the_first_count(
    provider: OpenAI,
) -> None:
    """Anthropic counts one token at the beginning of a stream, and the rest at its end."""
    vendors = Vendors({"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": provider.base[:-3]})
    words = delta(0, "text_delta", text="word " * 80)
    half = sse(begun(), block(0, "text", text=""), words, named=True)
    provider.answers = [half] * 3
    with pytest.raises(ModelError) as raised:
        await vendors._make("anthropic/claude-sonnet-4-5").reply(
            PROMPT, CallOptions(timeout=PATIENCE), lambda _: None
        )
    await vendors.aclose()
    assert raised.value.usage is not None
    assert (raised.value.usage.prompt_tokens, raised.value.usage.completion_tokens) == (1000, 100)


@pytest.mark.parametrize("total", [112, 20_112, 0])
async def test_tokens_from_the_cache_that_are_counted_beside_the_prompt_never_lower_a_price(
    provider: OpenAI, vendors: Vendors, total: int
) -> None:
    """Gateways pass Anthropic's counts on so."""
    details = {"prompt_tokens_details": {"cached_tokens": 20_000}}
    counts = {"prompt_tokens": 12, "completion_tokens": 100, "total_tokens": total, **details}
    provider.answers = [Say(usage=counts)]
    reply = await reply_of(vendors)
    usage = reply.usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (20_012, 100)
    assert usage.usd == pytest.approx(12 * 2e-6 + 20_000 * 5e-7 + 100 * 8e-6)


async def test_an_error_after_words_is_paid_for_however_they_arrive(
    provider: OpenAI, vendors: Vendors
) -> None:
    words = b'data: {"choices": [{"index": 0, "delta": {"content": "Hello there."}}]}\n\n'
    end = b'data: {"error": {"message": "upstream died", "code": 400}}\n\n'
    for pieces, pause in (((words + end,), 0.0), ((words, end), 0.1)):
        provider.answers = [Raw(pieces, headers={"Content-Type": "text/event-stream"}, pause=pause)]
        error = await failure(vendors)
        assert error.usage is not None
        assert error.usage.completion_tokens == 3
