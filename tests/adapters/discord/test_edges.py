"""Posts exactly at the limits of a message, and one character beyond them."""

from __future__ import annotations

import pytest

from adapters.discord.outgoing.layout import answer_parts, layout, thread_name
from adapters.discord.outgoing.markup import label, render, render_within, units
from adapters.ports.chat import Post, Shape
from adapters.text.pieces import TextSpan
from tests.adapters.discord.posts import post


def _texts(given: Post) -> list[str]:
    return [text for part in layout(given, 7) for text in part.texts]


def test_a_quote_stands_in_one_block_as_long_as_it_fits() -> None:
    fences = len("```\n\n```")
    for shape, language in ((Shape.STATEMENT, ""), (Shape.FINDING, "diff")):
        room = 3400 - fences - len(language)
        whole = "q" * room
        assert _texts(post("k", shape, quote=whole)) == [f"```{language}\n{whole}\n```"]
        cut = _texts(post("k", shape, quote=whole + "q"))
        assert next(text for text in cut if text.startswith("```\n")) == f"```\n{'q' * 340}\n```"
        assert sum(text.count("q") for text in cut) == room + 1
        half = "q" * (room - 101)
        assert _texts(post("k", shape, quote=f"{half}\n{'r' * 100}")) == [
            f"```{language}\n{half}\n{'r' * 100}\n```"
        ]
        apart = _texts(post("k", shape, quote=f"{half}\n{'r' * 101}"))
        assert [text for text in apart if text.startswith("```")] == [
            f"```{language}\n{half}\n```", f"```{language}\n{'r' * 101}\n```"
        ]  # fmt: skip


def test_every_line_of_a_quote_is_there_once() -> None:
    lines = [f"{n} " + "q" * 1000 for n in range(7)]
    texts = _texts(post("k", quote="\n".join(lines)))
    blocks = [text for text in texts if text.startswith("```")]
    assert [line for text in blocks for line in text.split("\n")[1:-1]] == lines
    assert [text.count("\n") - 1 for text in blocks] == [3, 3, 1]


@pytest.mark.parametrize(("long", "count"), [(1695, 1), (1696, 2)])
def test_fields_stand_together_as_long_as_they_fit(long: int, count: int) -> None:
    fields = (("A", "a" * (1699 - len("**A** "))), ("B", "b" * (long - 1)))
    fields_of = [text for text in _texts(post("k", fields=fields)) if text.startswith("**")]
    assert len(fields_of) == count
    assert len(fields_of[0]) == (3400 if count == 1 else 1699)


def test_a_long_label_of_a_field_has_a_line_of_its_own() -> None:
    assert _texts(post("k", fields=(("n" * 294, "text"),))) == [f"**{'n' * 294}** text"]
    assert _texts(post("k", fields=(("n" * 295, "text"),))) == [f"**{'n' * 295}** ", "text"]
    assert _texts(post("k", fields=(("Name", ""),))) == ["**Name** –"]


def test_what_goes_on_of_a_field_has_no_label() -> None:
    first, second = "a " * 1500, "b " * 1500
    (whole, rest, *more) = [
        text for text in _texts(post("k", fields=(("F", first + second),))) if "-#" not in text
    ]
    assert whole.startswith("**F** a a")
    assert rest.startswith(("a", "b"))
    assert sum(text.count("b") for text in (whole, rest, *more)) == 1500


def test_twenty_texts_are_one_message_and_the_next_begins_another() -> None:
    def sizes(count: int) -> list[int]:
        rest = "q" * 3380 + "\n"  # each line of the quote is a text of its own
        quote = (rest * count).strip("\n")
        return [len(part.texts) for part in layout(post("k", quote=quote), 7)]

    assert sizes(1) == [1]
    assert sizes(3) == [2, 2, 2]

    def small(count: int) -> list[int]:
        lines = "\n".join(f"{'`' * 3}\n{n}\n{'`' * 3}" for n in range(count))
        return [len(part.texts) for part in layout(post("k", body=lines), 7)]

    assert small(3) == [1]


@pytest.mark.parametrize(("beside", "pages"), [(300, 1), (301, 2)])
def test_a_message_holds_its_texts_together_as_long_as_they_fit(beside: int, pages: int) -> None:
    quote = "q" * (3400 - len("```\n\n```"))
    parts = layout(post("k", Shape.NOTICE, title="t" * beside, quote=quote), 7)
    assert len(parts) == pages
    if pages == 2:
        assert parts[0].texts == ("t" * beside, "-# (1/2)")
        assert parts[1].texts[0] == f"-# {'t' * 120} (2/2)"


def test_our_own_line_is_cut_after_a_word_and_never_inside_an_escape() -> None:
    def small(text: str) -> list[str]:
        return [
            t for t in _texts(post("k", title="t", small=text)) if t[:3] != "###" and ")" not in t
        ]

    assert small("s" * 3397) == ["-# " + "s" * 3397]
    assert small("s" * 3398) == ["-# " + "s" * 1697, "s" * 1701]
    first, *_ = small(("ab " * 1200).strip())
    assert (len(first), first[-3:]) == (1700 - (1700 - 3) % 3, "ab ")
    escaped = small("_" * 1700)
    assert "".join(escaped) == "-# " + "\\_" * 1700
    assert not any(text.endswith("\\") for text in escaped)


def test_a_post_without_words_says_its_fallback() -> None:
    assert _texts(post("k", fallback="It_ended")) == ["It\\_ended"]
    assert _texts(post("k")) == ["(nothing)"]
    assert answer_parts("") == ["(nothing)"]
    for own in ({"title": "t"}, {"who": "w"}, {"body": "b"}, {"quote": "q"}):
        assert "f" not in _texts(post("k", Shape.NOTICE, fallback="f", **own))


def test_the_person_that_a_title_is_about_is_mentioned_once() -> None:
    def title(text: str, person: str) -> str:
        return _texts(post("k", Shape.NOTICE, title=text, facts={"person": person}))[0]

    assert title("42 objects to 42", "discord:1/42") == "<@42> objects to 42"
    assert title("42 objects", "slack:1/42") == "42 objects"
    assert title("ann objects", "discord:1/ann") == "ann objects"
    assert title("42 objects", "") == "42 objects"


def test_files_are_named_by_their_post() -> None:
    assert thread_name(post("k", fallback="It began")) == "It began"
    assert thread_name(post("k", title="t" * 100)) == "t" * 100
    assert thread_name(post("k", title="t" * 101)) == "t" * 99 + "…"


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_label_is_cut_one_before_its_limit(limit: int) -> None:
    assert label("x" * limit, limit) == "x" * limit
    assert label("x" * (limit + 1), limit) == "x" * (limit - 1) + "…"
    assert units(label("😀" * 9, limit)) <= limit
    assert label("ab cd", 4) == "ab…"


def test_a_text_that_grows_when_it_is_escaped_is_cut_finer() -> None:
    assert render_within("|" * 50, 100) == ["\\|" * 50]
    parts = render_within("|" * 51, 100)
    assert "".join(parts) == "\\|" * 51
    assert all(units(part) <= 100 for part in parts)
    assert render_within("", 100) == []
    assert render_within("😀" * 100, 200) == ["😀" * 100]


def test_headings_rules_items_and_quotes() -> None:
    assert render("# A *b*\n\ntext\n\n---\n\n- one\n  - two\n\n    more\n- three\n\n7. seven") == (
        "**A b**\n\ntext\n\n──────────\n\n- one\n  - two\n    more\n- three\n7. seven"
    )
    assert render("> a\n>\n> b\n\nc") == "> a\n> b\nc"


def test_typed_text_stands_on_one_line() -> None:
    from adapters.discord.outgoing.markup import render_line

    spans = [TextSpan("a\nb", bold=True), TextSpan(" "), TextSpan("c`d", code=True)]
    assert render_line(spans) == "a b ``c`d``"
    assert render_line([TextSpan("x", code=True), TextSpan("y", code=True)]) == "`x`\u200b`y`"
    assert render_line([TextSpan("x", italic=True, strike=True)]) == "*~~x~~*"
    assert render_line([TextSpan(" x ", bold=True)]) == "**x**"
    assert render_line([TextSpan("hi@"), TextSpan("everyone")]) == "hi@\u200beveryone"
