"""Characters that a reader cannot see are spelled out, and applying it twice changes nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.material.escaping import (
    bidi_characters,
    show_hidden,
    show_path,
    zero_width_characters,
)

ANY = st.text(st.characters())


@pytest.mark.parametrize(
    ("raw", "spelled_out"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\u202eb\u2066c\u2069", "a\\u202eb\\u2066c\\u2069"),
        ("z\u200bw\ufeff", "z\\u200bw\\ufeff"),
        ("one\rtwo\x0cthree\x85four\u2028five", "one\\rtwo\\u000cthree\\u0085four\\u2028five"),
        ("bell\x07nul\x00esc\x1b[31m", "bell\\u0007nul\\u0000esc\\u001b[31m"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("half\ud800", "half\\ud800"),
        ("ünïcödé 日本 ✅", "ünïcödé 日本 ✅"),
    ],
)
def test_unseen_characters_are_spelled_out(raw: str, spelled_out: str) -> None:
    assert show_hidden(raw) == spelled_out


@given(ANY)
def test_nothing_unseen_is_left_and_twice_is_once(text: str) -> None:
    spelled_out = show_hidden(text)
    assert show_hidden(spelled_out) == spelled_out
    assert {unicodedata.category(char) for char in spelled_out if char not in "\n\t"}.isdisjoint(
        {"Cc", "Cs", "Zl", "Zp"}
    )
    assert not bidi_characters(spelled_out)
    assert len(spelled_out.split("\n")) == len(text.split("\n"))
    spelled_out.encode()


def test_kinds_of_unseen_characters_are_told_apart() -> None:
    assert bidi_characters("a\u202eb\u202ec\u2066") == ("\\u202e", "\\u2066")
    assert zero_width_characters("a\u200bb\u2060") == ("\\u200b", "\\u2060")
    assert zero_width_characters("👩\u200d💻 works") == ()
    assert zero_width_characters("pass\u200dword") == ("\\u200d",)


@given(ANY)
def test_a_path_is_one_short_line_without_backticks(path: str) -> None:
    spelled_out = show_path(path)
    assert not set(spelled_out) & set("\n\r\t`")
    assert len(spelled_out) <= 220


def test_long_paths_stay_apart() -> None:
    one, two = (
        show_path("d/" + "x" * 4096 + "1" + "y" * 100),
        show_path("d/" + "x" * 4096 + "2" + "y" * 100),
    )
    assert one != two
    assert "4,199 characters" in one
