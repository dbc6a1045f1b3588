"""The rule and the page that people read say the same, for every action, surface and person."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

from core.application.commands import row as rows
from core.application.commands.actions import Action
from core.application.permissions.actions import PRESSES
from core.application.permissions.policy import Policy
from core.application.permissions.rule import (
    Asker,
    Nearness,
    Ruling,
    Standing,
    Surface,
    Thing,
    rule,
)
from tests.project import ROOT
from tests.trust.beliefs import BELIEFS, words

PAGE = (Path(ROOT) / "docs" / "permissions.md").read_text("utf-8")
WORKSPACE, OTHER = "slack:T1", "slack:T2"
POLICY = Policy(private_workspaces=frozenset({WORKSPACE, OTHER}))

ROWS: dict[str, tuple[Action, ...]] = {
    "ask for help, lists, templates, ratings": (Action.ASK,),
    "see, export, receipt, replay, compare a debate": (Action.SEE,),
    "vote, say whether a verdict was useful": (Action.VOTE, Action.RATE),
    "challenge": (Action.CHALLENGE,),
    "hot seat, proof, whether a verdict held, posting a lost post or a review": (
        Action.HOT_SEAT,
        Action.PROVE,
        Action.RESOLVE,
        Action.REPOST,
        Action.APPROVE,
    ),
    "speak for a seat that one holds": (Action.SPEAK,),
    "pause, resume, mirror to another channel, give out links to a debate": (
        Action.PAUSE,
        Action.RESUME,
        Action.MIRROR,
        Action.SHARE,
    ),
    "stop": (Action.STOP,),
    "start a debate": (Action.START,),
    "fork, start again": (Action.FORK, Action.RERUN),
    "add a schedule, make a token for oneself": (Action.SCHEDULE, Action.LEND),
    "see a schedule": (Action.SEE_SCHEDULE,),
    "run, pause, resume, remove a schedule": (
        Action.RUN_SCHEDULE,
        Action.PAUSE_SCHEDULE,
        Action.RESUME_SCHEDULE,
        Action.REMOVE_SCHEDULE,
    ),
    "bind a private repository, manage webhooks, set a channel's language, make or take back a "
    "service's token": (Action.BIND, Action.HOOKS, Action.LANGUAGE, Action.SERVICE),
    "check a template's file": (Action.CHECK_FILE,),
}
NOTHING_YET = {
    *(Action.ASK, Action.START, Action.SCHEDULE, Action.BIND, Action.CHECK_FILE),
    *(Action.HOOKS, Action.LANGUAGE, Action.LEND, Action.SERVICE),
}
"""The actions that are done to nothing that exists already."""
BY_TOKEN = {
    *(Action.ASK, Action.SEE, Action.START, Action.CHALLENGE, Action.VOTE, Action.STOP),
    *(Action.SEE_SCHEDULE, Action.SPEAK),
}
"""The most that a program with a person's token may do."""
AT_MOST = {Surface.FORGE: {Action.START, Action.CHALLENGE}, Surface.PROGRAM: BY_TOKEN}

PEOPLE: dict[str, tuple[Standing, str, Thing]] = {
    "starter": (Standing.MEMBER, WORKSPACE, Thing(True, Nearness.INSIDE, here=True)),
    "in the channel": (Standing.MEMBER, WORKSPACE, Thing(False, Nearness.INSIDE, here=True)),
    "outside, public channel": (Standing.MEMBER, WORKSPACE, Thing(False, Nearness.NEAR)),
    "outside, private channel": (Standing.MEMBER, WORKSPACE, Thing(False, Nearness.OUTSIDE)),
    "other workspace": (Standing.MEMBER, OTHER, Thing(False, Nearness.OUTSIDE, home=False)),
    "guest in the channel": (Standing.GUEST, WORKSPACE, Thing(False, Nearness.INSIDE, here=True)),
    "admin in the channel": (Standing.ADMIN, WORKSPACE, Thing(False, Nearness.INSIDE, here=True)),
    "bot": (Standing.BOT, WORKSPACE, Thing(False, Nearness.INSIDE, here=True)),
    "service": (Standing.SERVICE, WORKSPACE, Thing(True, Nearness.INSIDE, here=True)),
}


def written() -> dict[tuple[str, str], str]:
    """Returns the cells of the page's first table, by row and column."""
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    start = next(n for n, line in enumerate(lines) if line.startswith("| what"))
    head, _, *rows = [re.split(r"\s*\|\s*", line.strip("| ")) for line in lines[start:]]
    cells: dict[tuple[str, str], str] = {}
    for row in rows:
        if len(row) != len(head):
            break
        cells |= {(row[0], who): cell for who, cell in zip(head[1:], row[1:], strict=True)}
    return cells


def word(ruling: Ruling) -> str:
    if ruling.hidden:
        return "hidden"
    return "no" if ruling.refusal else "yes"


def ruled(action: Action, surface: Surface, who: str) -> str:
    standing, workspace, thing = PEOPLE[who]
    asker = Asker(surface, "slack:T1/U7", workspace, standing)
    return word(rule(action, asker, None if action in NOTHING_YET else thing, POLICY))


def test_the_table_names_every_action_and_person() -> None:
    cells = written()
    assert {what for what, _ in cells} == set(ROWS)
    assert {who for _, who in cells} == set(PEOPLE)
    named = {action for actions in ROWS.values() for action in actions}
    assert named == set(Action)


def test_every_command_surface_and_person_is_ruled_as_the_page_says() -> None:
    cells = written()
    checked = 0
    for (what, actions), surface, who in product(ROWS.items(), Surface, PEOPLE):
        for action in actions:
            expected = cells[what, who]
            if surface is Surface.SHELL:
                expected = "yes"
            elif action not in AT_MOST.get(surface, set(Action)):
                expected = "no"
            assert ruled(action, surface, who) == expected, (action, surface, who)
            checked += 1
    print(f"{checked} combinations of action, surface and person")
    assert checked == 31 * 5 * 9


def test_a_token_never_does_more_than_its_person() -> None:
    """An action that a program may do with a person's token is one that the person may do on their
    page; and where an operator closes a door to the person, it is closed to the token.
    """
    policies = (
        *(POLICY, Policy(workspaces=frozenset({OTHER})), Policy(starters=frozenset({"admins"}))),
    )
    things = [
        Thing(own, near, here, sealed, home)
        for own, near, here, sealed, home in product(
            (True, False), Nearness, (True, False), (True, False), (True, False)
        )
    ]
    allowed = 0
    for action, standing, thing, policy in product(Action, Standing, things, policies):
        on = None if action in NOTHING_YET else thing
        page = Asker(Surface.WEB, "slack:T1/U7", WORKSPACE, standing)
        if rule(action, replace(page, surface=Surface.PROGRAM), on, policy).allowed:
            assert rule(action, page, on, policy).allowed, (action, standing, thing)
            allowed += 1
    assert allowed > 200


def test_every_button_and_request_has_an_action() -> None:
    assert set(PRESSES.values()) <= set(Action)
    for row in rows.ROWS.values():
        for kind in row.requests:
            assert kind.action in Action, kind


def test_without_leave_of_the_operator_nothing_is_allowed() -> None:
    closed = Policy(workspaces=frozenset({OTHER}))
    for action, surface in product(Action, set(Surface) - {Surface.SHELL}):
        asker = Asker(surface, "slack:T1/U7", WORKSPACE, Standing.ADMIN)
        ruling = rule(action, asker, None, closed)
        assert "DEBATE_WORKSPACES" in ruling.refusal


def test_private_material_is_for_those_inside_where_it_is_held() -> None:
    def seen(near: Nearness, *, here: bool, surface: Surface = Surface.CHAT) -> str:
        asker = Asker(surface, "slack:T1/U7", WORKSPACE)
        return word(rule(Action.SEE, asker, Thing(False, near, here, sealed=True), POLICY))

    assert seen(Nearness.INSIDE, here=True) == "yes"
    assert seen(Nearness.INSIDE, here=False) == "no"
    assert seen(Nearness.INSIDE, here=False, surface=Surface.WEB) == "yes"
    assert seen(Nearness.INSIDE, here=False, surface=Surface.PROGRAM) == "no"
    assert seen(Nearness.NEAR, here=False) == "hidden"
    assert seen(Nearness.NEAR, here=False, surface=Surface.WEB) == "hidden"


def test_a_moderator_of_threads_steers_and_binds_nothing() -> None:
    asker = Asker(Surface.CHAT, "discord:G1/U7", "discord:G1", moderates=True)
    there = Thing(False, Nearness.INSIDE, here=True)
    bound = Policy(private_workspaces=frozenset({"discord:G1"}))
    assert word(rule(Action.STOP, asker, there, bound)) == "yes"
    assert word(rule(Action.BIND, asker, None, bound)) == "no"


def test_who_may_start_is_the_operators_word() -> None:
    named = Policy(starters=frozenset({"slack:T1/U1"}))
    admins = Policy(starters=frozenset({"admins"}))
    member = Asker(Surface.CHAT, "slack:T1/U2", WORKSPACE)
    for action in (Action.START, Action.FORK, Action.RERUN, Action.SCHEDULE):
        assert word(rule(action, member, None, named)) == "no"
        assert word(rule(action, Asker(Surface.CHAT, "slack:T1/U1", WORKSPACE), None, named)) == (
            "yes"
        )
        admin = Asker(Surface.CHAT, "slack:T1/U3", WORKSPACE, Standing.ADMIN)
        assert word(rule(action, admin, None, admins)) == "yes"
        assert word(rule(action, member, None, admins)) == "no"


def test_a_binding_needs_the_operators_leave() -> None:
    admin = Asker(Surface.CHAT, "slack:T1/U3", WORKSPACE, Standing.ADMIN)
    for policy, expected in (
        (Policy(), "no"),
        (Policy(only_workspace=lambda: WORKSPACE), "yes"),
        (Policy(only_workspace=lambda: OTHER), "no"),
        (Policy(private_workspaces=frozenset({OTHER}), only_workspace=lambda: WORKSPACE), "no"),
    ):
        assert word(rule(Action.BIND, admin, None, policy)) == expected


def test_the_page_shows_what_is_believed_and_for_how_long() -> None:
    for one in BELIEFS:
        assert f"| {one.what} | {words(one.lasts)} | {one.renewed_by} |" in PAGE
