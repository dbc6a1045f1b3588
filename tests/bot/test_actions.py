"""The action of every request, button and stored command, and of nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, get_args

import pytest

from bot.platforms import PLACES
from core.application import commands as requests
from core.application.commands.actions import COPIES, Action
from core.application.commands.row import action_named
from core.application.permissions import Permissions, Policy
from core.application.permissions.actions import PRESSES, applied_as
from core.application.permissions.applied import refusal_now
from core.application.place import Places
from core.debate import commands as c
from core.debate import events as e
from core.debate.errors import Refused
from core.debate.state import Debate, replay
from tests.core.table import START
from tests.storage.samples import requested

BEGIN = requests.Start("panel", "What next?")


def test_a_request_is_one_action() -> None:
    cases: list[tuple[requests.Request, Action]] = [
        (requests.Templates(), Action.ASK),
        (requests.Templates(check="my.toml"), Action.CHECK_FILE),
        (requests.Compare("d1", "d2"), Action.SEE),
        (requests.Compare(start=BEGIN), Action.START),
        (requests.PostReview("d1"), Action.SEE),
        (requests.PostReview("d1", approve="abc"), Action.APPROVE),
        (BEGIN, Action.START),
        (requests.ScheduleAdd("daily", BEGIN), Action.SCHEDULE),
        *((requests.Control(verb), Action[verb.upper()]) for verb in ("pause", "stop")),
        (requests.Control("resume"), Action.RESUME),
        (requests.ScheduleDo("list"), Action.ASK),
        *(
            (requests.ScheduleDo(verb, "s1"), Action[f"{verb.upper()}_SCHEDULE"])
            for verb in ("run", "pause", "resume", "remove")
        ),
    ]
    for request_, action in cases:
        assert request_.asks_for() is action


@pytest.mark.parametrize(
    "unknown", [requests.Control("explode"), requests.ScheduleDo("explode", "s1")]
)
def test_a_verb_that_nobody_knows_is_refused(unknown: requests.Request) -> None:
    with pytest.raises(Refused, match="another version of me"):
        unknown.asks_for()


def test_a_button_is_one_action_and_an_unknown_one_none() -> None:
    assert (PRESSES["rerun"], PRESSES["approve"]) == (Action.RERUN, Action.APPROVE)
    with pytest.raises(Refused, match="another version of me"):
        action_named(PRESSES, "explode")


STORED: list[tuple[c.Command, Action | None]] = [
    (c.RaiseChallenge("ann", "x"), Action.CHALLENGE),
    (c.AskSeat("ann", "f1"), Action.HOT_SEAT),
    (c.Prove("ann", "f1"), Action.PROVE),
    (c.Speak("ann", "t1", "yes"), Action.SPEAK),
    (c.Speak("token:1a", "t1", "yes"), None),
    (c.CastVote("ann", "yes"), Action.VOTE),
    (c.WithdrawVote("ann"), Action.VOTE),
    (c.Pause("ann"), Action.PAUSE),
    (c.Resume("ann"), Action.RESUME),
    (c.Stop("ann"), Action.STOP),
    (c.AddPlace("slack:T1/C1", "ann"), Action.MIRROR),
    (c.ShowWhole("ann"), Action.SEE),
    (e.OutcomeResolved(True, "ann", START), Action.RESOLVE),
    (e.FindingJudged("m", "merged", START), None),
    (e.VerdictRated(True, "ann", START), Action.RATE),
    *((command, None) for command in (c.Pause(""), c.Resume(""), c.Stop(""))),
    (c.Wake(START), None),
    (e.FollowUpDue("Did it hold?", START), None),
    (e.ForgeNoted("merged", "", START), None),
    (e.WaitNoted("openai is overloaded", START), None),
]


def test_a_stored_command_is_the_action_of_the_person_who_gave_it() -> None:
    for command, action in STORED:
        assert applied_as(command) == (None if action is None else (action, "ann"))


def test_every_stored_command_is_among_them() -> None:
    assert {type(command) for command, _ in STORED} == set(get_args(c.Command))


def test_what_holds_the_texts_afterwards_is_known_of_every_action() -> None:
    copies = [action for action in Action if action.makes in COPIES]
    assert copies == [Action.MIRROR, Action.FORK, Action.RERUN, Action.SHARE]


@dataclass
class Refusing:
    """Permissions that refuse everybody, and say what they were asked."""

    requests: list[tuple[str, Action, str]] = field(default_factory=list)
    places: Places = PLACES

    def refusal_of(self, person: str, action: Action, place: str) -> str:
        self.requests.append((person, action, place))
        return "Not now."


@pytest.mark.parametrize(
    ("by", "requests"),
    [
        ("slack:T1/U1", [("slack:T1/U1", Action.STOP, "")]),
        ("github:ann", [("github:ann", Action.STOP, "slack:T1/C1")]),  # it follows the change
        ("shell:ann", []),
        ("ann", []),
        ("", []),  # the process itself
    ],
)
async def test_all_but_the_shell_and_the_process_itself_are_ruled_again(
    by: str, requests: list[tuple[str, Action, str]]
) -> None:
    async def load(id: str) -> Debate:
        return replay([requested(id)])

    permissions: Any = Refusing()
    refusal = await refusal_now(permissions, load, "d1", c.Stop(by))
    assert permissions.requests == requests
    assert refusal == ("Not now." if requests else "")


@dataclass
class Letters:
    """A chat that knows nobody and keeps the private messages that it is given."""

    sent: list[tuple[str, str]] = field(default_factory=list)

    async def send_private(self, place: str, person: str, text: str) -> None:
        assert "is not told in slack:T1/C2" in text
        self.sent.append((place, person))


@pytest.mark.parametrize(
    ("by", "sent"),
    [
        ("slack:T1/U1", [("slack:T1/C1", "slack:T1/U1")]),
        ("discord:G1/U1", []),  # no place of the debate is on their platform
        ("teams:U1", []),  # no such chat is connected
    ],
)
async def test_a_mirror_that_is_refused_later_is_explained_where_the_person_reads(
    by: str, sent: list[tuple[str, str]]
) -> None:
    async def load(id: str) -> Debate:
        debate = replay([requested(id)])
        return replace(debate, places=(*debate.places, "teams:C3"))

    chats = {"slack": Letters(), "discord": Letters()}
    permissions = Permissions(Policy(), chats, PLACES)
    mirror = c.AddPlace("slack:T1/C2", by)
    assert "see who reads that place" in await refusal_now(permissions, load, "d1", mirror)
    assert [letter for chat in chats.values() for letter in chat.sent] == sent
