"""The audience of a place, and the permitted copies of a debate: the rule over every action that
copies, every kind of place and every person, held against a model of who reads what.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import platforms
from core.application.commands.actions import COPIES, Action, Makes
from core.application.desk import Caller
from core.application.permissions import NotVisible, Permissions
from core.application.permissions.actions import PRESSES
from core.application.permissions.audience import Audience, Copy, Reach, may_hold
from core.application.permissions.policy import Policy
from core.application.place import Person, Place, platform_of
from core.application.presence import DeliveryError
from core.debate.errors import Refused
from core.debate.events import DebateRequest, DebateRequested, PlaceAdded
from core.debate.state import Debate, replay
from tests.project import ROOT
from tests.storage.samples import AT, opened
from tests.trust.test_permissions import HERE, OWNER

# A small world: who is where. "ann" is one account on both platforms, as the operator says.

MEMBERS = {"slack:T1": {"ann", "bob", "cas"}, "slack:T2": {"eve"}, "discord:1": {"ann", "dan"}}
STRANGER = "somebody of another organisation"
PLACES: dict[str, set[str] | None] = {
    "slack:T1/C1": None,  # every member may enter
    "slack:T1/C2": None,
    "slack:T1/G1": {"ann", "bob"},
    "slack:T1/G2": {"ann", "cas"},
    "slack:T1/D1": {"ann"},
    "slack:T1/X1": {"ann", "bob", STRANGER},
    "slack:T2/C9": None,
    "discord:1/10": None,
    "discord:1/11": {"ann"},
    "discord:1/12": {"ann", "dan"},  # a private thread
    "discord:@me/13": {"ann"},
    "room:slack:T1/main": None,
    "room:discord:1/main": None,
    "shell:root": {"root"},
    "slack:T1/C8": set(),  # its platform does not say who is there
}
AWAY = "slack:T1/C8"
COPYING = [action for action in Action if action.makes in COPIES]


def workspace(place: str) -> str:
    return Place.parse(place.removeprefix("room:")).workspace_key


def readers(place: str) -> set[str]:
    """Everybody who reads a place, and whoever sits at the machine."""
    inside = PLACES[place]
    if inside is None:
        inside = MEMBERS[workspace(place)]
    return inside | {"root"}


@dataclass
class World:
    """A platform that knows who is where (``core.application.presence``)."""

    platform: str
    asks: list[str] = field(default_factory=list)

    async def is_open(self, place: str) -> bool:
        return self._known(place) is None

    async def is_inside(self, place: str, person: str) -> bool:
        who = Person.parse(person)
        inside = self._known(place)
        return who.account in readers(place) and (
            inside is None or platform_of(person) == platform_of(place)
        )

    async def may_write(self, place: str, person: str) -> bool:
        return await self.is_inside(place, person)

    async def is_shared(self, place: str) -> bool:
        self._known(place)
        return STRANGER in readers(place)

    def _known(self, place: str) -> set[str] | None:
        if place == AWAY:
            raise DeliveryError("retry", "away")
        return PLACES[place]


SAME = {f"discord:{guild}/ann": "slack:T1/ann" for guild in ("1", "@me")}
CHATS = {name: World(name) for name in ("slack", "discord")}
PERMISSIONS = Permissions(Policy(same_person=SAME), CHATS, platforms.PLACES)


def debate(places: Sequence[str], owner: str, *, sealed: bool) -> Debate:
    first = DebateRequested("d1", DebateRequest("panel", "Which?", owner, places[0]), AT)
    more = [PlaceAdded(place, owner) for place in places[1:]]
    return replay([first, opened(private=sealed), *more])


def callers() -> Iterator[Caller]:
    """Everybody who can ask anything, from each place that they read."""
    for place in PLACES:
        platform = workspace(place).partition(":")[0] or platform_of(place)
        for who in sorted(readers(place) - {STRANGER}):
            if (who == "root") != (platform_of(place) == "shell"):
                continue
            inside = workspace(place).partition(":")[2] or ("@me" if platform == "discord" else "")
            person = str(Person(platform, inside, who))
            yield Caller(person, place, "e", admin=who == "ann")


CALLERS = list(callers())
ORIGINS = [place for place in PLACES if place != AWAY]


async def leave(action: Action, held: Debate, caller: Caller, place: str) -> Copy | None:
    """Does what a button or command does, up to the check of permissions."""
    try:
        if action is Action.MIRROR:
            await PERMISSIONS.require_post(caller, Place.parse(place))
        return await PERMISSIONS.copy(caller, action, held, place)
    except (NotVisible, Refused):
        return None


@given(
    st.sampled_from(COPYING),
    st.lists(st.sampled_from(ORIGINS), min_size=1, max_size=2, unique=True),
    st.sampled_from(CALLERS),
    st.sampled_from(sorted(PLACES)),
    st.sampled_from([f"slack:T1/{who}" for who in ("ann", "bob")] + ["shell:root"]),
    st.booleans(),
)
def test_no_copy_has_more_readers_than_its_origin(
    action: Action, origins: list[str], caller: Caller, named: str, owner: str, sealed: bool
) -> None:
    held = debate(origins, owner, sealed=sealed)
    place = named if action is Action.MIRROR else caller.place
    copy = asyncio.run(leave(action, held, caller, place))
    if copy is None:
        return
    assert copy.debate is held
    if sealed:
        assert copy.place in (*origins, "shell:root"), "what is sealed stays, or is the operator's"
    if caller.shell:
        return
    me = Person.parse(caller.person).account
    known = set().union(*map(readers, origins))
    assert me in known
    to_all = [origin for origin in origins if PLACES[origin] is None]
    if action.makes is Makes.LINK:
        assert to_all, "only what a whole workspace reads goes out by a link"
        return
    wider = readers(copy.place) - known
    if action is Action.MIRROR and any(workspace(each) != workspace(place) for each in to_all):
        assert me in readers(place), "they write in both, and the operator joined the two"
        assert STRANGER not in wider
        return
    assert wider == set(), (action, origins, copy.place)


@pytest.mark.parametrize("action", [a for a in COPYING if a.makes is Makes.COPY])
async def test_where_it_was_held_everything_is_done_as_before(action: Action) -> None:
    """The rule takes nothing away from people in the right place, sealed or not."""
    for held_in, sealed in product(ORIGINS, (False, True)):
        owners = [caller for caller in CALLERS if caller.place == held_in]
        assert owners or held_in == "slack:T2/C9"
        for caller in owners:
            held = debate([held_in], caller.person, sealed=sealed)
            copy = await PERMISSIONS.copy(caller, action, held, held_in)
            assert copy.place == held_in
    to_all = debate(["slack:T1/C1"], OWNER, sealed=False)
    for place in ("slack:T1/C2", "slack:T1/G1", "slack:T1/D1", "room:slack:T1/main"):
        there = Caller("slack:T1/ann", place, "e", admin=True)
        assert (await PERMISSIONS.copy(there, action, to_all, place)).place == place


CI = "program:slack:T1/ci"


@pytest.mark.parametrize(
    ("who", "place", "sees"),
    [
        (CI, "slack:T1/C1", True),
        (CI, "slack:T1/G1", False),
        (CI, "slack:T1/D1", False),
        (CI, "slack:T2/C9", False),
        (CI, "discord:1/10", False),
        (CI, AWAY, False),
        ("program:ci", "slack:T1/C1", False),
        ("slack:T1/bob", "slack:T1/C1", True),
        ("slack:T1/bob", "slack:T2/C9", False),
    ],
)
async def test_a_program_sees_what_every_member_of_its_workspace_may(
    who: str, place: str, sees: bool
) -> None:
    held = debate([place], "slack:T1/ann", sealed=False)
    caller = Caller(who, "room:slack:T1/main", "e")
    assert await PERMISSIONS.may(caller, Action.SEE, held) is sees


async def test_a_debate_of_several_places_is_copied_to_each_of_them() -> None:
    both = debate(["slack:T1/C1", "discord:1/10"], "slack:T1/ann", sealed=False)
    for place in both.places:
        there = Caller("slack:T1/ann", place, "e")
        assert (await PERMISSIONS.copy(there, Action.FORK, both)).place == place


@given(st.sampled_from(list(Reach)), st.sampled_from(list(Reach)), st.booleans())
def test_what_nobody_knows_is_the_narrowest_origin_and_the_widest_copy(
    one: Reach, other: Reach, abroad: bool
) -> None:
    origin, copy = Audience(one, "a", "w"), Audience(other, "b", "w")
    allowed = may_hold(copy, [origin], sealed=False, abroad=abroad)
    if other is Reach.UNKNOWN or (
        one is Reach.UNKNOWN and other not in (Reach.MACHINE, Reach.PERSON)
    ):
        assert not allowed
    assert not may_hold(copy, [origin], sealed=True, abroad=abroad) or other is Reach.MACHINE
    assert may_hold(origin, [origin], sealed=True)


# Nothing that copies goes past the rule


def test_every_action_says_what_it_makes() -> None:
    """An action that copies must be here; only ``Permissions.copy`` rules on it."""
    assert set(COPYING) == {Action.FORK, Action.RERUN, Action.MIRROR, Action.SHARE}


async def test_an_action_that_copies_is_not_ruled_without_its_audience() -> None:
    held = debate(["slack:T1/C1"], "slack:T1/ann", sealed=False)
    for caller, action in product(CALLERS, COPYING):
        with pytest.raises(TypeError, match=r"Permissions\.copy"):
            await PERMISSIONS.require(caller, action, held)


def test_only_the_rule_gives_leave() -> None:
    held = debate(["slack:T1/C1"], "slack:T1/ann", sealed=False)
    with pytest.raises(TypeError, match="Only the rule"):
        Copy(held, Action.FORK, HERE, object())


_MAKERS = {
    "Fork": {"bot/debates/service.py"},  # of a Copy
    "AddPlace": {
        "bot/desk/mirror.py",  # after leave for it, and again when it is applied
        "bot/debates/replay.py",  # of what is stored, played in memory
    },
    "rule_copy": {"core/application/permissions/audience.py"},
    "Precedent": {"bot/debates/precedents.py"},  # of the same place; sealed into sealed alone
    "Since": {
        "bot/debates/opening/history.py"
    },  # of the change in the same place; sealed stays sealed
    "request_again": {"bot/debates/service.py", "bot/desk/start.py"},  # of a Copy
}
"""The functions that make something of a debate, and the only files that may."""
_MAY_MAKE = re.compile(rf"\b(?:{'|'.join(_MAKERS)})\s*\(|\bplace=")


def test_nothing_else_makes_something_of_a_debate() -> None:
    made: dict[str, set[str]] = {name: set() for name in _MAKERS}
    placed = set()
    folders = (Path(ROOT) / "bot", Path(ROOT) / "core/application")
    for path in (each for folder in folders for each in folder.rglob("*.py")):
        name, source = str(path.relative_to(ROOT)), path.read_text("utf-8")
        if not _MAY_MAKE.search(source):
            continue
        for call in ast.walk(ast.parse(source)):
            if not isinstance(call, ast.Call):
                continue
            called = ast.unparse(call.func).rpartition(".")[2]
            if called in made:
                made[called].add(name)
            if called == "replace" and any(keyword.arg == "place" for keyword in call.keywords):
                placed.add(name)
    assert made == _MAKERS
    assert placed == {
        "bot/debates/opening/request.py",  # a request, by a Copy
        "bot/plugins/chats.py",  # who reacts, to where the chat of a plugin says, of its own alone
    }


def test_every_button_that_copies_is_one_of_the_table() -> None:
    copying = {name for name, action in PRESSES.items() if action.makes in COPIES}
    assert copying == {"fork", "rerun", "recheck"}


@pytest.mark.parametrize(
    ("workspace", "place", "may"),
    [
        ("discord:@me", "discord:@me/13", True),
        ("discord:900", "discord:@me/13", False),
        ("slack:T1", "slack:T1/C1", True),
        ("slack:T1", "slack:T1/D1", True),
        ("slack:T2", "slack:T1/D1", False),
    ],
)
def test_direct_messages_see_what_their_workspace_may(
    workspace: str, place: str, may: bool
) -> None:
    policy = Policy(private_workspaces=frozenset({workspace}))
    assert Permissions(policy, CHATS, platforms.PLACES).may_see_private(place) is may
