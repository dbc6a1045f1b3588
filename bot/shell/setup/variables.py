"""All variables in the order in which an operator should look at them: those that must be set,
those that should be before others use the bot, and the optional ones. ``python -m
bot.shell.setup.variables`` prints ``.env.example``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap

from adapters.terminal.printing import put
from bot.settings import ELSEWHERE, VARIABLES, Variable

_GROUPS: Mapping[str, frozenset[str]] = {
    "Must: a model (one provider's key is enough), and the tokens of the chat in which people "
    "talk. A terminal and a browser need none of them.": frozenset({
        "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "DEBATE_MODELS",
        "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DISCORD_TOKEN",
    }),
    "Should: before others use it.": frozenset({
        "DEBATE_BUDGET", "DEBATE_DAILY_BUDGET", "DEBATE_KEEP", "DEBATE_SIGNING_KEY",
        "DEBATE_SECRET_KEY", "DEBATE_PUBLIC_URL", "DEBATE_MODERATORS", "DEBATE_DATABASE_URL",
        "DEBATE_WATCH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN",
    }),
}  # fmt: skip
"""The heading above each group of variables, and their names."""
_MAY = "May: everything else, as it is without being set."


def all_variables() -> Iterator[Variable]:
    """Yields all variables."""
    yield from ELSEWHERE
    yield from VARIABLES.values()


def env_example() -> str:
    """Returns a ``.env`` file in which nothing is set and everything can be."""
    lines = [
        "# Copy this to .env (chmod 600), or let `debate init` write it. Every line is NAME=value;",
        "# a $ stands for itself, for Docker Compose only within single quotes.",
    ]
    rest = {one.name for one in all_variables()}.difference(*_GROUPS.values())
    for heading, names in {**_GROUPS, _MAY: rest}.items():
        lines += ["", *(f"## {line}" for line in wrap(heading, 96)), ""]
        for one in all_variables():
            if one.name in names:
                lines += [f"# {one.what}", f"#{one.name}="]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    put(env_example().rstrip("\n"))
