"""How fast a model reads and writes is measured by its first answer, whatever it counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from adapters.models.exchange import ModelAnswer, ModelRequest
from adapters.models.pace import measure
from adapters.models.prose import Prose
from adapters.models.tokens import TokenCounts


@dataclass
class Answers:
    """A clock, and a client whose answers make its time pass: (seconds to the first word, seconds
    after it, what was written, what was counted).
    """

    plan: list[tuple[float, float, str, TokenCounts | None]]
    time: datetime = datetime(2026, 3, 9, tzinfo=UTC)
    questions: list[ModelRequest] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    async def ask(self, question: ModelRequest, prose: Prose) -> ModelAnswer:
        self.questions.append(question)
        first, then, text, tokens = self.plan.pop(0)
        await self.sleep(first)
        if text:
            prose.feed(text[:4])
            prose.feed(text[4:])
        await self.sleep(then)
        return ModelAnswer(text, "stop", tokens)


COUNTED = TokenCounts(prompt=400, completion=21)


async def test_what_was_counted_is_divided_by_the_seconds_that_it_took() -> None:
    model = Answers([(2.0, 10.0, "one two", COUNTED)])
    pace = await measure(model, model)
    assert (pace.read, pace.write) == pytest.approx((200.0, 2.0))
    (question,) = model.questions
    assert (question.asking.max_tokens, question.asking.temperature) == (24, 0.0)


async def test_what_nobody_counted_is_four_characters_a_token() -> None:
    model = Answers([(4.0, 2.0, "x" * 44, None)])
    pace = await measure(model, model)
    characters = len(model.questions[0].messages[0].text)
    assert (pace.read, pace.write) == pytest.approx((characters / 16, 5.0))


async def test_an_answer_in_one_piece_or_none_has_a_pace() -> None:
    for text, tokens, write in (("", COUNTED, 20_000.0), ("", TokenCounts(400), 500.0)):
        model = Answers([(2.0, 0.0, text, tokens)])
        pace = await measure(model, model)
        assert (pace.read, pace.write) == pytest.approx((200.0, write))
    at_once = Answers([(0.0, 0.0, "one two", COUNTED)])
    assert (await measure(at_once, at_once)).read == pytest.approx(400_000.0)


async def test_a_server_that_may_have_been_loading_is_asked_again_and_the_faster_counts() -> None:
    slow, fast = (8.0, 10.0, "one two", COUNTED), (2.0, 10.0, "one two", COUNTED)
    for plan, read, times in (
        ([slow, fast], 200.0, 2),
        ([slow, (16.0, 10.0, "one two", COUNTED)], 50.0, 2),
        ([(5.0, 10.0, "one two", COUNTED)], 80.0, 1),
        ([(5.1, 10.0, "one two", COUNTED), fast], 200.0, 2),
    ):
        model = Answers(list(plan))
        assert (await measure(model, model)).read == pytest.approx(read)
        assert len(model.questions) == times
        texts = [question.messages[0].text for question in model.questions]
        assert len(set(texts)) == times, "no cache has seen it"
