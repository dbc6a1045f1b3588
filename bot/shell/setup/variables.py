"""All variables in the order in which an operator should look at them: those that must be set,
those that should be before others use the bot, and the optional ones. ``python -m
bot.shell.setup.variables`` prints ``.env.example``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from textwrap import wrap

from adapters.terminal.printing import put
from bot.settings import ELSEWHERE, VARIABLES, Variable


class Group(StrEnum):
    """A group of variables; its value is the heading above them."""

    MUST = (
        "Must: a model (one provider's key is enough), and the tokens of the chat in which people "
        "talk. A terminal and a browser need none of them."
    )
    SHOULD = "Should: before others use it."
    MAY = "May: everything else, as it is without being set."


_GROUPS: Mapping[str, Group] = {
    **dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), Group.MUST),
    **dict.fromkeys(("DEBATE_MODELS", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"), Group.MUST),
    "DISCORD_TOKEN": Group.MUST,
    **dict.fromkeys(("DEBATE_BUDGET", "DEBATE_DAILY_BUDGET", "DEBATE_KEEP"), Group.SHOULD),
    **dict.fromkeys(("DEBATE_SIGNING_KEY", "DEBATE_SECRET_KEY"), Group.SHOULD),
    **dict.fromkeys(("DEBATE_PUBLIC_URL", "DEBATE_MODERATORS"), Group.SHOULD),
    **dict.fromkeys(("DEBATE_DATABASE_URL", "DEBATE_WATCH_TOKEN"), Group.SHOULD),
    **dict.fromkeys(("GITHUB_TOKEN", "GITLAB_TOKEN"), Group.SHOULD),
}


def all_variables() -> Iterator[Variable]:
    """Yields all variables."""
    yield from ELSEWHERE
    yield from VARIABLES.values()


def env_example() -> str:
    """Returns a ``.env`` file in which nothing is set and everything can be."""
    lines = [
        "# Copy this to .env (chmod 600), or let `debate init` write it. Every line is NAME=value;",
        "# a $ stands for itself.",
    ]
    for group in Group:
        lines += ["", *(f"## {line}" for line in wrap(group.value, 96)), ""]
        for one in all_variables():
            if _GROUPS.get(one.name, Group.MAY) is group:
                lines += [f"# {one.what}", f"#{one.name}="]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    put(env_example().rstrip("\n"))
