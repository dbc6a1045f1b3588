"""The embedded model: its two-call protocol against a stand-in, its process for real, and the real model where its weights are at hand."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.models import embedded, weights
from adapters.models.embedded import PROSE_FIRST, THEN_JSON, Embedded, bounded, closed_sets, joined, whole_sentences
from core.errors import BadInput, ModelError
from core.parsing import find_object
from core.ports import Asking, Message
from tests.standins.openai import Fail, OpenAI, Say, openai

pytestmark = pytest.mark.skipif(not embedded.available(), reason="the runtime has no wheel for this machine")

PROMPT = (Message("system", "Argue."), Message("user", "=== a.py\n    1 + pay(order)"), Message("user", "Your turn."))
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "stance": {
            "type": "object",
            "properties": {
                "option": {"type": "string", "enum": ["approve", "reject"]},
                "because": {"type": "string"},
                "moved_by": {"type": "string"},
            },
            "required": ["option", "because", "moved_by"],
        },
        "claims": {
            "type": "array",
            "maxItems": 4,
            "items": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        },
    },
    "required": ["text", "stance", "claims"],
}
SHORT = {
    "type": "object",
    "properties": {
        "stance": {
            "type": "object",
            "properties": {"option": {"type": "string", "enum": ["approve", "reject"]}, "because": {"type": "string", "maxLength": 100}},
            "required": ["option", "because"],
        },
        "claims": {
            "type": "array",
            "maxItems": 1,
            "items": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 100}}, "required": ["text"]},
        },
    },
    "required": ["stance", "claims"],
}


class Standing(Embedded):
    """The client with a stand-in in place of its process."""

    def __init__(self, server: OpenAI) -> None:
        super().__init__(weights.SMALL, {})
        self.server = server

    async def _started(self) -> None:
        self._base, self._key = self.server.base, "child-key"


@pytest.fixture
async def server() -> AsyncIterator[OpenAI]:
    async with openai() as state:
        yield state


async def test_prose_comes_first_and_then_the_bound_part_on_the_same_prefix(server: OpenAI) -> None:
    server.answers = [Say(("It is ", "risky.")), Say(('{"stance": {"option": "reject", "because": "a.py:1"}, "claims": []}',))]
    words: list[str] = []
    reply = await Standing(server).reply(PROMPT, Asking(schema=SCHEMA), words.append)
    assert reply.text == (
        'It is risky.\n\n```json\n{"text": "It is risky.", "stance": {"option": "reject", "because": "a.py:1"}, "claims": []}\n```'
    )
    assert ("".join(words), reply.usage.prompt_tokens, reply.usage.usd) == ("It is risky.", 200, 0.0)
    assert reply.model == "embedded-small (SmolLM2-135M-Instruct Q4_1)"
    first, second = (r["messages"] for r in server.requests)
    assert [m["content"] for m in first] == [*(m.text for m in PROMPT[:-1]), PROMPT[-1].text + PROSE_FIRST]
    assert second == [*first, {"role": "assistant", "content": "It is risky."}, {"role": "user", "content": THEN_JSON}]
    assert "response_format" not in server.requests[0]
    assert server.requests[1]["response_format"]["json_schema"]["schema"] == SHORT
    assert server.keys == ["Bearer child-key"] * 2


async def test_turns_are_spoken_one_at_a_time(server: OpenAI) -> None:
    server.answers = [Say(("a", "b"), pause=0.01)]
    model = Standing(server)
    order: list[str] = []
    asked = [model.reply(PROMPT, Asking(), lambda _, n=n: order.append(n)) for n in "xyz"]  # type: ignore[misc]  # mypy sees no default
    await asyncio.gather(*asked)
    assert order == ["x", "x", "y", "y", "z", "z"]


async def test_a_prompt_that_is_too_long_is_told(server: OpenAI) -> None:
    server.answers = [Fail(400, "request (9000 tokens) exceeds the available context size (4608 tokens)")]
    with pytest.raises(ModelError) as caught:
        await Standing(server).reply(PROMPT, Asking())
    assert caught.value.kind == "context_too_long"


def test_the_structured_part_is_kept_short() -> None:
    assert bounded(SCHEMA, {}) == SHORT


def test_files_and_ids_are_chosen_from_what_stands_in_the_prompt() -> None:
    said = Message("user", "[open.critic] P1: approve\n- open.critic.f1 high\n[x1] A person objected: why?")
    closed = closed_sets((*PROMPT, said))
    assert closed == {"path": ["a.py"], "to": ["x1", "open.critic.f1"]}
    answers = {"type": "array", "items": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}}
    assert bounded(answers, closed)["items"]["properties"] == {"to": {"type": "string", "enum": ["x1", "open.critic.f1"]}}
    assert closed_sets(PROMPT[:1]) == {}


def test_a_structured_part_that_is_no_json_stays_readable_as_prose() -> None:
    assert joined("Yes.", '{"a": ', {}) == 'Yes.\n\n```json\n{"a": \n```'
    assert find_object(joined("Yes.", '{"a": 1}', {})) == ("Yes.", {"a": 1})


def test_a_cut_text_ends_with_a_sentence() -> None:
    assert whole_sentences("One thing. Another thing. And then a") == "One thing. Another thing."
    assert whole_sentences("One. And then it went on for long") == "One. And then it went on for long"


async def test_a_process_that_cannot_load_its_weights_is_told_and_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but not really")
    monkeypatch.setattr(weights, "fetch", lambda *_: broken)
    spawned: list[asyncio.subprocess.Process] = []
    spawn = embedded._spawned

    async def kept(log: int) -> asyncio.subprocess.Process:
        spawned.append(await spawn(log))
        return spawned[-1]

    monkeypatch.setattr(embedded, "_spawned", kept)
    with pytest.raises(ModelError, match=r"embedded-small: provider down .*did not start") as caught:
        await Embedded(weights.SMALL, {}).reply(PROMPT, Asking())
    assert caught.value.kind == "provider_down"
    assert spawned[0].returncode is not None


async def test_the_small_model_stands_in_when_the_large_one_cannot_be_had(tmp_path: Path) -> None:
    env = {"XDG_CACHE_HOME": str(tmp_path), "DEBATE_EMBEDDED_URL": "ftp://nowhere"}
    model = Embedded(weights.LARGE, env)
    with pytest.raises(ModelError, match=r"The weights of SmolLM2-135M-Instruct Q4_1 cannot be had: ftp://nowhere is no http address"):
        await model.warm()


async def test_a_wrong_file_is_a_mistake_of_the_configuration(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a file"):
        await Embedded(weights.LARGE, {"DEBATE_EMBEDDED_WEIGHTS": str(tmp_path / "none")}).warm()


HERE = weights.present(weights.SMALL, os.environ)


@pytest.mark.skipif(not HERE, reason="the small weights are not in the cache")
async def test_the_real_small_model_answers_in_the_shape_that_was_asked() -> None:
    model = Embedded(weights.SMALL, dict(os.environ))
    choice = {"type": "object", "properties": {"option": {"type": "string", "enum": ["approve", "reject"]}}, "required": ["option"]}
    try:
        reply = await model.reply(PROMPT, Asking(schema=choice, max_tokens=24))
        again = await model.reply(PROMPT, Asking(max_tokens=4))
    finally:
        await model.aclose()
    prose, fields = find_object(reply.text)
    assert prose
    assert fields["option"] in ("approve", "reject")
    assert reply.usage.cached_tokens > reply.usage.prompt_tokens // 3, "the second call reads the prefix from the cache"
    assert again.usage.completion_tokens <= 8


@pytest.mark.skipif(not HERE, reason="the small weights are not in the cache")
def test_the_real_process_ends_with_its_parent() -> None:
    order = {"weights": str(weights.fetch(weights.SMALL, os.environ)), "name": "x", "key": "k", "threads": 1, "context": 512}
    program = Path(embedded.__file__).with_name("embedded_child.py")
    with subprocess.Popen(
        [sys.executable, "-P", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdin
        assert child.stdout
        child.stdin.write(json.dumps(order).encode() + b"\n")
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["base"].startswith("http://127.0.0.1:")
        child.stdin.close()
        assert child.wait(timeout=10) == 0
