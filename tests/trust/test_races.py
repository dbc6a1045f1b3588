"""Two processes on one database that do the same thing at the same moment: buttons that several
people press, limits and budgets at their last cent.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.debates.budgets import day_of
from bot.debates.opening.complexity import price_of
from bot.forges.review import preview_review
from bot.wire.parts import Parts
from core.application.commands.requests import ScheduleAdd, ScheduleDo, Start
from core.application.desk import Caller
from core.debate.errors import BadInput, Refused
from core.debate.events import DebateRequest
from core.debate.log import Call
from core.debate.ports import Model
from core.debate.verdict.action_items import action_items
from storage.debates import Debates
from storage.debates.calls import Limit, Spending
from storage.people.tokens import Tokens
from storage.schema import open_database
from storage.tables import CALL
from tests.bot.crashing import ASKER, PLACE
from tests.bot.debates.test_money import TOKEN, Priced, PricedModel, parts_at, play
from tests.bot.forges.town import REPO, town
from tests.bot.parts import Given, with_advancer
from tests.end_to_end import nursery
from tests.origins import origin
from tests.project import ROOT

QUESTION = "Should the queue of jobs live in PostgreSQL?"
ANN, BOB = "slack:T1/U1", "slack:T1/U2"
Act = dict[str, Any]


@pytest.fixture(params=["postgresql", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/debate.db"
    server: str = request.getfixturevalue("postgres_url")
    return server


def at_once(
    folder: Path, env: Mapping[str, str], acts: Sequence[Sequence[Act]], kinds: Sequence[str]
) -> list[list[Act]]:
    """Returns the answers of two processes that began at the same moment."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DEBATE_")}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                nursery.Popen(
                    [sys.executable, "-m", "tests.trust.presser", kind, str(folder)],
                    cwd=ROOT, env=clean | dict(env), text=True,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                )
            )
            for kind in kinds
        ]  # fmt: skip
        try:
            for process in processes:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n"
            at = time.time() + 0.15
            for process, mine in zip(processes, acts, strict=True):
                assert process.stdin is not None
                process.stdin.write(json.dumps({"at": at, "acts": mine}) + "\n")
                process.stdin.flush()
            lines = []
            for process in processes:
                assert process.stdout is not None
                lines.append(json.loads(process.stdout.readline()))
            return lines
        finally:
            for process in processes:
                process.kill()


def scripted(url: str, **more: str) -> dict[str, str]:
    return {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted", "DEBATE_DATABASE_URL": url, **more}


async def test_a_button_that_two_people_press_at_once_does_it_once(
    postgres_url: str, tmp_path: Path
) -> None:
    """The review of a pull request, an issue, a run of a schedule, an agreed price."""
    async with town(tmp_path, url=postgres_url) as t:
        t.clock.at = datetime.now(UTC)
        first = await t.review()
        _, review = await preview_review(t.parts.context, first.id)
        assert action_items(first)
        desk = t.bot.desk
        there = Caller(ANN, "slack:T1/C2", "add", admin=True)
        start = Start("code_review", f"github:{REPO}", yes=True)
        assert (await desk.take(ScheduleAdd("0 9 * * *", start), there)).ok
        (schedule,) = await t.bot.stores.schedules.find_all()
        env = scripted(
            postgres_url, GITHUB_API_URL=t.github.url, GITHUB_TOKEN="personal",
            DEBATE_PRIVATE_WORKSPACES="slack:T1", DEBATE_PUBLIC_URL="https://bot.example",
        )  # fmt: skip
        acts = [
            [
                {"press": "approve", "value": f"{first.id}:{review.digest}"},
                {"press": "issue", "value": f"{first.id}:1"},
                {"text": f"schedule run {schedule.id}", "place": "slack:T1/C2"},
                {"text": f"panel {QUESTION}", "person": ANN, "source": "agreed"},
            ]
            for _ in range(2)
        ]
        for n, person in enumerate((ANN, BOB)):
            for number, act in enumerate(acts[n]):
                act.setdefault("person", person)
                act.setdefault("source", f"slack:event-{n}-{number}")
        thread = await asyncio.to_thread(at_once, tmp_path, env, acts, ("bot", "bot"))
        texts = [answer["text"] for answers in thread for answer in answers]
        assert all(answer["ok"] for answers in thread for answer in answers), texts
        lines = await t.bot.service.debates.find_recent()
        assert len([line for line in lines if line.place == "slack:T1/C2"]) == 1, texts
        assert len([line for line in lines if line.template == "panel"]) == 1
        posts = [row.work.kind for row in await t.parts.context.work.of(first.id)]
        assert (posts.count("review"), posts.count("issue")) == (1, 1)


async def test_two_processes_start_no_more_than_the_limit(
    postgres_url: str, tmp_path: Path
) -> None:
    """Commands and runs of schedules, each asked for by the same person at the same moment."""
    env = scripted(postgres_url, DEBATE_LIMITS="person-debates=3,place-schedules=90")
    env["DEBATE_LIMITS"] += ",person-schedules=90"
    async with parts_at(tmp_path, url=postgres_url) as parts:
        ids = []
        for n in range(8):
            caller = Caller(ANN, PLACE, f"add-{n}", admin=True)
            added = ScheduleAdd("0 9 * * *", Start("panel", f"{QUESTION} {n}", yes=True))
            assert (await parts.desk.take(added, caller)).ok
        ids = [each.id for each in await parts.stores.schedules.find_all()]
        acts = [
            [
                *({"text": f"schedule run {id}"} for id in ids[n::2]),
                *({"text": f"panel {QUESTION} {n}{m} --yes"} for m in range(4)),
            ]
            for n in range(2)
        ]
        for n, mine in enumerate(acts):
            for number, act in enumerate(mine):
                act |= {"person": ANN, "source": f"event-{n}-{number}"}
        at_once(tmp_path, env, acts, ("bot", "bot"))
        assert len(await parts.stores.debates.find_recent()) == 3


async def spent(parts: Parts) -> float:
    start = parts.clock.now().date()
    return sum(day.usd for day in await parts.stores.spending.by_day(start, None))


async def test_two_processes_never_spend_the_last_cent_twice(url: str, tmp_path: Path) -> None:
    """Two replicas; on SQLite a shell beside a bot. Each plays what the budget pays for once: a
    person's there, all people's here.
    """
    person = url.startswith("sqlite")
    setting = "DEBATE_PERSON_BUDGET" if person else "DEBATE_DAILY_BUDGET"
    async with parts_at(tmp_path, url=url) as parts:
        one = (await play(parts, "first")).spent
        budget = await spent(parts) + one * 2.5
        ids = [
            await parts.service.take(
                DebateRequest("triad", QUESTION, ASKER, PLACE, vote_window=0.0), origin(f"e{n}")
            )
            for n in range(6)
        ]
        env = scripted(url) | {setting: f"{budget:.6f}"}
        acts: list[list[Act]] = [[{"play": id} for id in ids[n::2]] for n in range(2)]
        at_once(tmp_path, env, acts, ("priced", "priced"))
        after = await spent(parts)
        assert after <= budget + 1e-9
        assert after > one, "somebody could begin"
        limits = [Limit(budget, day_of(parts.clock.now()))]
        left = await parts.stores.spending.left(limits)
        assert left is not None
        assert left >= -1e-9


class Paid(Priced):
    """Models that are no demonstration, so that a panel's size is asked of one."""

    def get(self, name: str) -> Model:
        return PaidModel(self.inner.get(name))


class PaidModel(PricedModel):
    @property
    def demo(self) -> bool:
        return False


def paying(parts: Parts) -> Parts:
    models = Paid(parts.models)
    service = replace(parts.service, preparer=replace(parts.service.preparer, models=models))
    paid_parts = replace(parts, service=service)
    return with_advancer(paid_parts, service=service, models=Given(models))


async def assessed(parts: Parts) -> list[float]:
    """Returns the calls that were paid for choosing the size of a panel."""
    query = sa.select(CALL.c.usd).where(CALL.c.turn == "assess", CALL.c.usd.is_not(None))
    return list(await parts.stores.database.read(lambda conn: conn.execute(query).scalars().all()))


async def test_what_a_panel_s_size_is_chosen_with_is_paid_from_the_same_budget(
    tmp_path: Path,
) -> None:
    """The short call before the opening: many panels open at once, and one of them can pay it."""
    url = f"sqlite:///{tmp_path}/debate.db"
    async with parts_at(tmp_path, url=url) as opened:
        parts = paying(opened)
        first = await play(parts, "first", template="panel")
        price = price_of(first.open.material, TOKEN)
        assert price is not None
        (paid,) = await assessed(parts)
        assert paid <= price
        before = await spent(parts)
    budget = before + price * 1.5
    async with parts_at(tmp_path, url=url, daily_budget=budget) as opened:
        parts = paying(opened)
        await asyncio.gather(*(play(parts, f"e{n}", template="panel") for n in range(8)))
        assert await spent(parts) <= budget + 1e-9
        assert len(await assessed(parts)) >= 2, "one of them could be paid"


async def test_runs_of_a_schedule_at_one_moment_debate_a_commit_once(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        there = Caller(ANN, "slack:T1/C2", "add", admin=True)
        start = Start("code_review", f"github:{REPO}", yes=True)
        assert (await t.bot.desk.take(ScheduleAdd("0 9 * * *", start), there)).ok
        (schedule,) = await t.bot.stores.schedules.find_all()
        runs = [ScheduleDo("run", schedule.id) for _ in range(4)]
        answers = await asyncio.gather(
            *(t.bot.desk.take(run, replace(there, source=f"run-{n}")) for n, run in enumerate(runs))
        )
        assert all(answer.ok for answer in answers), answers
        assert len(await t.bot.service.debates.find_recent()) == 1, answers


def settled(conn: sa.Connection) -> int:
    """Settles the recorded calls as never made and free."""
    return conn.execute(sa.update(CALL).values(state="done", usd=0.0)).rowcount


async def test_many_replicas_never_set_the_same_cent_aside(url: str, tmp_path: Path) -> None:
    """Eight connections, each with a call that may cost what is left, at the same moment; again and
    again, for a race is not lost each time.
    """
    async with AsyncExitStack() as stack:
        parts = await stack.enter_async_context(parts_at(tmp_path, url=url))
        limits = [Limit(1.0, day_of(parts.clock.now()))]
        writers = []
        for n in range(8):
            wish = DebateRequest("triad", f"{QUESTION} {n}", ASKER, PLACE)
            id = await parts.service.take(wish, origin(f"e{n}"))
            database = await open_database(url)
            stack.push_async_callback(database.close)
            log = await Debates(database).claim(id, f"replica-{n}")
            writers.append((Spending(database), log))
        for turn in range(6):
            call = Call(f"t{turn}", 1, "paid", estimate=1.0)
            noted = await asyncio.gather(
                *(shared.reserve(log, [call], 1.0, 0.0, limits) for shared, log in writers)
            )
            assert sum(noted) == 1, f"{sum(noted)} calls of a dollar each, and there is one dollar"
            await parts.stores.database.write(settled)


async def test_twenty_programs_with_one_token_take_no_more_than_its_budget(
    url: str, tmp_path: Path
) -> None:
    """Four bots, five requests each, at the same moment; then twenty times the same request. One of
    them is cut off: what it holds stays held, for its debate may have begun.
    """
    async with AsyncExitStack() as stack:
        bots = []
        for _ in range(4):
            database = await open_database(url)
            stack.push_async_callback(database.close)
            bots.append(Tokens(database))
        until = datetime.now(UTC) + timedelta(days=1)
        for attempt in range(3):
            token, secret = await bots[0].make(ANN, "", f"ci{attempt}", ["start"], 1.0, until)
            answers = await asyncio.gather(
                *(bots[n % 4].hold(token, f"k{n}", "panel", 0.3) for n in range(20)),
                return_exceptions=True,
            )
            assert answers.count("") == 3, answers
            assert sum(isinstance(one, Refused) for one in answers) == 17
            [(first, _), (second, _), _] = [(n, one) for n, one in enumerate(answers) if one == ""]
            await bots[1].settle(token, f"k{first}", "")  # refused: its money is back
            assert (held := await bots[2].find(secret))
            assert held.held == pytest.approx(0.6)
            again = await asyncio.gather(
                *(bots[n % 4].hold(token, "once", "panel", 0.3) for n in range(20)),
                return_exceptions=True,
            )
            assert again.count("") == 1, again
            with pytest.raises(BadInput, match="under way or was cut off"):
                await bots[3].hold(token, f"k{second}", "panel", 0.3)
            with pytest.raises(Refused, match="budget has"):
                await bots[3].hold(token, "more", "panel", 0.3)
