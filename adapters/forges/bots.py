"""Knows the accounts that open pull requests for newer dependencies."""

from __future__ import annotations

_DEPENDENCY_BOTS = frozenset(
    {
        "dependabot", "dependabot-preview", "depfu", "greenkeeper", "mend-for-github-com",
        "pyup-bot", "renovate", "renovate-bot", "renovatebot", "scala-steward", "snyk-bot",
        "step-security-bot",
    }
)  # fmt: skip


def is_dependency_bot(login: str) -> bool:
    """Return whether the account opens pull requests that only raise versions."""
    name = login.casefold().removeprefix("app/").removesuffix("[bot]")
    return name in _DEPENDENCY_BOTS
