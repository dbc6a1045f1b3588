"""Foreign text at the limits of what is read as Markdown, and the words for emoji."""

from __future__ import annotations

import pytest

from adapters.text import markdown
from adapters.text.emoji import character, plain_name, short_name
from adapters.text.links import HOSTS, safe_url
from adapters.text.markdown import pieces, plain
from adapters.text.pieces import Piece, PieceKind, TextSpan, coded
from adapters.text.splitting import SMALLEST, split
from core.words.views.language.grammar import did_you_mean, nearest


@pytest.mark.parametrize(("lines", "read"), [(4, True), (5, True), (6, False)])
def test_a_text_of_too_many_lines_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch, lines: int, read: bool
) -> None:
    monkeypatch.setattr(markdown, "_LINES", 5)
    made = pieces("**b**" + "\n" * lines + "x")
    assert made[0].spans[0].bold is read


@pytest.mark.parametrize(("marks", "read"), [(4, True), (6, False)])
def test_a_text_of_too_many_marks_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch, marks: int, read: bool
) -> None:
    monkeypatch.setattr(markdown, "_MOST_MARKS", 5)
    made = pieces("**b** " + "*" * (marks - 4))
    assert made[0].spans[0].bold is read


@pytest.mark.parametrize("deep", [1, 5, 9])
def test_lists_in_lists_keep_their_depth(deep: int) -> None:
    text = "\n".join("  " * n + f"- {n}" for n in range(deep))
    assert [(piece.level, piece.text) for piece in pieces(text)] == [
        (n, str(n)) for n in range(deep)
    ]


def test_quotations_in_quotations_are_read_while_that_is_quick() -> None:
    """Each quotation in another one has its lines looked at again."""
    quick, slow = (pieces("> > > > > a\n" * lines) for lines in (60, 61))
    assert [(piece.quoted, piece.text) for piece in quick] == [(5, "\n".join("a" * 60))]
    assert [(piece.quoted, piece.text) for piece in slow] == [(4, "> a")] * 61


def test_numbers_go_on_from_the_first() -> None:
    made = pieces("3. a\n3. b\n\n   more\n7. c")
    assert [piece.marker for piece in made] == ["3.", "4.", "", "5."]
    assert plain(made) == "3. a\n4. b\nmore\n5. c"
    nested = pieces("- a\n  1. b\n  2. c\n- d")
    assert plain(nested) == "• a\n  1. b\n  2. c\n• d"


def test_plain_text_of_rules_and_code() -> None:
    assert plain(pieces("a\n\n---\n\n```\nx = 1\n```")) == "a\n---\nx = 1"
    assert Piece(PieceKind.PARAGRAPH, (TextSpan("a"),), 2, "•").lead("  ") == ""
    assert Piece(PieceKind.ITEM, (TextSpan("a"),), 2, "•").lead("  ") == "    • "
    assert Piece(PieceKind.ITEM, (TextSpan("a"),), 1).lead("  ") == "  "


def test_backticks_mark_code_and_nothing_else_does() -> None:
    assert coded("a `b` **c** `d`") == (
        TextSpan("a "), TextSpan("b", code=True), TextSpan(" **c** "), TextSpan("d", code=True)
    )  # fmt: skip
    assert coded("") == ()
    assert coded("`a`") == (TextSpan("a", code=True),)


@pytest.mark.parametrize(
    ("name", "emoji"),
    [
        ("", ""), (":x:", "❌"), ("x", "❌"), ("thumbsup", "👍"), ("nonsense", ""), ("✅", "✅"),
        (":✅:", "✅"),
    ],
)  # fmt: skip
def test_a_name_has_its_emoji(name: str, emoji: str) -> None:
    assert character(name) == emoji


@pytest.mark.parametrize(
    ("emoji", "name"),
    [
        ("👍", "+1"), ("👍🏽", "+1"), ("✔️", "heavy_check_mark"), ("✔", "heavy_check_mark"),
        ("🤷\u200d♀️", "shrug"), ("thumbsup", "+1"), ("party_parrot", "party_parrot"), ("🦜", "🦜"),
    ],
)  # fmt: skip
def test_an_emoji_has_one_name(emoji: str, name: str) -> None:
    assert short_name(emoji) == name


def test_a_short_name_loses_its_tone() -> None:
    assert [plain_name(n) for n in (":+1::skin-tone-3:", "+1", ":thumbsup:", "x")] == [
        "+1", "+1", "+1", "x"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://github.com/o/r", True), ("http://github.com/o/r", False),
        ("https://github.com:443/o", False), ("https://u@github.com/o", False),
        ("https://github.com.evil.example/", False), ("https://evil.example/", False),
        ("https://github.com/o r", False), ("https://github.com:x/", False), ("", False),
        ("https://github.com/é", False), ("https://[github.com/", False),
        ("https://github.com:8443/a", False), ("https://u:p@github.com/a", False),
        ("ftp://github.com/", False), ("https://github.com/<x>", False), ("//github.com/a", False),
        ("https://[::1", False), ("https://gıthub.com/", False), ("https://gitlab.com/g", True),
    ],
)  # fmt: skip
def test_a_link_is_safe_on_a_known_host_alone(url: str, safe: bool) -> None:
    assert safe_url(url, HOSTS) == (url if safe else "")


def test_the_nearest_word_is_suggested() -> None:
    known = ("code_review", "design_doc", "panel")
    assert nearest("Code-Reviw", known) == "code_review"
    assert nearest("zzz", known) == ""
    assert nearest("panl", known, 0.99) == ""
    assert did_you_mean("panl", known, before="--") == " Did you mean --panel?"
    assert did_you_mean("zzz", known) == ""
    assert nearest("panel" + "x" * 60, ("panel" + "x" * 55,)) == "panel" + "x" * 55


def test_a_text_is_split_at_its_limit() -> None:
    with pytest.raises(ValueError, match="too small"):
        split("x", SMALLEST - 1)
    assert split("", SMALLEST) == []
    assert split("\n\n", SMALLEST) == []
    assert split("x" * SMALLEST, SMALLEST) == ["x" * SMALLEST]
    assert split("x" * (SMALLEST + 1), SMALLEST) == ["x" * SMALLEST, "x"]
    words = "a" * 60 + " " + "b" * 60
    assert split(words, SMALLEST) == ["a" * 60 + " ", "b" * 60]
    early = "a" * 40 + " " + "b" * 70
    assert split(early, SMALLEST) == [early[:SMALLEST], early[SMALLEST:]]
    half = "a" * 50 + " " + "b" * 70
    assert split(half, SMALLEST) == ["a" * 50 + " ", "b" * 70]
    marks = "x" * 99 + "e\u0301" + "y"
    assert split(marks, SMALLEST) == ["x" * 99, "e\u0301y"]
    family = "x" * 98 + "👩\u200d👩y"
    assert split(family, SMALLEST) == ["x" * 98, "👩\u200d👩y"]


def test_lines_stay_together_up_to_the_limit() -> None:
    one, other = "a" * 49, "b" * 50
    assert split(f"{one}\n{other}", SMALLEST) == [f"{one}\n{other}"]
    assert split(f"{one}\n{other}b", SMALLEST) == [one, f"{other}b"]
    assert split("a\r\nb\rc", SMALLEST) == ["a\nb\nc"]


def test_a_text_is_best_cut_between_paragraphs() -> None:
    first, second, third = "a" * 40, "b" * 30, "c" * 40
    assert split(f"{first}\n\n{second}\n{third}", SMALLEST) == [first, f"{second}\n{third}"]
    short = "a" * 20
    assert split(f"{short}\n\n{second}\n{second}\n{third}", SMALLEST) == [
        f"{short}\n\n{second}\n{second}", third
    ]  # fmt: skip


def test_a_fence_that_is_cut_is_closed_and_opened_again() -> None:
    lines = [f"line {n:02}" + "." * 20 for n in range(6)]
    code = "\n".join(lines)
    parts = split(f"```py\n{code}\n```", SMALLEST)
    assert all(part.startswith("```py\n") for part in parts)
    assert all(part.endswith("\n```") for part in parts)
    inside = [line for part in parts for line in part.split("\n")[1:-1]]
    assert inside == lines
    open_end = split(f"~~~\n{code}", SMALLEST)
    assert all(part.startswith("~~~\n") and part.endswith("\n~~~") for part in open_end)
    long = split(f"```{'x' * 21}\n{code}\n```", SMALLEST)
    assert all(part.startswith("```\n") for part in long[1:])
    quoted = split("\n".join(f"> {line}" for line in ("```", *lines, "```")), SMALLEST)
    assert all(part.startswith("> ```\n") for part in quoted)


def test_a_fence_too_long_to_be_repeated_is_cut_as_text() -> None:
    code = "\n".join(["word " * 9] * 4)
    for ticks, repeated in ((23, True), (24, True), (25, False)):
        mark = "`" * ticks
        parts = split(f"{mark}\n{code}\n{mark}", SMALLEST)
        assert all(part.startswith(mark) for part in parts) is repeated


def test_text_that_is_nested_too_deep_is_shown_as_it_is() -> None:
    deep = "- " * 60 + "x"
    assert plain(pieces(">" * 300 + " deep")).endswith("deep")
    [piece] = pieces(f"**a**\n\n{deep}")
    assert (piece.kind, piece.text) == (PieceKind.PARAGRAPH, f"**a**\n\n{deep}")
    assert [piece.quoted for piece in pieces("a\n\n> > x")] == [0, 2]


def test_marks_without_an_end_are_cut_in_the_middle() -> None:
    marks = "x" * 40 + "\u0301" * 80
    assert [len(part) for part in split(marks, SMALLEST)] == [50, 70]
