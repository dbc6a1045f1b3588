"""Buttons and forms of a debate's page, sent to a desk in memory; pages of what is not there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
from aiohttp import web

from adapters.room.incoming import fields
from adapters.room.incoming.debates import DebatePages
from adapters.room.incoming.guard import Identify, NotFound
from adapters.room.live import Live
from adapters.room.port import Links
from adapters.room.settings import RoomSettings
from core.application.commands.actions import Action
from core.application.debates import Debates
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput, Refused
from core.debate.state import Debate, replay
from tests.adapters.desk import RecordingDesk
from tests.adapters.review.samples import material
from tests.adapters.room.test_forms import ANN, _leads, _page, _sent
from tests.core.table import finding, table


class _Debates:
    """Records of some debates, which nobody was denied."""

    def __init__(self, *debates: Debate) -> None:
        self.debates = {debate.id: debate for debate in debates}
        self.shares = True

    async def find(self, id: str, caller: Caller) -> Debate:
        if id not in self.debates:
            raise BadInput("There is none.")
        return self.debates[id]

    async def linked(self, id: str) -> Debate:
        return await self.find(id, ANN.caller())

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        return None

    async def document(self, debate: Debate, form: str, caller: Caller) -> str:
        return f"{debate.id} as {form}"

    async def require(self, caller: Caller, action: Action, debate: Debate) -> None:
        if action is Action.SHARE and not self.shares:
            raise Refused("Not yours.")


def _pages(desk: RecordingDesk | None = None, records: _Debates | None = None) -> DebatePages:
    return DebatePages(
        RoomSettings(),
        desk or RecordingDesk(),
        cast("Debates", records or _Debates()),
        cast("Live", None),
        cast("Links", None),
        cast("Identify", None),
    )


def _at(id: str, **named: str) -> web.Request:
    request = _sent((), f"/d/{id}")
    request.match_info.update(id=id, **named)
    return request


async def test_a_change_is_shown_where_there_is_one() -> None:
    t = table(material=material()).says("t1", "request_changes", findings=[finding()])
    whole = t.debate
    waiting = replay(t.events[:1])
    assert waiting.opened is None
    opened = whole.open
    without = replace(whole, opened=replace(opened, material=replace(opened.material, hunks=())))
    for debate in (waiting, without):
        with pytest.raises(NotFound, match="about no change of code"):
            await _pages(records=_Debates(debate)).change(_at(debate.id), ANN)
    page = _page(await _pages(records=_Debates(whole)).change(_at(whole.id), ANN))
    assert "The query is built from user input" in page


async def test_a_file_is_sent_in_the_forms_that_there_are() -> None:
    debate = table().debate
    pages = _pages(records=_Debates(debate))
    for form, media in (("md", "text/markdown"), ("json", "application/json")):
        answer = await pages.file(_at(debate.id, form=form), ANN)
        assert isinstance(answer, web.Response)
        assert (answer.body, answer.content_type) == (f"{debate.id} as {form}".encode(), media)
        name = f'attachment; filename="debate-{debate.id}.{form}"'
        assert answer.headers["Content-Disposition"] == name
    with pytest.raises(NotFound, match="no such file"):
        await pages.file(_at(debate.id, form="exe"), ANN)


async def test_a_button_does_what_it_says_and_leads_back() -> None:
    desk = RecordingDesk(answer=DeskAnswer("Taken."))

    async def press(**form: str) -> tuple[str, str]:
        return _leads(await _pages(desk).pressed(_sent(fields.PRESS, **form), ANN))

    assert await press(action="pause", value="d1k7q2xy") == ("/d/d1k7q2xy", "Taken.")
    back = await press(action="vote", value="d1k7q2xy:t1.f1:real", back="finding-1")
    assert back == ("/d/d1k7q2xy#finding-1", "Taken.")
    for odd in ("", "a b", "x" * 81, "é"):
        assert await press(action="stop", value="d1k7q2xy", back=odd) == ("/d/d1k7q2xy", "Taken.")
    assert (await press(action="stop", value="d1k7q2xy", back="x" * 80))[0].endswith("x" * 80)
    assert [pressed[:2] for pressed in desk.presses[:2]] == [
        ("pause", "d1k7q2xy"), ("vote", "d1k7q2xy:t1.f1:real")
    ]  # fmt: skip
    with pytest.raises(BadInput, match="older page"):
        await _pages(desk).pressed(_sent(fields.PRESS, action="delete", value="d1"), ANN)


async def test_a_challenge_that_is_sent_twice_counts_once_and_a_press_each_time() -> None:
    desk = RecordingDesk()
    for _ in range(2):
        form = _sent(fields.PRESS, action="challenge", value="d1", text="why?", once="1")
        await _pages(desk).pressed(form, ANN)
        await _pages(desk).pressed(_sent(fields.PRESS, action="pause", value="d1", once="1"), ANN)
    assert [pressed[0] for pressed in desk.presses] == ["challenge", "pause", "pause"]


async def test_a_script_gets_the_answer_as_json() -> None:
    form = _sent(fields.PRESS, action="pause", value="d1")
    scripted = form.clone(headers={**form.headers, "Accept": "application/json"})
    for name, value in form.items():
        scripted[name] = value
    desk = RecordingDesk(answer=DeskAnswer("No.", ok=False))
    answer = await _pages(desk).pressed(scripted, ANN)
    assert isinstance(answer, web.Response)
    made = json.loads(answer.text or "")
    assert (made["ok"], made["text"]) == (False, "No.")


async def test_a_fork_leads_to_its_debate_or_to_the_comparison() -> None:
    async def fork(answer: DeskAnswer, **form: str) -> tuple[str, str]:
        desk = RecordingDesk(answer=lambda request, caller: answer)
        entered = {"debate": "d1k7q2xy", **form}
        return _leads(await _pages(desk).forked(_sent(fields.FORK, **entered), ANN))

    made = DeskAnswer("Forked.", debate="d2k7q2xy")
    assert await fork(made) == ("/d/d2k7q2xy", "Forked.")
    assert await fork(made, branch="a\n\n b ") == ("/d/d2k7q2xy/forks", "Forked.")
    refused = DeskAnswer("Not now.", ok=False, debate="d2k7q2xy")
    assert await fork(refused, branch="a") == ("/d/d1k7q2xy", "Not now.")
    assert await fork(DeskAnswer("Forked.")) == ("/d/d1k7q2xy", "Forked.")


async def test_who_may_not_share_a_debate_is_no_error() -> None:
    debate, records = table().debate, _Debates()
    assert await _pages(records=records)._may(debate, ANN, Action.SHARE)
    records.shares = False
    assert not await _pages(records=records)._may(debate, ANN, Action.SHARE)
