"""A person who watches a streamed answer sees prose only, whatever the pieces."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.prose import Prose

PROSE = st.text(st.characters(exclude_categories=["Cs"]), max_size=60).filter(
    lambda t: not t.lstrip().startswith(("{", "`")) and "```json" not in t
)


def streamed(text: str, cuts: list[int]) -> str:
    out: list[str] = []
    prose = Prose(out.append)
    at = 0
    for cut in [*sorted(c % (len(text) + 1) for c in cuts), len(text)]:
        prose.feed(text[at:cut])
        at = cut
    assert prose.text == text
    return "".join(out)


@given(PROSE, st.lists(st.integers(0, 500)))
def test_prose_before_a_fence_is_shown_and_nothing_after_it(prose: str, cuts: list[int]) -> None:
    assert streamed(prose + '\n\n```json\n{"a": 1}\n```', cuts) == prose.rstrip()


ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(ANY, st.booleans(), st.lists(st.integers(0, 500)))
def test_the_text_field_of_a_json_reply_is_shown_decoded(
    text: str, escaped: bool, cuts: list[int]
) -> None:
    reply = json.dumps({"text": text, "stance": {"option": "approve"}}, ensure_ascii=escaped)
    assert streamed(reply, cuts) == text


@pytest.mark.parametrize(
    "text", ['{"stance": "approve"}', '{"text": 12}', '```json\n{"stance": 1}\n```', ""]
)
def test_a_reply_without_prose_shows_nothing(text: str) -> None:
    assert streamed(text, [1, 3, 5, 7]) == ""


def test_a_fenced_reply_shows_its_text_field() -> None:
    assert streamed('```json\n{"text": "Hello"}\n```', [2, 4, 6, 9, 14, 20]) == "Hello"


@pytest.mark.parametrize(
    "text", ["`open()` is never closed", "``x`` it is", "```python\nx = 1\n``` is it"]
)
def test_prose_may_begin_with_code(text: str) -> None:
    assert streamed(text, [*range(len(text))]) == text


@pytest.mark.parametrize("text", ["\\\U0001f600", "\\\\ud83d", "a\U0001f600\U0001f600b", '\\"'])
def test_no_cut_takes_a_character_apart(text: str) -> None:
    reply = json.dumps({"text": text})
    for cut in range(len(reply)):
        assert streamed(reply, [cut]) == text
    assert streamed(reply, [*range(len(reply))]) == text


def test_a_long_answer_is_read_once() -> None:
    reply = json.dumps({"text": "x" * 40_000})
    pieces = [reply[at : at + 4] for at in range(0, len(reply), 4)]
    words: list[str] = []
    prose = Prose(words.append)
    for piece in pieces:
        prose.feed(piece)
    assert "".join(words) == "x" * 40_000


def test_without_a_listener_nothing_is_lost() -> None:
    prose = Prose(None)
    prose.feed("a")
    prose.feed("b")
    assert prose.text == "ab"
