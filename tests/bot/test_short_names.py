"""A change's short name is understood wherever its link is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adapters.api.calls import ApiCall, wanted_of
from adapters.forges.links import ForgeKind, parse_change
from adapters.room.incoming.starting import TakenFor, take
from bot.mcp.reading import start_of
from bot.schedules.targets import repository_of
from core.application.commands import Start, parse

HOSTS: dict[str, ForgeKind] = {
    "github.com": "github",
    "git.acme.com": "github",
    "git.acme.com:8443": "github",
    "gitlab.com": "gitlab",
}
NAMES = {
    "acme/shop#7": "https://github.com/acme/shop/pull/7",
    "ann_acme/shop#7": "https://github.com/ann_acme/shop/pull/7",
    "git.acme.com/acme/shop#7": "https://git.acme.com/acme/shop/pull/7",
    "git.acme.com:8443/acme/shop#7": "https://git.acme.com:8443/acme/shop/pull/7",
    "group/sub/shop!7": "https://gitlab.com/group/sub/shop/-/merge_requests/7",
}
TEMPLATES = ("code_review", "panel")


def typed(name: str) -> Start:
    """Returns the request of a line in a shell, in Slack, in Discord and of the room's commands."""
    line = parse(name, templates=TEMPLATES)
    assert isinstance(line, Start)
    return line


def mcp(name: str) -> Start:
    return start_of(Start("", name))


def api(name: str) -> Start:
    bearer: Any = None
    return wanted_of(ApiCall(bearer, body={"template": "code_review", "target": name}))


def room(name: str) -> Start:
    taken = take(name)
    assert taken is TakenFor.LINK
    return Start(taken.template, name)


@pytest.mark.parametrize("surface", [typed, mcp, api, room])
def test_a_short_name_starts_a_review_from_every_surface(surface: Callable[[str], Start]) -> None:
    for name, url in NAMES.items():
        start = surface(name)
        assert start.template == "code_review"
        assert parse_change(start.target, HOSTS).url == url
        assert repository_of(start.target) is None, "a schedule takes this one change"


@pytest.mark.parametrize(
    "text", ["docs/v1.2/x#3", "a/b/c#7", "#7", "acme#7", "acme/shop#0", "-x/y#7", "shop!7"]
)
def test_other_words_are_no_short_names(text: str) -> None:
    assert take(text) is not TakenFor.LINK
