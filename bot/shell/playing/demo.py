"""``debate demo``: one review of a change that ships with the program, by the models that can speak
here. If only the embedded model can, it shows a recorded review with judgement instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from adapters.models.catalogue.choice import choose
from adapters.models.embedded import available
from adapters.terminal.printing import put
from bot.settings import Settings
from core.application.commands import Start
from core.debate.errors import BadInput, brought_by
from core.languages import say

EXAMPLES = Path(__file__).parents[3] / "examples"
CHANGE = EXAMPLES / "04-pictures-in-folders.diff"
RECORDED = EXAMPLES / "recorded-review.md"
_FRAME = "=" * 72
_DETAILS = "\n## Code Review Summary\n"
"""The heading at which the recording is cut, since the part above it fits on a screen."""
_LINK = re.compile(r"\[([^\]]+)\]\(https://[^)\s]+\)")
"""The recording's links, which are removed because its pull request is made up."""


def request(typed: Sequence[str], settings: Settings) -> Start | None:
    """Returns the request of the demo, or None if no model can speak here. Raises ``BadInput``."""
    if typed:
        raise BadInput(
            say("demo takes no words, not {word}. Like this: debate demo", word=repr(typed[0][:40]))
        )
    if by_embedded(settings):
        if not available():
            return None
        put(
            say(
                "A review of {change} by the small model on this machine, which needs no key.",
                change=CHANGE.name,
            )
        )
    return Start("code_review", str(CHANGE), yes=True, debate_anyway=True)


def by_embedded(settings: Settings) -> bool:
    """True if the embedded model is the only one here."""
    names, _ = choose(settings.env, settings.models)
    return names == ("embedded",)


def show_recorded(*, alone: bool) -> None:
    """Shows the recorded review, marked so that nobody can mistake it for a debate on this
    machine.
    """
    if alone:
        put(say("No model can speak here, so nothing is debated: this is a recorded review."))
        put(say("A small model without a key: {command}", command=brought_by("embedded")))
        put(say("Your own: set a provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY …), and again."))
    else:
        shows = say(
            "The embedded model argues and cannot judge. With judgement it looks like this:"
        )
        put(f"\n{shows}")
    recorded = say(
        "RECORDED, of another change. What the seats say was written down for it;\n"
        "the verdict and everything about it is computed from that."
    )
    put(f"{_FRAME}\n{recorded}\n{_FRAME}\n")
    from adapters.terminal.terminal import Terminal

    verdict, _, _ = RECORDED.read_text("utf-8").partition(_DETAILS)
    Terminal().report(_LINK.sub(r"\1", verdict).rstrip())
    end = say("End of the recording. What each seat said: debate docs {page}", page=RECORDED.stem)
    put(f"\n{_FRAME}\n{end}")
