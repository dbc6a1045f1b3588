"""Foreign Markdown in Discord's dialect: what a reader sees, and what can never become a mention, a
link or a broken block.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.discord.outgoing.markup import (
    block,
    escape,
    render,
    render_line,
    render_within,
    units,
)
from adapters.text.foreign import literal
from adapters.text.pieces import coded
from tests.drawn import drawn
from tests.standins.inert import live_in_discord

SAMPLE = """\
# Verdict <@123>
The fix *works* but **leaks** ~~never~~: see `get_env()` and [the change](https://github.com/o/r/pull/7).

- first
- second
  - deeper
3. third

> quoted **text**
> more

```py
x = "@everyone"
```
| a | b |
|---|---|
| 1 | 2 |
"""
SHOWN = """\
**Verdict \\<@123\\>**

The fix *works* but **leaks** ~~never~~: see `get_env()` and [the change](<https://github.com/o/r/pull/7>).

- first
- second
  - deeper
3. third
> quoted **text**
> more
```py
x = "@everyone"
```

```
a │ b
──┼──
1 │ 2
```"""


def test_a_whole_text() -> None:
    assert render(SAMPLE) == SHOWN


@pytest.mark.parametrize(
    ("source", "escaped"),
    [
        (
            "<@1> <@&2> <#3> </cmd:4> <t:5:R> <:e:6>",
            "\\<@1\\> \\<@&2\\> \\<#3\\> \\</cmd:4\\> \\<t:5:R\\> \\<:e:6\\>",
        ),
        ("<id:guide>", "id:guide (`id: link`)"),
        ("@everyone @HERE a@b.c", "@\u200beveryone @\u200bHERE a@b.c"),
        ("[bank](https://evil.example/x)", "bank (`evil.example`)"),
        ("[x](javascript:alert(1))", "x (`javascript: link`)"),
        ("[github.com](https://evil.example)", "github.com (`evil.example`)"),
        ("https://evil.example/x steam://run", "https\\://evil.example/x steam\\://run"),
        ("||spoiler||", "\\|\\|spoiler\\|\\|"),
        ("-# small\n\\# not\n5\\. five", "\\-# small\n\\# not\n5\\. five"),
        ("a ``` b", "a \\`\\`\\` b"),
        ("`` a`b ``", "``a`b``"),
        ("~~~\n``` @everyone\n~~~", "```\n`\u200b`\u200b` @everyone\n```"),
        ("~~~\n````` @here\n~~~", "```\n`\u200b`\u200b`\u200b`\u200b` @here\n```"),
        ("```\n```\n~~~\n@here\n~~~", "```\n \n```\n\n```\n@here\n```"),
        ("`a`**``b`@here``**", "`a`\u200b``b`@here``"),
        ("a\u202eb\u200bc", "a\\\\u202eb\\\\u200bc"),
        ("a\x00b", "a\\\\u0000b"),
    ],
)
def test_what_looks_like_discords_own_markup_stays_text(source: str, escaped: str) -> None:
    assert render(source) == escaped


def test_plain_text_shows_as_it_is() -> None:
    assert escape("# <@1> *a* `b`\n- c") == "\\# \\<@1\\> \\*a\\* \\`b\\`\n\\- c"
    assert (
        render(literal("<@1> *a* [b](c) #4 @everyone"))
        == "\\<@1\\> \\*a\\* \\[b\\](c) #4 @\u200beveryone"
    )
    assert block("a```b`", "py;") == "```\na`\u200b`\u200b`b`\u200b\n```"


MARKS = [
    "> ",
    "- ",
    "1. ",
    "**",
    "_",
    "\n",
    "\n\n",
    "word ",
    "x" * 300,
    "😀" * 60,
    "<@1>",
    "@everyone",
    "[a](https://x.y)",
    "|",
]
PROSE = st.lists(st.sampled_from(MARKS), max_size=120).map("".join)
FENCED = st.lists(
    st.sampled_from([*MARKS, "```", "~~~", "`", "\n```\n", "\n~~~py\n"]), max_size=120
).map("".join)


@given(FENCED | st.text(max_size=3000), st.integers(100, 3400))
@example("```\n" + "a`b\n" * 4000 + "```", 3400)
@example("*" * 9000, 100)
@example("> \n```\n> `````", 100)
@example("😀" * 5000, 1990)
def test_no_text_breaks_the_limit_or_a_fence(markdown: str, limit: int) -> None:
    parts = render_within(markdown, limit)
    assert all(0 < units(part) <= limit for part in parts)
    assert all(part.count("```") % 2 == 0 for part in parts)


@given(PROSE, st.integers(400, 3400))
def test_no_word_is_lost(markdown: str, limit: int) -> None:
    rendered = "".join(render_within(markdown, limit)).replace("x.y", "")
    for word in ("word", "x", "😀", "everyone"):
        assert rendered.count(word) == markdown.replace("https://x.y", "").count(word)


@drawn(8)
@given(st.integers(400, 3400), st.sampled_from([" ", "\n", "\n\n", "\n- ", "\n> "]))
def test_the_order_is_kept(limit: int, between: str) -> None:
    parts = render_within(between.join(f"*w{n}*" for n in range(250)), limit)
    assert [int(n) for n in re.findall(r"w(\d+)", " ".join(parts))] == list(range(250))


TANGLED = [
    *("`", "``", "```", "`````", "~~~", "**", "_", "~~", "[", "](https://evil.example)", "](", "|"),
    *(
        "\n",
        "\n\n",
        " ",
        "    ",
        "> ",
        "- ",
        "1. ",
        "\\",
        "|-|\n",
        "![",
        "a",
        "<@1>",
        "@here",
        "||s||",
    ),
    *("[good](https://evil.example)", "<https://evil.example>", "https://github.com/o/r/pull/1"),
]


MENTIONS = ["<", "@", "!", "&", "#", "everyone", "here", "1", "\\", "`", "\n", " ", "*", ">", "x"]


@given(
    st.lists(st.sampled_from(TANGLED), min_size=2, max_size=26).map("".join)
    | st.lists(st.sampled_from(MENTIONS), max_size=60).map("".join)
)
@example("@<everyone@everyone>")
@drawn(120)
def test_no_code_ends_where_its_writer_wants_it_to(text: str) -> None:
    for made in (*render_within(text, 1990), render_line(coded(text)), block(text), escape(text)):
        assert list(live_in_discord({"content": made})) == []
