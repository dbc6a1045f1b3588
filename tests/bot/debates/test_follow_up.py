"""The day that a report sets for asking again: the question comes into the thread then, once, and
its answer is what ratings learn from.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.posting.record import incoming, posts_so_far
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts, open_parts
from core.application.commands import Listing
from core.application.desk import Caller
from core.debate.events import DebateRequest, FollowUpDue
from core.debate.ports import CallOptions, Message, Model, OnWords, Reply
from core.debate.state import Debate
from core.debate.verdict.follow_up import follow_up_date
from core.words.views.course.progress import state_line
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.debates.test_money import Priced, PricedModel
from tests.bot.parts import Given, Hands, with_advancer
from tests.bot.posting.test_deliver import poster
from tests.origins import origin
from tests.standins.chat import RecordingChat

CALLER = Caller(ASKER, PLACE, "click")


@dataclass(eq=False)
class Dated(PricedModel):
    """A model whose report names the day of the follow-up; ``trusted``: not a demonstration."""

    trusted: bool

    @property
    def demo(self) -> bool:
        return not self.trusted

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        reply = await self.inner.reply(messages, asking, on_words)
        day = '"follow_up_date": "on 2027-03-01"'
        return replace(reply, text=re.sub(r'"follow_up_date":\s*"[^"]*"', day, reply.text))


@dataclass(frozen=True)
class Daily(Priced):
    trusted: bool = False

    def get(self, name: str) -> Model:
        return Dated(self.inner.get(name), self.trusted)


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
async def parts(file: str, tmp_path: Path, hands: Hands) -> AsyncIterator[Parts]:
    async with open_parts(settings_for(file, tmp_path), shell=False, clock=hands) as opened:
        yield with_advancer(opened, models=Given(Daily(opened.models)))


def relied_on(parts: Parts) -> Parts:
    """Returns the same parts with models whose judgement counts."""
    models = Daily(parts.models, trusted=True)
    preparer = replace(parts.service.preparer, models=models)
    service = replace(parts.service, preparer=preparer)
    return with_advancer(replace(parts, service=service), service=service, models=Given(models))


async def decided(parts: Parts) -> Debate:
    """Returns a finished debate of a template whose report sets a day."""
    question = "Should we sell the export as a product?"
    request = DebateRequest("product_strategy", question, ASKER, PLACE, vote_window=0.0)
    return await parts.advancer.advance(await parts.service.take(request, origin("e1")))


def sent(chat: RecordingChat) -> list[str]:
    """Returns the titles of the messages that were sent."""
    return [line["title"] for line in chat.lines() if line["op"] == "send"]


async def test_the_question_is_asked_on_its_day_and_once(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    """From that day on, lists show the question as unanswered."""
    debate = await decided(parts)
    shell = shell_caller("shell:ann")
    asks = f"(did it hold? {shell.prefix} held {debate.id} yes|no)"
    made = follow_up_date(debate)
    assert made is not None
    assert made.at == datetime(2027, 3, 1, 9, tzinfo=UTC)
    line = await parts.stores.debates.get(debate.id)
    assert line is not None
    assert (line.status, line.wake_at) == ("finished", made.at)
    assert asks not in (await parts.desk.take(Listing(), shell)).text
    hands.time = made.at - timedelta(seconds=1)
    assert await parts.stores.debates.find_runnable() == []
    hands.time = made.at
    assert asks in (await parts.desk.take(Listing(), shell)).text
    assert await parts.stores.debates.find_runnable() == [debate.id]
    for _ in range(2):
        debate = await parts.advancer.advance(debate.id)
    assert debate.follow_up == FollowUpDue(made.question, made.at)
    assert state_line(debate).endswith("(did it hold?)")
    assert await parts.stores.debates.find_runnable() == []
    one, chat = poster(parts, tmp_path)
    await one.deliver_all()
    assert sent(chat).count(made.question) == 1
    posts = posts_so_far(await parts.stores.debates.load(debate.id), PLACE)
    question = incoming(posts[-2].body)  # the last is the root's edit
    assert [(button.label, button.action) for button in question.buttons] == [
        ("It held", "held"),
        ("It did not hold", "held"),
        ("Debate it again", "rerun"),
    ]
    answer = await parts.desk.press("held", question.buttons[1].value, CALLER)
    assert answer.text == (
        f"Noted: the verdict of `{debate.id}` did not hold. The leaderboard leaves "
        "demonstrations and what-ifs out."
    )
    debate = await parts.advancer.advance(debate.id)
    kept = await parts.stores.outcomes.get(debate.id)
    assert kept is not None
    assert kept.held is False
    assert "did it hold" not in state_line(debate)
    assert asks not in (await parts.desk.take(Listing(), shell)).text


async def test_who_has_answered_before_is_not_asked(parts: Parts, hands: Hands) -> None:
    debate = await decided(parts)
    await parts.desk.press("held", f"{debate.id}:yes", CALLER)
    debate = await parts.advancer.advance(debate.id)
    line = await parts.stores.debates.get(debate.id)
    assert line is not None
    assert line.wake_at is None
    hands.time += timedelta(days=4000)
    assert await parts.stores.debates.find_runnable() == []


TEXT = "1. Every service has one owner.\n2. The owner is paged at night."


async def test_an_incident_is_asked_about_after_the_templates_days(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    parts, days = relied_on(parts), 30
    request = DebateRequest(
        "incident_response", "owners.md", ASKER, PLACE, text=TEXT, vote_window=0.0, rounds=1
    )
    debate = await parts.advancer.advance(await parts.service.take(request, origin("e1")))
    assert debate.concluded is not None
    due = datetime.combine(
        debate.concluded.at.date() + timedelta(days), datetime.min.time(), UTC
    ) + timedelta(hours=9)
    line = await parts.stores.debates.get(debate.id)
    assert line is not None
    assert line.wake_at == due
    hands.time = due
    for _ in range(2):
        debate = await parts.advancer.advance(debate.id)
    one, chat = poster(parts, tmp_path)
    await one.deliver_all()
    question = f"Did it hold? {debate.open.material.title}"
    assert sent(chat).count(question) == 1
    assert debate.follow_up is not None
    posts = posts_so_far(await parts.stores.debates.load(debate.id), PLACE)
    (post,) = [p for each in posts if (p := incoming(each.body)).title == question]
    assert post.body.startswith(f"The verdict is {days} days old. It came to: ")
    assert [b.value for b in post.buttons[:2]] == [f"{debate.id}:yes", f"{debate.id}:no"]
