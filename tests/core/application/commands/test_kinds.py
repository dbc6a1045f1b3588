"""Kinds of values at their edges: what is read, what fits, what is written."""

from __future__ import annotations

from typing import Any

import pytest

from core.application.commands import kinds
from core.application.commands.kinds import Kind, duration, seconds
from core.application.commands.named import (
    debate_id,
    find_template,
    is_finding,
    is_id,
    may_be_id,
    place_name,
    repository_name,
)
from core.debate.errors import BadInput

_TAG = kinds.Tag("a name")
_WHOLE = kinds.Whole(1, 20)
_SHARE, _FROM_NOTHING = kinds.ShareKind(), kinds.ShareKind(nothing=True)
_USD = kinds.Dollars(100)
_TIME, _LASTING = kinds.Duration(3600.0), kinds.Duration(7200.0, stops=False)
_WORD = kinds.WordKind(("low", "high"))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (kinds.Flag(), "", True), (kinds.Flag(), "yes", True), (kinds.Flag(), "no", None),
        (_WHOLE, " 7 ", 7), (_WHOLE, "+7", 7), (_WHOLE, "-7", -7), (_WHOLE, "7.0", None),
        (_WHOLE, "123456789", 123456789), (_WHOLE, "1234567890", None), (_WHOLE, "٧", None),
        (_SHARE, "0.7", 0.7), (_SHARE, "70%", 0.7), (_SHARE, "1", 1.0), (_SHARE, "x%", None),
        (_SHARE, "0,5", 0.5), (_SHARE, "1e-3", None), (_SHARE, "nan", None),
        (_USD, "2.50", 2.5), (_USD, "$2", 2.0), (_USD, "2$", 2.0), (_USD, "2 USD", 2.0),
        (_USD, "2usd", 2.0), (_USD, "$", None), (_USD, "-2", None), (_USD, "$2$", 2.0),
        (_TIME, "90s", 90.0), (_TIME, "off", 0.0), (_TIME, "soon", None),
        (_WORD, " LOW ", "low"), (_WORD, " ", None), (kinds.Names(), "a, b,,a", ("a", "b", "a")),
        (kinds.Names(), " , ", None), (kinds.TextKind("a text"), " x y ", "x y"),
        (kinds.TextKind("a text"), " ", None), (kinds.Each("one"), " x ", ("x",)),
        (kinds.Each("one"), " ", None), (_TAG, " a  b ", "a b"), (_TAG, " ", None),
        (kinds.Day(), " 2027-01-31 ", "2027-01-31"), (kinds.Day(), "", None),
    ],
)  # fmt: skip
def test_a_value_is_read(kind: Kind, text: str, value: object) -> None:
    assert kind.read([text]) == value


def test_the_last_of_several_counts_or_all_of_them() -> None:
    assert _WHOLE.read(["1", "2"]) == 2
    assert _WORD.read(["low", "high"]) == "high"
    assert kinds.Names().read(["a,b", "c"]) == ("a", "b", "c")
    assert kinds.Each("one").read(["a,b", "c"]) == ("a,b", "c")


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (_WHOLE, (1, 2, 19, 20), (-1, 0, 21)),
        (_SHARE, (0.000001, 0.5, 1.0), (-0.1, 0.0, 1.000001)),
        (_FROM_NOTHING, (0.0, 0.000001, 1.0), (-0.1, 1.000001)),
        (_USD, (0.000001, 99.0, 100.0), (-1.0, 0.0, 100.01)),
        (_TIME, (0.0, 1.0, 3599.0, 3600.0), (-1.0, 3601.0)),
        (_LASTING, (0.5, 7200.0), (-1.0, 0.0, 7201.0)),
        (_WORD, ("low", "high"), ("", "mid")),
        (kinds.Names(), (("a",), ("a", "b"), ()), (("a b",), ("a", "b\tc"))),
        (_TAG, ("", "x", "x" * 29, "x" * 30), ("x" * 31, "a,b", "a;b", "a|b", "a\nb", "a\u202eb")),
        (kinds.Day(), ("2027-01-31", "2028-02-29"), ("2027-02-29", "2027-13-01", "27-1-1", "x")),
        (kinds.Flag(), (True, False), ()), (kinds.TextKind("a"), ("x",), ()),
        (kinds.Each("a"), (("x y",),), ()),
    ],
)  # fmt: skip
def test_a_value_fits_within_its_limits(kind: Any, right: Any, wrong: Any) -> None:
    assert [value for value in right if not kind.fits(value)] == []
    assert [value for value in wrong if kind.fits(value)] == []


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (kinds.Flag(), True, "yes"), (kinds.Flag(), False, ""), (_WHOLE, None, ""),
        (_WHOLE, 0, "0"),
        (_SHARE, None, ""), (_SHARE, 0.7, "0.7"), (_SHARE, 1.0, "1"), (_SHARE, 0.0, "0"),
        (_USD, 2.5, "2.5"), (_USD, 10.0, "10"), (_USD, 0.000000001, "0.000000001"),
        (_TIME, None, ""), (_TIME, 0.0, "off"), (_TIME, 90.0, "90s"), (_WORD, "low", "low"),
        (kinds.Names(), ("a", "b"), "a,b"), (kinds.Each("a"), ("a", "b"), "a\nb"),
        (_TAG, "a b", "a b"), (kinds.Day(), "2027-01-31", "2027-01-31"),
        (kinds.TextKind("a"), "x", "x"),
    ],
)  # fmt: skip
def test_what_is_written_is_read_again(kind: Any, value: object, text: str) -> None:
    assert kind.write(value) == text
    if text and not isinstance(kind, kinds.Each):
        assert kind.read([text]) == value


def test_what_is_wanted_is_said() -> None:
    wanted = [_SHARE.wants, _FROM_NOTHING.wants, _WHOLE.wants, _WORD.wants, _TIME.wants, _TAG.wants]
    assert wanted == [
        "a share above 0 and at most 1", "a share from 0 to 1", "a whole number from 1 to 20",
        "one of low, high", "a time up to 1h", "a name of at most 30 characters, without commas",
    ]  # fmt: skip
    assert (_TIME.like, _LASTING.like) == ("90s, 10m, 2h or off", "90s or 10m")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0.0), ("off", 0.0), ("90", 90.0), ("90s", 90.0), ("1.5m", 90.0), ("2h", 7200.0),
        ("1d", 86_400.0), ("1w", 604_800.0), ("2 days", 172_800.0), ("3mins", 180.0),
        ("10ms", None), ("", None), ("s", None), ("-1", None), ("x", None),
    ],
)  # fmt: skip
def test_a_length_of_time_is_read(text: str, value: float | None) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0s"), (1.0, "1s"), (59.0, "59s"), (60.0, "1m"), (61.0, "61s"), (90.0, "90s"),
        (3_599.0, "3599s"), (3_600.0, "1h"), (5_400.0, "90m"), (86_399.0, "86399s"),
        (86_400.0, "1d"), (90_000.0, "25h"), (604_800.0, "7d"),
    ],
)  # fmt: skip
def test_a_length_of_time_is_written_in_its_largest_unit(value: float, text: str) -> None:
    assert duration(value) == text


@pytest.mark.parametrize(
    ("text", "id", "may_be"),
    [
        ("d1k7q2xy", True, True), ("d1k7q2xyz", False, False), ("d1k7q2x", False, False),
        ("#d1k7", True, True), ("#d1k", False, False), ("hardener", False, True),
        ("illusion", False, False), ("12345678", True, True), ("D1K7Q2XY", False, False),
    ],
)  # fmt: skip
def test_a_word_is_meant_as_an_id(text: str, id: bool, may_be: bool) -> None:
    assert (is_id(text), may_be_id(text)) == (id, may_be)


@pytest.mark.parametrize(
    ("text", "id"), [("#d1", "d1"), ("`D1`", "d1"), ("d" * 64, "d" * 64), ("a_b-c", "a_b-c")]
)
def test_an_id_is_read_as_it_is_typed(text: str, id: str) -> None:
    assert debate_id(text) == id


@pytest.mark.parametrize("text", ["", "#", "-a", "a b", "d" * 65, "é"])
def test_what_no_id_can_be_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is no debate's id"):
        debate_id(text)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("1", True), ("#123", True), ("1234", False), ("t1.f1", True), ("T1.F12", True),
        ("code.f3", True), ("t12345.f1", False), ("t1.2.f1", True), ("t1p12.f1", True),
        ("t1.f1234", False), ("f1", False), ("", False),
    ],
)  # fmt: skip
def test_a_word_is_a_finding(text: str, finding: bool) -> None:
    assert is_finding(text) is finding


@pytest.mark.parametrize(
    ("typed", "id"),
    [
        ("code_review", "code_review"), ("Code-Review", "code_review"), ("panel_v2", "panel"),
        ("panel-v12", "panel"), ("panels", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_template_is_known_however_it_is_written(typed: str, id: str) -> None:
    assert find_template(typed, ("code_review", "panel")) == id


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("slack:C1", "slack:C1"), ("discord:1", "discord:1"), ("<#C1|general>", "slack:C1"),
        ("<#C1>", "slack:C1"), ("<#123>", "discord:123"), ("room:C1", ""), ("slack:", ""),
        ("slack:a b", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_place_is_a_channel_of_a_platform(text: str, place: str) -> None:
    if place:
        assert place_name(text) == place
    else:
        with pytest.raises(BadInput, match="is no place"):
            place_name(text)


@pytest.mark.parametrize(
    ("text", "forge", "name"),
    [
        ("o/r", "github", "o/r"), ("https://github.com/o/r.git", "github", "o/r"),
        ("www.github.com/o/r/", "github", "o/r"), ("ghe.example:8443/o/r", "github",
        "ghe.example:8443/o/r"), ("a/b/c/d", "github", ""), ("r", "github", ""),
        ("a/b/c/d", "gitlab", "a/b/c/d"), ("https://gitlab.com/a/b", "gitlab", "a/b"),
        ("o/r é", "github", ""), ("", "gitlab", ""),
    ],
)  # fmt: skip
def test_a_repository_has_an_owner(text: str, forge: str, name: str) -> None:
    if name:
        assert repository_name(text, forge) == name
    else:
        with pytest.raises(BadInput, match="is no repository"):
            repository_name(text, forge)
