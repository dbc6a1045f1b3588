"""The keys by which posts are found again."""

from __future__ import annotations

from core.debate.state import Debate


def root_key(debate: str) -> str:
    return f"{debate}:root"


def verdict_key(debate: str) -> str:
    return f"{debate}:verdict"


def finding_key(debate: str, finding: str) -> str:
    return f"{debate}:finding:{finding}"


def challenge_key(debate: str, challenge: str) -> str:
    return f"{debate}:challenge:{challenge}"


def question_key(key: str) -> str:
    """Returns the key of the post that asks about the post ``key``."""
    return f"{key}?"


def post_key(debate: Debate, at: int, part: str) -> str:
    return f"{debate.id}:{at}:{part}"
