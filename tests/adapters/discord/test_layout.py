"""Posts cut into messages: no limit is broken, nothing is lost, order is kept, and each message can
be known again.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.outgoing import components
from adapters.discord.outgoing.files import FILE_BYTES, file_name, uploads
from adapters.discord.outgoing.layout import DiscordMessage, layout, marks
from adapters.ports.chat import Post, ReactionOption, Shape, with_page
from core.application.desk import Button, ChatFile
from tests.adapters.discord.posts import post
from tests.drawn import drawn
from tests.standins.discord_rules import violations
from tests.standins.discord_world import render

TEXT = st.text(max_size=400) | st.sampled_from(
    [
        "",
        "word " * 900,
        "a\n" * 1200,
        "😀" * 2200,
        "```\n" + "x\n" * 2000,
        "*_`|<@1>" * 300,
        "x" * 4500,
    ]
)
SHORT = st.text(max_size=80) | st.sampled_from(["", "@everyone", "q" * 500, "# a", "😀" * 200])
BUTTONS = st.lists(
    st.builds(
        Button,
        st.sampled_from(["stop", "pause", "fork"]),
        SHORT.filter(bool),
        st.text("abc:1", max_size=12),
        form=st.booleans(),
    ),
    max_size=26,
)
POSTS = st.builds(
    Post,
    key=st.just("d1:4:statement"),
    debate=st.just("d1"),
    shape=st.sampled_from(Shape),
    title=SHORT,
    body=TEXT,
    who=SHORT,
    fields=st.lists(st.tuples(SHORT, TEXT), max_size=3).map(tuple),
    quote=TEXT,
    buttons=BUTTONS.map(tuple),
    reaction_options=st.lists(
        st.builds(ReactionOption, st.sampled_from(["x", "one", "nonsense"]), SHORT), max_size=12
    ).map(tuple),
    files=st.lists(
        st.builds(ChatFile, SHORT, st.text(max_size=30)),
        max_size=12,
        unique_by=lambda f: file_name(f.name),
    ).map(tuple),
    fallback=SHORT,
    facts=st.sampled_from([{}, {"page": "https://debates.example/d/d4k7"}]),
    poll=st.lists(st.text(min_size=1, max_size=80).filter(str.strip), max_size=11).map(tuple),
)


async def _body(part: DiscordMessage) -> dict[str, Any]:
    """Returns the request that a part becomes."""
    common: dict[str, Any] = {
        "allowed_mentions": {"parse": []},
        "nonce": part.nonce,
        "enforce_nonce": True,
        "tts": False,
    }
    if part.answers:
        return common | {"poll": components.poll(part)._to_dict()}
    attachments = [
        {"id": str(n), "filename": file.filename} for n, file in enumerate(uploads(part.files))
    ]
    laid_out: list[Any] = components.view(part).to_components()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    sent = {"components": laid_out, "flags": 1 << 15} | (
        {"attachments": attachments} if attachments else {}
    )
    wire: dict[str, Any] = json.loads(json.dumps(common | sent))
    return wire


@given(POSTS)
@drawn(10)
async def test_every_post_becomes_messages_that_discord_takes(given_post: Post) -> None:
    parts = layout(given_post, 7)
    bodies = [await _body(part) for part in parts]
    assert [violations("POST", "/channels/7/messages", body) for body in bodies] == [[]] * len(
        bodies
    )
    known = {(part.nonce, part.component) for part in parts}
    assert len(known) == len(parts)
    whole = "\n".join(
        render(body) for body, part in zip(bodies, parts, strict=True) if not part.kind
    )
    for source in (given_post.body, *(text for _, text in given_post.fields), given_post.quote):
        assert whole.count("word") >= source.count("word")
        assert whole.count("x") >= source.count("x")


def test_a_long_statement_is_numbered_and_keeps_its_fences() -> None:
    code = "```py\n" + "\n".join(f"line {n}" for n in range(600)) + "\n```"
    parts = layout(
        post("k", who="skeptic", title="Round 1", body=f"Before.\n\n{code}\n\nAfter."), 7
    )
    texts = ["\n".join(part.texts) for part in parts]
    assert len(texts) == 2
    assert texts[0].startswith("**skeptic**\n-# Round 1\nBefore.")
    assert texts[0].endswith("```\n-# (1/2)")
    assert texts[1].startswith("-# skeptic (2/2)\n```py\n")
    assert texts[1].endswith("After.")
    lines = [line for text in texts for line in text.split("\n") if line.startswith("line ")]
    assert lines == [f"line {n}" for n in range(600)]


def test_buttons_of_a_root_stay_in_the_channel_and_others_come_last() -> None:
    long = "word " * 2000
    stop = (Button("stop", "Stop", "d1"),)
    assert [
        len(part.buttons) for part in layout(post("k", Shape.ROOT, body=long, buttons=stop), 7)
    ] == [1, 0, 0]
    assert [len(part.buttons) for part in layout(post("k", body=long, buttons=stop), 7)] == [
        0,
        0,
        1,
    ]


def test_an_edit_has_the_marks_of_what_it_edits_and_channels_differ() -> None:
    (first,), (edited,) = (
        layout(post("a", title="x"), 7),
        layout(post("b", title="y", edits="a"), 7),
    )
    assert (first.nonce, first.component) == (edited.nonce, edited.component)
    assert marks("a", 0, 7) != marks("a", 0, 8)
    assert marks("a", 0, 7) != marks("a", 1, 7)


def test_an_enormous_file_is_sliced_and_names_are_made_safe() -> None:
    parts = layout(post("k", title="Verdict", files=(ChatFile("../a b.md", "é" * FILE_BYTES),)), 7)
    assert [[file_name(file.name) for file in part.files] for part in parts[1:]] == [
        ["a-b-1.md", "a-b-2.md"], ["a-b-3.md", "a-b-4.md"]
    ]  # fmt: skip
    assert sum(len(file.text) for part in parts for file in part.files) == FILE_BYTES


def test_a_debates_own_messages_link_to_its_page() -> None:
    for shape in Shape:
        given_post = Post("k", "d4k7", shape, title="Caching", body="text")
        texts = "\n".join(layout(with_page(given_post, "https://debates.example"), 7)[0].texts)
        linked = shape in (Shape.ROOT, Shape.VERDICT)
        assert ("](<https://debates.example/d/d4k7>)" in texts) is linked
