"""Department, priority and target date: given on start, shown, found again, gone with the texts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.posts.root import root
from adapters.room.incoming.listing import filter_of
from bot.debates.opening.request import request_of
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts, open_parts
from core.application.commands import Listing, Show, parse
from core.application.commands.requests import Start
from core.application.listing import Filter
from core.debate.errors import BadInput
from core.debate.events import DebateRequest
from core.debate.state import Debate
from core.words.outcome import outcome
from core.words.views.documents.headings import labels_line
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.origins import origin

GIVEN = "--department Payments --priority high --target-date 2027-01-31"
ANN = shell_caller("shell:ann")


@pytest.fixture
async def parts(url: str, tmp_path: Path) -> AsyncIterator[Parts]:
    async with open_parts(settings_for(url, tmp_path), shell=False) as opened:
        yield opened


def request_for(line: str) -> DebateRequest:
    start = parse(line, templates=("panel",))
    assert isinstance(start, Start)
    return request_of(start, asker=ASKER, place=PLACE)


def test_what_concerns_the_answer_only_is_no_part_of_the_debate() -> None:
    assert request_for("panel Why? --json --plain --check --recheck --only-blocking --yes") == (
        request_for("panel Why?")
    )


async def held(parts: Parts, key: str, options: str) -> Debate:
    request = request_for(f"panel Tabs or spaces? {options} --rounds 1 --vote-window off")
    return await parts.advancer.advance(await parts.service.take(request, origin(key)))


async def listed(
    parts: Parts, *, department: str = "", priority: str = "", target_date: str = ""
) -> list[str]:
    wanted = Listing(department=department, priority=priority, target_date=target_date)
    answer = await parts.desk.take(wanted, ANN)
    return [row["id"] for row in json.loads(answer.files[0].text)]


async def test_labels_are_shown_found_again_and_go_with_the_texts(parts: Parts) -> None:
    one = await held(parts, "e1", GIVEN)
    other = await held(parts, "e2", "--department legal --target-date 2027-03-01")
    plain = await held(parts, "e3", "")
    text = "Payments, high priority, due 2027-01-31"
    assert ("Labels", text) in root(one, 1).fields
    assert not [name for name, _ in root(plain, 1).fields if name == "Labels"]
    assert outcome(one)["labels"] == {
        "department": "Payments",
        "priority": "high",
        "target_date": "2027-01-31",
    }
    assert outcome(plain)["labels"] == {}
    assert text in (await parts.desk.take(Show(one.id), ANN)).text
    everything = (await parts.desk.take(Listing(), ANN)).text
    assert f"Tabs or spaces? [{text.lower()}, demonstration]" in everything
    assert await listed(parts, department="payments") == [one.id]
    assert await listed(parts, priority="high", department="PAYMENTS") == [one.id]
    assert await listed(parts, target_date="2027-01-30") == []
    assert await listed(parts, target_date="2027-02-28") == [one.id]
    assert await listed(parts, target_date="2027-12-31") == [other.id, one.id]
    nothing = (await parts.desk.take(Listing(department="sales"), ANN)).text
    assert nothing == "No debate here has these labels: sales."
    wanted_labels = filter_of({"department": "payments", "due_by": "2027-02-01"}).labels
    assert wanted_labels == {"department": "payments", "target-date": "2027-02-01"}
    search = parts.stores.search
    page = await search.find_page(Filter(labels=wanted_labels), 9)
    assert [each.line.id for each in page] == [one.id]
    assert await search.find_page(Filter(labels={**wanted_labels, "priority": "low"}), 9) == []

    assert "Payments" not in repr(one.open.script) + one.open.material.text, "no seat reads them"
    assert await parts.retention.delete(one, "asked")
    assert await listed(parts, department="payments") == []
    assert outcome(await parts.service.load(one.id))["labels"] == {}


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("--target-date 2027-02-30", "takes a day, like 2027-01-31"),
        ("--target-date tomorrow", "takes a day, like 2027-01-31"),
        ("--priority asap", "one of low, normal, high, urgent"),
        ("--department a,b", "at most 30 characters, without commas"),
        (f"--department {'x' * 31}", "at most 30 characters, without commas"),
    ],
)
def test_what_is_no_label_is_refused(typed: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parse(f"panel Which way now? {typed}", templates=("panel",))


def test_labels_in_words() -> None:
    assert labels_line({}) == ""
    assert labels_line({"priority": "low"}) == "low priority"
    assert labels_line({"target-date": "2027-01-31"}) == "due 2027-01-31"
