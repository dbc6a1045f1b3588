"""Posts exactly at the limits of a message, and one character beyond them."""

from __future__ import annotations

from adapters.discord.outgoing.layout import answer_parts, layout, thread_name
from adapters.discord.outgoing.markup import render
from adapters.ports.chat import Post, Shape
from adapters.text.pieces import TextSpan
from tests.adapters.discord.posts import post


def _texts(given: Post) -> list[str]:
    return [text for part in layout(given, 7) for text in part.texts]


def test_every_line_of_a_quote_is_there_once() -> None:
    lines = [f"{n} " + "q" * 1000 for n in range(7)]
    texts = _texts(post("k", quote="\n".join(lines)))
    blocks = [text for text in texts if text.startswith("```")]
    assert [line for text in blocks for line in text.split("\n")[1:-1]] == lines
    assert [text.count("\n") - 1 for text in blocks] == [3, 3, 1]


def test_what_goes_on_of_a_field_has_no_label() -> None:
    first, second = "a " * 1500, "b " * 1500
    (whole, rest, *more) = [
        text for text in _texts(post("k", fields=(("F", first + second),))) if "-#" not in text
    ]
    assert whole.startswith("**F** a a")
    assert rest.startswith(("a", "b"))
    assert sum(text.count("b") for text in (whole, rest, *more)) == 1500


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


def test_a_thread_is_named_by_its_post() -> None:
    assert thread_name(post("k", title="a\n b")) == "a b"
    assert thread_name(post("k")) == "Debate"
    assert thread_name(post("k", fallback="It began")) == "It began"
    assert thread_name(post("k", title="t" * 100)) == "t" * 100
    assert thread_name(post("k", title="t" * 101)) == "t" * 99 + "…"


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
