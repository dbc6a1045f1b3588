"""Buttons that open the form of a repository's binding. Each holds the binding's state, so it works
after a restart and whichever replica receives it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from core.application.commands import Setup
from core.application.commands.options import written
from core.application.desk import Button
from core.languages import say

CHANGE = "change"
"""The action of such a button."""
_MOST = 2000
"""Characters that Slack lets a button's value have."""
_OFFERED = 5


def change_buttons(changes: Iterable[Setup]) -> tuple[Button, ...]:
    """Returns a button for each binding that can be changed, and for a new one; a binding too long
    for a button has to be typed.
    """
    made = []
    for change in list(changes)[-_OFFERED:]:
        label = say("Bind a repository")
        if change.repository:
            label = say("Change {repository}", repository=change.repository)
        kept = {"repository": change.repository, "forge": change.forge, **written(change)}
        made.append(Button(CHANGE, label, json.dumps(kept), form=True))
    return tuple(button for button in made if len(button.value) <= _MOST)
