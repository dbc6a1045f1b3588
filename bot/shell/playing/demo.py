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
        raise BadInput(f"demo takes no words, not {typed[0][:40]!r}. Like this: debate demo")
    if by_embedded(settings):
        if not available():
            return None
        put(f"A review of {CHANGE.name} by the small model on this machine, which needs no key.")
    return Start("code_review", str(CHANGE), yes=True, debate_anyway=True)


def by_embedded(settings: Settings) -> bool:
    """True if the embedded model is the only one here."""
    return choose(settings.env, settings.models).names == ("embedded",)


def show_recorded(*, alone: bool) -> None:
    """Shows the recorded review, marked so that nobody can mistake it for a debate on this
    machine.
    """
    if alone:
        put("No model can speak here, so nothing is debated: this is a recorded review.")
        put(f"A small model without a key: {brought_by('embedded')}")
        put("Your own: set a provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY …), and again.")
    else:
        put("\nThe embedded model argues and cannot judge. With judgement it looks like this:")
    put(f"{_FRAME}\nRECORDED, of another change. What the seats say was written down for it;")
    put(f"the verdict and everything about it is computed from that.\n{_FRAME}\n")
    from adapters.terminal.terminal import Terminal

    verdict, _, _ = RECORDED.read_text("utf-8").partition(_DETAILS)
    Terminal().report(_LINK.sub(r"\1", verdict).rstrip())
    put(f"\n{_FRAME}\nEnd of the recording. What each seat said: debate docs {RECORDED.stem}")
