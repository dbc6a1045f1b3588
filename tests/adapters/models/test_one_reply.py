"""One reply of a model, whatever protocol it speaks: its tools, its rounds, its cost, its end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from adapters.models.catalogue.prices import Facts, Tariff
from adapters.models.exchange import LONGEST_TEXT, ModelAnswer, ModelRequest, ToolCall
from adapters.models.hosted import ROUNDS, Hosted
from adapters.models.pace import ModelPace, OwnMachine
from adapters.models.prose import Prose
from adapters.models.search import SearchAllowance
from adapters.models.tokens import TokenCounts
from core.debate.errors import ModelError
from core.debate.ports import CallOptions, Message, Price, Source
from tests.patience import PATIENCE

PROMPT = (Message("system", "Be brief."), Message("user", "Your turn."))
FINE = ModelAnswer("Fine.", "stop", None)


@dataclass
class Speaker:
    """A client that gives these answers, the last one for good, and keeps what it was asked."""

    answers: list[ModelAnswer]
    questions: list[ModelRequest] = field(default_factory=list)

    async def ask(self, question: ModelRequest, prose: Prose) -> ModelAnswer:
        self.questions.append(question)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        prose.spent.append(answer.tokens or TokenCounts())
        return answer


def model(
    speaker: Speaker, prompt: float | None = 1.0, completion: float | None = 2.0,
    *, tools: bool = True, searches: int = 0, finds: bool = True,
) -> Hosted:  # fmt: skip
    facts = Facts("acme", known=True, tools=tools, tariff=Tariff(prompt, completion, 0.5))
    find = (lambda query: [Source("T", "https://x", query)]) if finds else None
    allowance = SearchAllowance(searches)
    return Hosted("acme/m", facts, speaker, clean=str, find=find, allowance=allowance)


async def looked_up(name: str, arguments: str) -> str:
    return f"{name} of {arguments}"


def options(*tools: str, looks: bool = True) -> CallOptions:
    return CallOptions(timeout=PATIENCE, tools=tools, look_up=looked_up if looks else None)


@pytest.mark.parametrize(
    ("prompt", "completion", "usd"),
    [(0.0, 0.0, 0.0), (0.0, 1.0, 2.0), (1.0, 0.0, 3.0), (None, None, None), (1.0, None, None)],
)
async def test_a_reply_has_a_price_only_if_both_prices_are_known(
    prompt: float | None, completion: float | None, usd: float | None
) -> None:
    speaker = Speaker([replace(FINE, tokens=TokenCounts(3, completion=2))])
    reply = await model(speaker, prompt, completion).reply(PROMPT, options())
    assert (reply.usage.usd, reply.model, reply.text) == (usd, "acme/m", "Fine.")
    assert reply.usage.prompt_chars == len("Be brief.Your turn.")


REFUSED = [
    (" \n", "stop", "the answer is empty"),
    ("<think>hm</think>\n", "stop", "the answer is empty"),
    ("Fine.", "content_filter", "was filtered"),
    ("x" * (LONGEST_TEXT + 1), "stop", "longer than any"),
]


async def test_an_answer_that_is_none_is_refused() -> None:
    for text, end, problem in REFUSED:
        with pytest.raises(ModelError, match=problem):
            await model(Speaker([ModelAnswer(text, end, None)])).reply(PROMPT, options())
    for text, end in (("", "length"), ("x" * LONGEST_TEXT, "stop"), ("Cut of", "length")):
        reply = await model(Speaker([ModelAnswer(text, end, None)])).reply(PROMPT, options())
        assert (reply.text, bool(reply.cut)) == (text, end == "length")


async def test_thinking_aloud_before_the_answer_is_no_part_of_it() -> None:
    spoken = ModelAnswer(" <think>a\nb</think>\nYes <think>.", "stop", None, id="7", model="m-1")
    reply = await model(Speaker([spoken])).reply(PROMPT, options())
    assert (reply.text, reply.request_id, reply.model) == ("Yes <think>.", "7", "m-1")


OFFERED = [
    (("web_search", "read", "search"), {}, {"web_search", "read", "search"}),
    (("web_search",), {}, {"web_search"}),
    (("read",), {}, {"read"}),
    ((), {}, set()),
    (("web_search", "read"), {"tools": False}, set()),
    (("web_search", "read"), {"finds": False}, {"read"}),
]


@pytest.mark.parametrize(("wanted", "without", "offered"), OFFERED)
async def test_only_tools_that_are_allowed_and_there_are_offered(
    wanted: tuple[str, ...], without: dict[str, None], offered: set[str]
) -> None:
    speaker = Speaker([FINE])
    more: dict[str, Any] = {"searches": 9, **without}
    await model(speaker, **more).reply(PROMPT, options(*wanted))
    assert {tool["function"]["name"] for tool in speaker.questions[0].tools} == offered
    await model(speaker, **more).reply(PROMPT, options(*wanted, looks=False))
    names = {tool["function"]["name"] for tool in speaker.questions[1].tools}
    assert names == offered & {"web_search"}


def calling(*calls: ToolCall, tokens: TokenCounts | None = None) -> ModelAnswer:
    return ModelAnswer("", "tool_calls", tokens, calls)


async def test_calls_are_answered_in_order_and_every_round_is_paid_for() -> None:
    round_of_three = calling(
        ToolCall("1", "read", "a"), ToolCall("2", "web_search", '{"query": "b"}'),
        ToolCall("3", "delete", "c"), tokens=TokenCounts(10, 4, 0, 3),
    )  # fmt: skip
    end = ModelAnswer("Fine.", "stop", TokenCounts(20, 5, 0, 1))
    speaker = Speaker([round_of_three, end])
    reply = await model(speaker, searches=1).reply(PROMPT, options("web_search", "read"))
    ((_, results),) = speaker.questions[1].searched
    assert results[0] == "read of a"
    assert '"excerpt": "b"' in results[1]
    assert results[2] == "There is no tool called 'delete'."
    assert [source.text for source in reply.sources] == ["b"]
    usage = reply.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (30, 9, 4)
    assert usage.usd == (6 + 15) * 1.0 + 9 * 0.5 + 4 * 2.0


async def test_the_last_round_must_answer() -> None:
    speaker = Speaker([calling(ToolCall("1", "read", "a"))])
    with pytest.raises(ModelError, match="the answer is empty"):
        await model(speaker).reply(PROMPT, options("read"))
    assert [question.last for question in speaker.questions] == [False] * (ROUNDS - 1) + [True]
    assert [len(question.searched) for question in speaker.questions] == [*range(ROUNDS)]


async def test_calls_of_a_model_that_was_offered_none_are_not_run() -> None:
    speaker = Speaker([ModelAnswer("Fine.", "stop", None, (ToolCall("1", "read", "a"),))])
    reply = await model(speaker).reply(PROMPT, options())
    assert (reply.text, len(speaker.questions)) == ("Fine.", 1)


def test_a_slow_machine_gets_twice_the_time_that_it_needs() -> None:
    machine = OwnMachine({"slow": ModelPace(read=10.0, write=1.0)})
    prompt = [Message("user", "x" * 400)]

    def limit(name: str, tokens: int, timeout: float = 100.0) -> float:
        return machine.limit(name, prompt, CallOptions(max_tokens=tokens, timeout=timeout))

    assert ModelPace(10.0, 1.0).seconds(400, 9) == 19.0
    assert ModelPace(10.0, 4.0).as_price == Price(0.1, 0.25)
    assert limit("unknown", 500) == 100.0
    assert limit("slow", 9) == 100.0
    assert limit("slow", 10) == 101.0
    assert limit("slow", 90) == 200.0
    assert limit("slow", 40, 50.0) == 100.0
