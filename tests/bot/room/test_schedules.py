"""The page of schedules at size."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from adapters.room.incoming.schedules import PAGE
from bot.desk.schedule import schedule_page
from core.application.desk import Caller
from core.application.schedules import Schedule
from storage.schedules import Schedules
from tests.bot.room.serving import Served, served

NEVER = datetime(2099, 1, 1, tzinfo=UTC)


RUN = r'name="schedule" value="(s\d{4})">.*?name="verb" value="run"'
"""The button that runs a schedule now."""


async def filled(room: Served, count: int) -> list[str]:
    """Schedules in the order in which they are to stand, each five of one moment, the last ten
    paused, one of which kept its next time.
    """
    ids = []
    for number in range(count):
        paused = number >= count - 10
        at = NEVER + timedelta(hours=number // 5)
        room_of = "slack:T1/C1" if number % 2 else "discord:G1/C1"
        ids.append(f"s{number:04}")
        await room.parts.stores.schedules.add(
            Schedule(
                ids[-1], "0 9 * * *", "UTC", 3600.0,
                None if paused and number > count - 10 else at, "triad", f"question {number}",
                room_of, "slack:T1/U1", NEVER, enabled=not paused,
            )
        )  # fmt: skip
    return ids


async def test_schedules_come_in_pages_each_once_and_in_order(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        ids = await filled(room, 2 * PAGE + 5)
        where, pages = "/schedules", []
        while where:
            status, page, _ = await room.get(where)
            assert status == 200
            pages.append(re.findall(RUN, page))
            match = re.search(r'<a href="([^"]+)" rel="next">Later schedules', page)
            where = html.unescape(match[1]) if match else ""
        _, behind, _ = await room.get("/schedules?after=never~z")
        _, odd, _ = await room.get("/schedules?after=soon")
    assert [len(each) for each in pages] == [PAGE, PAGE, 5]
    assert [id for each in pages for id in each] == ids
    assert "No more schedules." in behind
    assert re.findall(RUN, odd) == ids[:PAGE]


class CountedSchedules(Schedules):
    """Counts the pages that are read."""

    pages = 0

    async def find_page(self, *given: Any, **more: Any) -> list[Schedule]:
        self.pages += 1
        return await super().find_page(*given, **more)


async def test_a_page_holds_what_its_workspace_has_and_is_read_until_it_is_full(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as room:
        ids = await filled(room, 20)
        schedules = room.parts.stores.schedules
        here = await schedules.find_page(100, within=("slack:T1/",), own="nobody")
        theirs = await schedules.find_page(100, within=("slack:T9/",), own="slack:T1/U1")
        assert [each.id for each in here] == ids[1::2]
        assert len(theirs) == 20
        assert await schedules.find_page(100, within=("slack:T_/",), own="") == []
        caller = Caller("slack:T1/U1", "slack:T1/C1", "event")
        for limit in (20, 21, 11, 5):
            counted = CountedSchedules(room.parts.stores.database)
            room.parts.stores.schedules = counted
            page = await schedule_page(room.parts.desk, caller, None, limit)
            assert [each.id for each in page] == ids[:limit]
            assert counted.pages == 1, "and no further"
