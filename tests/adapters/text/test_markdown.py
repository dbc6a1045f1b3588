"""The neutral Markdown and the splitting that all chats share."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.text.foreign import literal, visible
from adapters.text.links import HOSTS, safe_url
from adapters.text.markdown import pieces, plain
from adapters.text.pieces import Piece, PieceKind, TextSpan
from adapters.text.splitting import SMALLEST, split
from tests.drawn import drawn

NASTY = [
    "<!channel>", "<!here>", "<@U1>", "<@&1>", "@everyone", "[x](javascript:alert(1))",
    "[https://bank.example](https://evil.example)",
    "**bold**", "_it_", "~~s~~", "`co`de`", "```", "~~~", "> q", "- item", "7. seven", "# head",
    "| a | b |\n|---|---|\n| 1 | 2 |", "***",
    "&lt;!here&gt;",
    "\\", "\u202e", "\x00", "\ud800", "\u200b", "[a]: http://b.example",
    "![i](http://c.example/i.png)", "<b>",
    "    four", "\t", "5 * 3 * 2", "](", "é" * 3, "👩‍👩‍👧",
]  # fmt: skip
markdown = st.lists(
    st.sampled_from([*NASTY, " ", "\n", "\n\n", "word", "word word. word"]), max_size=60
).map("".join)


def letters(text: str) -> list[str]:
    return re.findall(r"[^\W_]", text)


def goes_through(wanted: list[str], seen: list[str]) -> bool:
    rest = iter(seen)
    return all(letter in rest for letter in wanted)


def test_every_kind_of_block_and_span() -> None:
    text = """# Title
Some **bold _both_** `a<b` ~~gone~~ [ok](https://github.com/o/r)
second line

> quoted
> ```py
> code
> ```

3. three
   - sub
4. four

---
"""
    assert pieces(text) == [
        Piece(PieceKind.HEADING, (TextSpan("Title"),), 1),
        Piece(
            PieceKind.PARAGRAPH,
            (
                TextSpan("Some "), TextSpan("bold ", bold=True),
                TextSpan("both", bold=True, italic=True), TextSpan(" "),
                TextSpan("a<b", code=True), TextSpan(" "),
                TextSpan("gone", strike=True), TextSpan(" "),
                TextSpan("ok", url="https://github.com/o/r"),
                TextSpan("\n"), TextSpan("second line"),
            ),
        ),
        Piece(PieceKind.PARAGRAPH, (TextSpan("quoted"),), quoted=1),
        Piece(PieceKind.CODE, (TextSpan("code", code=True),), info="py", quoted=1),
        Piece(PieceKind.ITEM, (TextSpan("three"),), marker="3."),
        Piece(PieceKind.ITEM, (TextSpan("sub"),), 1, "•"),
        Piece(PieceKind.ITEM, (TextSpan("four"),), marker="4."),
        Piece(PieceKind.RULE),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("markdown", "seen"),
    [
        ("[sign in](https://evil.example/login)", "sign in (evil.example)"),
        ("[x](javascript:alert(1))", "x (javascript: link)"),
        ("[x](data:text/html,hi)", "x (data: link)"),
        ("[github.com/o/r](https://gitlab.com/x)", "github.com/o/r (gitlab.com)"),
        ("[ｇithub.com](https://gitlab.com/x)", "ｇithub.com (gitlab.com)"),
        ("[x](https://github.com@evil.example/)", "x (evil.example)"),
        ("![pixel](https://evil.example/p.png?leak=1)", "[image: pixel] (evil.example)"),
        ("<https://evil.example>", "https://evil.example (evil.example)"),
        ("a\u202etxt.exe", r"a\u202etxt.exe"),
        ("&lt;!here&gt; <b>x</b>", "<!here> <b>x</b>"),
        ("[a]: http://evil.example", "[a]: http://evil.example"),
        ("| a | bb |\n|---|---|\n| 1 | 2 |", "a, bb;\n1, 2;"),
        ("5 * 3 * 2 snake_case_name", "5 * 3 * 2 snake_case_name"),
    ],
)
def test_what_a_reader_sees_instead_of_a_trick(markdown: str, seen: str) -> None:
    blocks = pieces(markdown)
    assert plain(blocks) == seen
    assert not any(span.url for block in blocks for span in block.spans)


def test_bare_addresses_on_known_hosts_are_links() -> None:
    [block] = pieces(
        "see https://github.com/o/r/pull/3, not https://evil.example/x or "
        "https://github.com.evil.example/y."
    )
    assert [span.url for span in block.spans if span.url] == ["https://github.com/o/r/pull/3"]


@given(markdown)
def test_no_text_is_lost_and_no_link_lies(text: str) -> None:
    blocks = pieces(text)
    rendered = "".join(block.marker + block.info + block.text for block in blocks)
    wanted = re.sub(
        r"(?m)&\w+;|\]\([^)]*\)|^(?:[\s>*-]|\d+\.)+", " ", visible(text)
    )  # entities, targets, and numbers that lists count anew
    assert goes_through(letters(wanted), letters(rendered)), "text is lost or out of order"
    for block in blocks:
        for span in block.spans:
            assert span.text
            assert not span.url or safe_url(span.url, HOSTS) == span.url
            assert visible(span.text) == span.text


@given(st.text(max_size=200))
def test_literal_text_stays_what_it_is(text: str) -> None:
    seen = plain(pieces("x " + literal(text) + " x", ()))
    assert seen.split() == ("x " + visible(text).replace("\n", " ") + " x").split()


def fences(text: str) -> list[tuple[str, bool]]:
    """Returns the marker of every fence in ``text`` and whether it is closed."""
    out = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.map:
            last = text.split("\n")[: token.map[1]][-1].strip(" >\t")
            out.append(
                (token.markup, token.map[1] - token.map[0] > 1 and last.startswith(token.markup))
            )
    return out


@given(st.lists(markdown, min_size=1, max_size=8).map("\n\n".join), st.integers(SMALLEST, 900))
def test_parts_keep_the_limit_and_the_text(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(len(part) <= limit for part in parts)
    assert all(part.strip() for part in parts)
    kept = [c for c in re.sub(r"[`~\s>]", "", "".join(parts)) if not c.isspace()]
    wanted = [c for c in re.sub(r"[`~\s>]", "", text) if not c.isspace()]
    assert goes_through(wanted, kept), "text is lost or out of order"


@drawn(6)
@given(st.integers(0, 2**32), st.integers(200, 4000))
def test_thirty_thousand_characters_of_an_argument(seed: int, limit: int) -> None:
    rng = random.Random(seed)
    blocks, size = [], 0
    while size < 30_000:
        lines = [
            " ".join(f"w{rng.randrange(10**6)}" for _ in range(rng.randrange(1, 40)))
            for _ in range(rng.randrange(1, 30))
        ]
        block = rng.choice(["{}", "```python\n{}\n```", "~~~~\n{}\n~~~~", "## {}", "{}"]).format(
            "\n".join(lines)
        )
        blocks.append(block)
        size += len(block)
    text = "\n\n".join(blocks)
    parts = split(text, limit)
    assert all(len(part) <= limit for part in parts)
    assert re.findall(r"w\d+", "\n".join(parts)) == re.findall(r"w\d+", text)
    assert all(closed for part in parts for _, closed in fences(part))
    assert {w for part in parts for w in code_words(part)} == set(code_words(text))


def code_words(text: str) -> list[str]:
    return [
        word
        for block in pieces(text)
        if block.kind is PieceKind.CODE
        for word in re.findall(r"w\d+", block.text)
    ]


def test_a_fence_that_nobody_closed_is_closed_at_the_end() -> None:
    assert split("```py\ncode", 100) == ["```py\ncode\n```"]
    assert split("text\n```", 100) == ["text\n```\n```"]


def test_paragraphs_stay_whole_where_they_can() -> None:
    first, second = "a" * 60 + ".", "b" * 60 + "."
    assert split(f"{first}\n\n{second}", 100) == [first, second]
    assert split("", 100) == []
    assert split("short", 100) == ["short"]
    with pytest.raises(ValueError, match="too small"):
        split("short", SMALLEST - 1)


AT = "https://github.com/o/r/blob/0123/src/app.py"


@pytest.mark.parametrize(
    ("label", "url", "linked"),
    [
        ("`src/app.py:12`", f"{AT}#L12", "src/app.py:12"),
        ("src/app.py", AT, "src/app.py"),
        ("`src/app.py:13`", f"{AT}#L12", ""),
        ("`other.py:12`", f"{AT}#L12", ""),
        ("evil.com", f"{AT}#L12", ""),
    ],
)
def test_a_place_is_a_link_where_its_address_ends_with_it(
    label: str, url: str, linked: str
) -> None:
    [piece] = pieces(f"[{label}]({url})")
    assert "".join(s.text for s in piece.spans if s.url == url) == linked
    assert not any(s.code and s.url for s in piece.spans)


def test_a_link_in_a_table_is_its_label() -> None:
    [piece] = pieces(f"| Place |\n| --- |\n| [`src/app.py:12`]({AT}#L12) |\n| [x.com]({AT}) |")
    assert piece.rows == (("Place",), ("src/app.py:12",), ("x.com (github.com)",))
