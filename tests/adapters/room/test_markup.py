"""Foreign text as HTML: only tags of ours, every word kept, nothing that runs or loads."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.room.outgoing.markup import html, inline
from adapters.text.markdown import pieces

TAGS = {
    "p", "ul", "ol", "li", "pre", "code", "hr", "strong", "em", "s", "br", "blockquote", "a", "div",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
ATTRIBUTES = {"href", "rel", "start", "tabindex", "class"}
HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
    "![x](https://evil.example/a.png)", "<a href='https://evil.example'>github.com</a>",
    "[github.com](https://evil.example/x)", "<style>*{display:none}</style>", "&lt;script&gt;",
    "\x00\x1b[31m", "| a | <b> |\n|---|---|\n| `<i>` | [y](data:text/html,x) |", "</div></main>",
    '" onmouseover="alert(1)', "{{ visitor.token }}", "{% include 'base.html' %}",
)  # fmt: skip


class Parsed(HTMLParser):
    """A page as a browser parses it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(str(text))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


markdown = st.lists(
    st.one_of(
        st.sampled_from(HOSTILE),
        st.sampled_from(["- ", "1. ", "3. ", "  - ", "> ", "# ", "**", "`", "```\n", "\n", "\n\n"]),
        st.text(max_size=20),
    ),
    max_size=14,
).map("".join)


@given(markdown)
def test_only_tags_of_ours(text: str) -> None:
    made = Parsed(html(text))
    assert not made.open
    assert set(made.tags) <= TAGS
    assert {name for name, _ in made.attributes} <= ATTRIBUTES
    assert all(
        (value or "").startswith(("https://github.com/", "https://gitlab.com/"))
        for name, value in made.attributes
        if name == "href"
    )


@given(markdown)
def test_every_word_is_kept(text: str) -> None:
    kept = "".join(Parsed(html(text)).text.split())
    for piece in pieces(text):
        if not piece.rows:
            assert "".join(piece.text.split()) in kept


@given(st.text(max_size=60))
def test_a_line_shows_what_was_written(text: str) -> None:
    made = Parsed(inline(text))
    assert set(made.tags) <= {"code"}
    assert not made.attributes


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("a < b", "<p>a &lt; b</p>"),
        ("**a** `b` *c* ~~d~~", "<p><strong>a</strong> <code>b</code> <em>c</em> <s>d</s></p>"),
        ("# a", '<p class="head"><strong>a</strong></p>'),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("3. a\n4. b\n\n- c", '<ol start="3"><li>a</li><li>b</li></ol><ul><li>c</li></ul>'),
        ("> a\n\nb", "<blockquote><p>a</p></blockquote><p>b</p>"),
        ("```py\n<a>\n```", '<pre tabindex="0"><code>&lt;a&gt;</code></pre>'),
        (
            "| a | b |\n|---|---|\n| 1 | `2` |",
            (
                '<div class="wide" tabindex="0"><table>'
                "<thead><tr><th>a</th><th>b</th></tr></thead>"
                "<tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table></div>"
            ),
        ),
        ("[x](https://evil.example/a)", "<p>x (<code>evil.example</code>)</p>"),
    ],
)
def test_it_looks_like(text: str, markup: str) -> None:
    assert html(text) == markup
