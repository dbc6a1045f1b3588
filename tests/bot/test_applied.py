"""Most people who gave a stored command are ruled once more when it is applied."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.platforms import PLACES
from core.application.commands.actions import Action
from core.application.permissions.applied import refusal_now
from core.application.place import Places
from core.debate import commands as c
from core.debate.state import Debate, replay
from tests.storage.samples import requested


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
