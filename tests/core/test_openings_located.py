"""An opening that tells of a defect without a finding is asked for it once, in one short call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.debate import events as e
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.replies.untold import BLOCKS, TELLS
from core.debate.state import Debate
from core.debate.usage import Usage
from tests.core import argued
from tests.core.memory import MemoryLog, Voice, Voices, played

FINDING = argued.a_finding(category="security")
NOWHERE = FINDING | {"quote": "a line that nobody wrote here", "title": "Something is wrong"}


@dataclass
class Opener(Voice):
    """Opens with ``first`` and answers the request for a finding with ``then``."""

    first: Any = None
    then: Any = None
    requests: list[str] = field(default_factory=list)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.ledger.append(asking.task)
        if asking.task == "locate":
            self.requests.append(messages[-1].text)
            return Reply(json.dumps(self.then), Usage(100, 0, 20, 0.5), self.name)
        statement = self.first if asking.task == "open" else {"answers": [], "sections": {}}
        return Reply(json.dumps(statement), Usage(100, 0, 20, 0.5), self.name)


async def opened(first: Any, then: Any = None, **more: Any) -> tuple[Debate, Opener, MemoryLog]:
    voice = Opener("alpha/a", "a", first=first, then=then)
    events = argued.review(openings=3)
    debate, log = await played(events, Voices([voice, Voice("beta/b", "b")]), **more)
    return debate, voice, log


def findings_of(debate: Debate, seat: str = "correctness_critic") -> list[tuple[str, bool]]:
    return [
        (f.title, f.anchored)
        for turn, statement in debate.statements()
        if turn.seat == seat
        for f in statement.findings
    ]


async def test_a_request_for_changes_without_a_place_is_asked_for_its_finding() -> None:
    debate, voice, _ = await opened(argued.opens("request_changes"), {"findings": [FINDING]})
    assert [title for title, _ in findings_of(debate, voice_seat(debate))] == [FINDING["title"]]
    assert BLOCKS in voice.requests[0]
    assert voice.ledger.count("locate") == voice.ledger.count("open")


async def test_a_quotation_that_stands_nowhere_is_replaced_by_the_located_finding() -> None:
    first = argued.opens("request_changes", NOWHERE)
    debate, _, _ = await opened(first, {"findings": [FINDING]})
    assert findings_of(debate, voice_seat(debate)) == [(FINDING["title"], True)]


async def test_a_defect_that_no_finding_holds_is_asked_for_whatever_the_decision() -> None:
    first = argued.opens("comment") | {"untold": "The second caller breaks."}
    debate, voice, _ = await opened(first, {"findings": [FINDING]})
    assert findings_of(debate, voice_seat(debate)) == [(FINDING["title"], True)]
    assert TELLS in voice.requests[0]


@pytest.mark.parametrize("then", [{"findings": []}, {"nothing": "that can be read"}])
async def test_it_is_asked_once_and_what_remains_untold_is_kept(then: Any) -> None:
    first = argued.opens("request_changes") | {"untold": "The second caller breaks."}
    debate, voice, _ = await opened(first, then)
    assert voice.ledger.count("locate") == voice.ledger.count("open")
    [statement] = [s for t, s in debate.statements() if t.seat == voice_seat(debate)][:1]
    assert statement.stance is not None
    assert statement.stance.option == "request_changes"
    assert statement.untold == "The second caller breaks."


@pytest.mark.parametrize(
    "first",
    [
        argued.opens("approve"),
        argued.opens("comment", NOWHERE),
        argued.opens("request_changes", FINDING),
    ],
)
async def test_a_reply_that_lacks_nothing_is_asked_nothing(first: Any) -> None:
    _, voice, _ = await opened(first)
    assert "locate" not in voice.ledger


async def test_after_a_crash_between_the_two_calls_the_first_is_not_paid_again() -> None:
    first = argued.opens("request_changes")
    _, voice, log = await opened(first, {"findings": [FINDING]})
    begun = [n for n, event in enumerate(log.events) if isinstance(event, e.TurnStarted)][2] + 1
    rows = {key: row for key, row in log.rows.items() if key[0] in ("t2", "t3") and key[1] == 1}
    rest = MemoryLog(log.events[:begun], rows=dict(rows))
    again = Opener("alpha/a", "a", first=first, then={"findings": [FINDING]})
    await played(rest.events, Voices([again, Voice("beta/b", "b")]), log=rest)
    stored = sum(row.model == "alpha/a" for row in rows.values())
    assert again.ledger.count("open") == voice.ledger.count("open") - stored
    assert again.ledger.count("locate") == voice.ledger.count("locate")


def voice_seat(debate: Debate) -> str:
    """Returns the first opening seat that the test's own voice plays."""
    opening = [t.seat for t in debate.turns if t.task == "open"]
    return next(s for s in opening if debate.model_of(s) == "alpha/a")
