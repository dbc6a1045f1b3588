"""Knows programs by the names of their accounts."""

from __future__ import annotations

import re

_BOT = re.compile(r"(?:(?:project|group)_\d+_bot|service_account_)|.*\[bot\]$", re.DOTALL)
"""The names that GitLab gives to the tokens of projects and groups and to service accounts, and
GitHub to Apps.
"""
_DEPENDENCY_BOTS = frozenset(
    {
        "dependabot", "dependabot-preview", "depfu", "greenkeeper", "mend-for-github-com",
        "pyup-bot", "renovate", "renovate-bot", "renovatebot", "scala-steward", "snyk-bot",
        "step-security-bot",
    }
)  # fmt: skip


def is_bot(login: str) -> bool:
    """True if the account's name is one that only programs have."""
    return _BOT.match(login.casefold()) is not None


def is_dependency_bot(login: str) -> bool:
    """Return whether the account opens pull requests that only raise versions."""
    name = login.casefold().removeprefix("app/").removesuffix("[bot]")
    return name in _DEPENDENCY_BOTS
