"""Schedules end to end: added at the desk, fired by the ticker, reading a stand-in of GitHub, on
both databases.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.limits import Limits
from bot.posting.deliver import Poster
from bot.schedules.fire import FAILURES
from bot.schedules.tick import Ticker
from bot.wire.parts import Parts, open_parts
from core.application.commands import ScheduleDo, parse
from core.application.desk import Caller
from core.debate.state import Debate
from storage.claims import Pace
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import Hands
from tests.project import ROOT
from tests.standins.chat import RecordingChat
from tests.standins.github import GitHubStandIn, Pull

DIFF = (
    b"diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def f():\n- "
    b"   return 1\n+    return 2\n"
)
PACKAGED = ROOT / "core" / "debate" / "templates"
LINK = "https://github.com/o/r/pull/{}"


LIMITS = Limits()


@asynccontextmanager
async def parts_at(
    url: str,
    folder: Path,
    hands: Hands,
    github: GitHubStandIn | None = None,
    chat: RecordingChat | None = None,
    limits: Limits = LIMITS,
) -> AsyncIterator[Parts]:
    forge = github.url if github else ""
    settings = settings_for(url, folder, github_api_url=forge, limits=limits)
    chats = {"slack": chat or RecordingChat(folder / "said.jsonl")}
    async with open_parts(settings, shell=False, clock=hands, chats=chats) as parts:
        yield parts


def caller(source: str = "e1", person: str = ASKER, place: str = PLACE) -> Caller:
    return Caller(person, place, source)


async def answer_to(parts: Parts, text: str, who: Caller | None = None) -> str:
    request = parse(text, templates=[t.id for t in parts.desk.templates()])
    return (await parts.desk.take(request, who or caller())).text


async def only_id(parts: Parts) -> str:
    (schedule,) = await parts.stores.schedules.find_all()
    return schedule.id


async def outcome_of(parts: Parts, id: str) -> str:
    schedule = await parts.stores.schedules.get(id)
    assert schedule is not None
    return schedule.outcome


async def fire(parts: Parts) -> int:
    """Lets the ticker look once and waits for everything that it began."""
    ticker = Ticker(parts.firings, parts.stores.messages, parts.advancer.owner)
    fired = await ticker.tick()
    await asyncio.gather(*ticker.running)
    return fired


async def debates_of(parts: Parts) -> list[Debate]:
    return [await parts.service.load(line.id) for line in await parts.stores.debates.find_recent()]


async def targets(parts: Parts) -> list[str]:
    return sorted(debate.request.target for debate in await debates_of(parts))


async def test_open_pull_requests_are_debated_when_they_have_new_commits(
    file: str, tmp_path: Path
) -> None:
    hands, github = Hands(), GitHubStandIn()
    for number in (1, 2):
        github.pulls["o/r", number] = Pull(DIFF, heads=[f"{number}" * 40], labels=("review",))
    github.pulls["o/r", 3] = Pull(DIFF, heads=["3" * 40])
    async with github.running(), parts_at(file, tmp_path, hands, github) as parts:
        added = await answer_to(
            parts,
            'schedule add "every weekday 09:00" --tz Europe/Helsinki code_review github:o/r '
            "--label review --rounds 1",
        )
        id = await only_id(parts)
        assert added == (
            f"Schedule `{id}`: code_review on github:o/r, at 09:00 on Monday through Friday, "
            "Europe/Helsinki (`0 9 * * mon-fri`). First: "
            "[Tue 2026-11-24 09:00 EET](time:1795503600). "
            "Try it now: "
            f"/debate schedule run {id}"
        )
        assert await fire(parts) == 0
        hands.time += timedelta(days=1)
        assert await fire(parts) == 1
        assert await targets(parts) == [LINK.format(1), LINK.format(2)]
        (first, *_) = await parts.stores.debates.find_recent()
        request = (await parts.service.load(first.id)).request
        assert (request.asker, request.place) == (ASKER, PLACE)
        assert (request.schedule, request.rounds) == (id, 1)

        hands.time += timedelta(days=1)
        assert await fire(parts) == 1
        assert len(await targets(parts)) == 2, "nothing has changed, so nothing was started"
        assert not (await parts.stores.outbox.claim("test", pace={"discord": Pace()})), (
            "and nothing was said"
        )
        assert await outcome_of(parts, id) == "nothing has changed"

        github.pulls["o/r", 2].heads = ["4" * 40]
        github.pulls["o/r", 3].labels = ("review",)
        hands.time += timedelta(days=1)
        assert await fire(parts) == 1
        assert await targets(parts) == [LINK.format(n) for n in (1, 2, 3)], (
            "the debate about the second is not over yet"
        )
        (second,) = [d for d in await debates_of(parts) if d.request.target == LINK.format(2)]
        await parts.advancer.advance(second.id)  # it reads the newest commit
        hands.time += timedelta(days=1)
        assert await fire(parts) == 1
        assert len(await targets(parts)) == 3
        github.pulls["o/r", 2].heads = ["5" * 40]
        hands.time += timedelta(days=3)  # after the weekend
        assert await fire(parts) == 1
        assert await targets(parts) == [LINK.format(n) for n in (1, 2, 2, 3)]
        again = next(d for d in await debates_of(parts) if d.request.after)
        assert (again.request.after, again.request.story) == (second.id, second.id)


async def test_every_filter_counts_and_the_last_updated_come_first(
    file: str, tmp_path: Path
) -> None:
    hands, github = Hands(), GitHubStandIn()

    def pull(number: int, day: int, *labels: str, author: str = "bob") -> None:
        at = f"2026-11-{day}T10:00:00Z"
        github.pulls["o/r", number] = Pull(
            DIFF, heads=[f"{number}" * 40], labels=labels, author=author, updated_at=at
        )

    for number, day in ((1, 20), (2, 22), (3, 21)):
        pull(number, day, "Review", "urgent")
    pull(4, 22, "review")
    pull(5, 22, "review", "urgent", author="eve")
    pull(6, 10, "review", "urgent")
    async with github.running(), parts_at(file, tmp_path, hands, github) as parts:
        both = "--label review --label urgent --author @bob --since 7d"
        for number, more in enumerate(("", "--at-most 2 --base main", "--base release"), 1):
            line = f"schedule add 08:30 code_review github:o/r {both} {more}"
            await answer_to(parts, line, caller(f"e{number}", place=f"slack:T1/C{number}"))
        hands.time += timedelta(minutes=30)
        assert await fire(parts) == 3
        started = [(x.request.place, x.request.target) for x in await debates_of(parts)]
        assert sorted(started) == [
            *((PLACE, LINK.format(n)) for n in (1, 2, 3)),
            *(("slack:T1/C2", LINK.format(n)) for n in (2, 3)),
        ]
        (nothing,) = await parts.stores.schedules.find_all("slack:T1/C3")
        assert nothing.outcome == "no open pull request matches"


async def test_one_pull_request_and_a_fixed_question(file: str, tmp_path: Path) -> None:
    hands, github = Hands(), GitHubStandIn()
    github.pulls["o/r", 7] = Pull(DIFF, heads=["7" * 40])
    async with github.running(), parts_at(file, tmp_path, hands, github) as parts:
        await answer_to(parts, f"schedule add 08:00 code_review {LINK.format(7)}", caller("e1"))
        question = "What should we delete next?"
        await answer_to(parts, f'schedule add 10:00 panel "{question}"', caller("e2"))
        for _ in range(2):
            hands.time += timedelta(days=1)
            await fire(parts)
            hands.time += timedelta(hours=3)
            await fire(parts)
        assert await targets(parts) == [question, question, LINK.format(7)]


async def test_late_firings_are_one_and_very_late_ones_are_missed(
    file: str, tmp_path: Path
) -> None:
    hands = Hands()
    async with parts_at(file, tmp_path, hands) as parts:
        await answer_to(parts, 'schedule add hourly panel "What should we delete next?"')
        id = await only_id(parts)
        hands.time += timedelta(hours=5, minutes=20)
        assert await fire(parts) == 1, "five firings slept through are one"
        assert len(await parts.stores.debates.find_recent()) == 1
        schedule = await parts.stores.schedules.get(id)
        assert schedule is not None
        assert schedule.next_at == datetime(2026, 11, 23, 14, 0, tzinfo=UTC)

        await answer_to(parts, f"schedule remove {id}")
        await answer_to(parts, 'schedule add daily panel "And after that?"', caller("e2"))
        id = await only_id(parts)
        hands.time += timedelta(days=1)
        assert await fire(parts) == 1
        late = "missed: it was 5 hours late, more than the 60 minutes it may be"
        assert await outcome_of(parts, id) == late
        assert len(await parts.stores.debates.find_recent()) == 1


async def test_pause_resume_run_list_and_remove(file: str, tmp_path: Path) -> None:
    hands = Hands()
    async with parts_at(file, tmp_path, hands) as parts:
        for _ in range(2):  # a redelivery adds nothing
            await answer_to(
                parts, 'schedule add "0 9 * * mon-fri" panel "What should we delete next?"'
            )
        id = await only_id(parts)
        refused = "Only the person who started it, or an admin, may pause this schedule."
        unknown = (
            f"There is no schedule '{id}' here: `/debate schedule list` shows those there are."
        )
        for place, says in ((PLACE, refused), ("slack:T1/C2", refused), ("slack:T2/C2", unknown)):
            stranger = caller("e9", "slack:T1/U2", place)
            assert await answer_to(parts, f"schedule pause {id}", stranger) == says
        assert await answer_to(parts, f"schedule pause {id}") == (
            f"Schedule `{id}` is paused. Let it continue with: /debate schedule resume {id}"
        )
        hands.time += timedelta(days=2)
        assert await fire(parts) == 0
        assert await answer_to(parts, f"schedule resume {id}") == (
            f"Schedule `{id}` is resumed. Next: [Wed 2026-11-25 09:00 UTC](time:1795597200)."
        )
        assert await fire(parts) == 0, "what was missed while it rested is not made up"

        ran = await answer_to(parts, f"schedule run {id}", caller("e3"))
        (line,) = await parts.stores.debates.find_recent()
        assert ran == f"Schedule `{id}`: started `{line.id}`."
        again = await answer_to(parts, f"schedule run {id}", caller("e3"))
        assert again == f"Schedule `{id}` was run already."
        answer = await parts.desk.take(ScheduleDo("list", json=True), caller())
        assert answer.text == (
            f"- `{id}` at 09:00 on Monday through Friday, UTC: panel on What should we delete "
            "next?, next [Wed 2026-11-25 09:00 UTC](time:1795597200), yours; "
            f"last: `{line.id}` reading the material"
        )
        (document,) = json.loads(answer.files[0].text)
        assert (document["id"], document["enabled"]) == (id, True)
        assert document["next_at"] == "2026-11-25T09:00:00+00:00"
        (glance,) = (await parts.desk.home(caller())).schedules
        assert (glance.id, glance.title) == (id, "panel: What should we delete next?")
        assert (await parts.desk.home(Caller("slack:T2/U5", "slack:T2/", "home"))).schedules == ()
        assert await answer_to(parts, f"schedule remove {id}") == f"Schedule `{id}` is gone."
        assert await answer_to(parts, "schedule list") == (
            'No schedules here. Add one: /debate schedule add "every weekday 09:00" code_review '
            "github:OWNER/REPO"
        )


async def test_what_cannot_be_scheduled_is_refused(tmp_path: Path) -> None:
    needed = "A scheduled code_review needs the link of a pull request, or github:OWNER/REPO"
    cases: list[tuple[str, str]] = [
        ('daily --tz Mars/Base panel "What next?"', "There is no time zone 'Mars/Base'."),
        ("08:00 code_review github:o", "“o” is not a repository. Write it as owner/name."),
        ('daily code_review "the usual"', needed),
        (f"08:00 code_review {LINK.format(1)} --label x", "--label chooses among pull requests"),
    ]
    async with parts_at(str(tmp_path / "debate.db"), tmp_path, Hands()) as parts:
        for text, says in cases:
            assert says in await answer_to(parts, f"schedule add {text}")
        assert await parts.stores.schedules.find_all() == []


async def test_a_schedule_that_keeps_failing_rests_and_its_owner_is_told(
    file: str, tmp_path: Path
) -> None:
    hands, github = Hands(), GitHubStandIn()
    chat = RecordingChat(tmp_path / "chat.jsonl")
    async with github.running(), parts_at(file, tmp_path, hands, github, chat) as parts:
        await answer_to(parts, "schedule add 08:00 code_review github:o/gone")
        id = await only_id(parts)
        for _ in range(FAILURES):
            hands.time += timedelta(days=1)
            assert await fire(parts) == 1
        schedule = await parts.stores.schedules.get(id)
        assert schedule is not None
        assert (schedule.enabled, schedule.misses) == (False, 0)
        (begun, (place, person, text)) = chat.private
        assert (place, person) == ("", ASKER)
        assert begun[2].startswith(f"Schedule `{id}` (code\\_review on github\\:o/gone) could not ")
        assert begun[2].endswith(f"`/debate schedule remove {id}`.")
        why = begun[2].partition(" could not debate: ")[2].partition(" Nothing was posted.")[0]
        assert why.endswith(".")
        assert text == (
            f"Schedule {id} (code\\_review on github\\:o/gone) is paused now: it failed 5 times in "
            f"a row, the last time because\\: {why} When that is fixed: /debate schedule resume "
            f"{id}"
        )


async def test_a_paused_schedule_names_the_beginning_of_a_long_question(
    file: str, tmp_path: Path
) -> None:
    hands, chat = Hands(), RecordingChat(tmp_path / "chat.jsonl")
    question = "What *comes* next? " * 400
    async with parts_at(file, tmp_path, hands, chat=chat) as parts:
        await answer_to(parts, f'schedule add 08:00 panel "{question}"')
        id = await only_id(parts)
        await parts.firings.pause_place(PLACE, "This channel is archived.")
    ((_, _, text),) = chat.private
    assert text.startswith(f"Schedule {id} (panel on What \\*comes\\* next? ")
    assert len(text) < 500


async def test_an_owner_hears_once_of_a_series_of_debates_that_do_not_begin(tmp_path: Path) -> None:
    """The channel gets no message; once a debate has begun, the next failure is a new series."""
    hands, chat = Hands(), RecordingChat(tmp_path / "chat.jsonl")
    own = tmp_path / "templates" / "short.toml"
    own.parent.mkdir()
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path, templates_dir=own.parent)
    written = _own_panel()
    own.write_text(written, "utf-8")
    async with open_parts(settings, shell=False, clock=hands, chats={"slack": chat}) as parts:
        await answer_to(parts, 'schedule add 08:00 short "What next?" --rounds 1 --vote-window 0s')
        id = await only_id(parts)
        poster = Poster(parts.stores.outbox, {"slack": chat}, "test", paces={})
        for gone, notices in ((True, 1), (True, 1), (False, 1), (True, 2)):
            own.write_text("" if gone else written, "utf-8")
            hands.time += timedelta(days=1)
            assert await fire(parts) == 1
            (debate,) = [x for x in await debates_of(parts) if not x.over]
            assert bool((await parts.advancer.advance(debate.id)).failure) == gone
            await poster.deliver_all()
            assert len(chat.private) == notices
        for place, person, text in chat.private:
            assert (place, person) == ("", ASKER)
            assert text.startswith(f"Schedule `{id}` (short on What next?) could not debate: ")
            assert text.endswith(f"no more: `/debate schedule remove {id}`.")
        assert len({line["key"].partition(":")[0] for line in chat.lines()}) == 1


def _own_panel() -> str:
    return (PACKAGED / "panel.toml").read_text("utf-8").replace('id = "panel"', 'id = "short"', 1)


async def test_a_firing_that_died_half_way_is_done_once_by_another(
    file: str, tmp_path: Path
) -> None:
    """The first taker started one of two debates and was gone: the second starts only the other
    one.
    """
    hands, github = Hands(), GitHubStandIn()
    for number in (1, 2):
        github.pulls["o/r", number] = Pull(DIFF, heads=[f"{number}" * 40])
    async with github.running(), parts_at(file, tmp_path, hands, github) as parts:
        await answer_to(parts, "schedule add 08:00 code_review github:o/r")
        hands.time += timedelta(days=1)
        schedules = parts.stores.schedules
        (firing,) = await schedules.take_due("died", lambda _s, at: at + timedelta(days=1))
        await parts.firings._start_debate(firing, LINK.format(1), "1" * 40)
        assert await fire(parts) == 0
        hands.time += timedelta(minutes=11)
        assert await fire(parts) == 1
        assert await targets(parts) == [LINK.format(1), LINK.format(2)]


async def test_eight_schedules_and_two_replicas_fire_each_once(url: str, tmp_path: Path) -> None:
    hands, many = Hands(), Limits(person_debates=8)
    async with (
        parts_at(url, tmp_path, hands, limits=many) as one,
        parts_at(url, tmp_path, hands, limits=many) as two,
    ):
        for number in range(8):
            await answer_to(
                one,
                f'schedule add 08:00 panel "What should we delete next, number {number}?"',
                caller(f"e{number}"),
            )
        hands.time += timedelta(days=1)
        await asyncio.gather(*(fire(parts) for parts in (one, two) for _ in range(3)))
        assert len(await one.service.debates.find_recent()) == 8
        assert len(set(await targets(one))) == 8


async def test_runs_that_were_taken_together_start_one_debate(url: str, tmp_path: Path) -> None:
    """Two people press "run" at once, and one run ends before the other one starts its debate."""
    hands = Hands()
    async with parts_at(url, tmp_path, hands) as parts:
        await answer_to(parts, 'schedule add "0 9 * * *" panel Which queue should we use?')
        id, schedules = await only_id(parts), parts.stores.schedules
        firings = []
        for replica in ("a", "b"):
            firings.append(await schedules.take_now(id, replica))
            hands.time += timedelta(seconds=1)
        reports = [await parts.firings.run(firing, by_person=True) for firing in firings]
        assert reports[0].debates == reports[1].debates
        assert len(await debates_of(parts)) == 1
        await answer_to(parts, f"schedule run {id}", caller("later"))
        assert len(await debates_of(parts)) == 2
