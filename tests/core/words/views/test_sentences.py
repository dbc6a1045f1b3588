"""No renderer holds a sentence: whoever lays a debate out takes its words from ``views``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.project import ROOT

RENDERERS = (
    "adapters/posts",
    "adapters/review",
    "adapters/room/outgoing",
    "adapters/slack/outgoing/layout.py",
    "adapters/slack/outgoing/markup.py",
    "adapters/slack/outgoing/presence.py",
    "adapters/discord/outgoing/components.py",
    "adapters/discord/outgoing/layout.py",
    "adapters/discord/outgoing/markup.py",
    "adapters/discord/outgoing/messages.py",
    "adapters/discord/outgoing/presence.py",
    "adapters/terminal",
    "core/words/outcome",
)
"""Folders and modules that put a debate where people read it."""
SENTENCE = 4
"""Words from which a text says something by itself; what is shorter is a label."""
_WORD = re.compile(r"[A-Za-z][a-z'’-]*[.,:;!?)…]*")
PAGES = ("parts.html", "bars.html", "change.html")
"""The pages' parts that show a debate; the others hold forms and lists of their own."""


NO_WORDS = {
    "adapters/posts/export/page.py": "{color-scheme",
    "adapters/posts/export/play.py": "-src '",
    "adapters/room/outgoing/reply.py": "-src '",
}
"""The texts that look like words and are a style sheet or a header, and the sign of each."""


def modules() -> Iterator[Path]:
    for name in RENDERERS:
        place = ROOT / name
        yield from sorted(place.rglob("*.py")) if place.is_dir() else (place,)


def sentences(source: str) -> list[str]:
    """Returns texts of at least ``SENTENCE`` words that stand in code, docstrings and the texts
    behind constants aside; what an f-string puts in is no word.
    """
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    texts = []
    for node in ast.walk(tree):
        if id(node) in docstrings | inside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
            texts.append("".join(map(str, parts)))
    return [text for text in texts if sum(map(is_word, text.split())) >= SENTENCE]


def is_word(token: str) -> bool:
    return _WORD.fullmatch(token) is not None


@pytest.mark.parametrize("module", [str(path.relative_to(ROOT)) for path in modules()])
def test_no_renderer_holds_a_sentence(module: str) -> None:
    code = NO_WORDS.get(module)
    sentences_there = [
        text
        for text in sentences((ROOT / module).read_text(encoding="utf-8"))
        if code is None or code not in text
    ]
    assert sentences_there == []


@pytest.mark.parametrize("page", PAGES)
def test_no_part_of_a_page_holds_a_sentence(page: str) -> None:
    source = (ROOT / "adapters/room/pages" / page).read_text(encoding="utf-8")
    assert page_sentences(source) == []


def page_sentences(source: str) -> list[str]:
    """Returns texts between tags, in attributes that are read aloud, and in the template's own
    strings.
    """
    code = " ".join(re.findall(r"\{[{%].*?[%}]\}", source, re.DOTALL))
    bare = re.sub(r"\{[#%].*?[#%]\}", "<>", source, flags=re.DOTALL)
    bare = re.sub(r"\{\{.*?\}\}", "{}", bare, flags=re.DOTALL)
    texts = (
        *re.split(r"<[^>]*>", bare),
        *re.findall(r'(?:aria-label|title)="([^"]*)"', bare),
        *re.findall(r'"([^"<>{}%]*)"', code),
    )
    return [text for text in texts if sum(map(is_word, text.split())) >= SENTENCE]


@pytest.mark.parametrize(
    ("read", "source", "sentences_there"),
    [
        (page_sentences, "<p>It is computed later on.</p>", ["It is computed later on."]),
        (page_sentences, '<p aria-label="A picture of all stances">{{ x }}</p>',
         ["A picture of all stances"]),
        (page_sentences, '{{ press("stop", "Do you really mean it?") }}',
         ["Do you really mean it?"]),
        (page_sentences, '{# what it is about, said #}<p class="a b c d">Held by {{ x }}</p>', []),
        (sentences, 'x = "no line of the material"\n"""What is behind a constant is none."""',
         ["no line of the material"]),
        (sentences, 'x = f"{n} seats hold the option"', ["{} seats hold the option"]),
        (sentences, 'x = "<p class=\\"small\\" data-live id=\\"x\\">"', []),
        (sentences, 'def f():\n    """One that explains itself well."""\n    return "Held by"', []),
    ],
)  # fmt: skip
def test_what_a_sentence_is(
    read: Callable[[str], list[str]], source: str, sentences_there: list[str]
) -> None:
    assert read(source) == sentences_there
