"""The frame of a prompt: its files with their variables, and the fence around everything that
others wrote.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from string import Template as Text

from core.debate.material.escaping import show_hidden
from core.debate.material.rendering import texts_beside
from core.debate.state import Debate, once_for

MARK = "| "
"""The mark at the beginning of every line of foreign text."""


@cache
def prompt_file(name: str) -> Text:
    """Returns a prompt file, whose variables are not filled in yet."""
    return Text(
        files("core.debate.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").rstrip("\n")
    )


def fill(name: str, **values: str) -> str:
    """Fills a prompt file's variables in. Raises ``KeyError`` for a variable that was not given."""
    return prompt_file(name).substitute(values)


@once_for("opened")
def fence(debate: Debate) -> str:
    """Returns a token that ends data.

    It is derived from the debate's draw and its opening, so it is the same in all prompts of the
    debate. Later statements cannot hold it: ``marked`` removes it.
    """
    m = debate.open.material
    parts = (part.text for part in m.parts)
    foreign = (m.text, *parts, m.title, m.body, m.guidelines, *texts_beside(m))
    return fence_for(f"{debate.id}:{debate.open.seed}", *foreign)


def fence_for(drawn: str, *foreign: str) -> str:
    """Returns a token made from ``drawn`` that occurs in none of the texts."""
    for n in range(1000):
        token = hashlib.sha256(f"{drawn}:{n}".encode()).hexdigest()[:10]
        if not any(token in text for text in foreign):
            return token
    raise AssertionError("a text that holds a thousand chosen hashes was not written by chance")


def marked(text: str, token: str) -> str:
    """Renders foreign text as data: unseen characters spelled out, without the fence's token, a
    mark before every line.
    """
    lines = without(show_hidden(text), token).split("\n")
    return "\n".join(f"{MARK}{line}".rstrip() for line in lines)


def without(text: str, token: str) -> str:
    """Returns the text without the fence's token."""
    return text.replace(token, "…")
