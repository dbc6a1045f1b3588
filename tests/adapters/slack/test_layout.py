"""The layout of any post keeps Slack's limits, loses nothing and mentions nobody."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.ports.chat import Post, ReactionOption, Shape, with_page
from adapters.slack.outgoing.layout import answer_parts, layout
from adapters.slack.outgoing.markup import AS_WRITTEN
from adapters.text.links import moment_link
from core.application.desk import Button
from tests.adapters.text.test_markdown import markdown
from tests.drawn import drawn
from tests.standins.slack import render
from tests.standins.slack_rules import complaints, refused_blocks

LIVE = re.compile(r"<(?:!(?:channel|here|everyone|subteam)|@[A-Z]|#[A-Z])")
texts = st.one_of(markdown, st.text(max_size=300))
posts = st.builds(
    Post,
    key=st.just("k"),
    debate=st.just("d"),
    shape=st.sampled_from(Shape),
    title=texts,
    body=texts.map(lambda text: text * 5),
    who=texts,
    fields=st.lists(st.tuples(texts, texts), max_size=30).map(tuple),
    quote=texts,
    buttons=st.lists(
        st.builds(Button, st.just("vote"), texts, st.just("d1:f1:real"), confirm=texts), max_size=6
    ).map(tuple),
    reaction_options=st.lists(
        st.builds(ReactionOption, st.sampled_from(["x", "+1", "<!here>", ""]), texts), max_size=5
    ).map(tuple),
    fallback=texts,
    facts=st.sampled_from([{}, {"page": "https://debates.example/d/d4k7"}]),
)


def test_a_debates_own_messages_link_to_its_page() -> None:
    for shape in Shape:
        post = Post("k", "d4k7", shape, title="Caching", body="text")
        laid_out = json.dumps(layout(with_page(post, "https://debates.example"))[0].blocks)
        linked = shape in (Shape.ROOT, Shape.VERDICT)
        assert ("https://debates.example/d/d4k7" in laid_out) is linked
        assert with_page(post, "") == post


def problems(text: str, blocks: list[dict[str, object]]) -> list[str]:
    call = {
        "channel": "C1",
        "text": text,
        "blocks": blocks,
        "unfurl_links": False,
        "unfurl_media": False,
        **AS_WRITTEN,
    }
    return list(complaints("chat.postMessage", call))


@drawn(12)
@given(posts)
def test_every_part_of_every_post_is_valid_and_mentions_nobody(post: Post) -> None:
    for part in layout(post):
        assert problems(part.text, part.blocks) == []
        assert not LIVE.search(json.dumps(part.blocks, ensure_ascii=False))
        assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)", part.text)
        kinds = ("rich_text", "header", "actions", "table")
        assert all(block["type"] in kinds for block in part.blocks)


@drawn(12)
@given(markdown.map(lambda text: text * 3))
@example("```\n```")
def test_every_answer_is_valid(text: str) -> None:
    for part in answer_parts(text):
        assert problems(part.text, part.blocks) == []


@drawn(2)
@given(st.integers(0, 10**6))
def test_thirty_thousand_characters_arrive_whole_and_in_order(seed: int) -> None:
    body = "\n\n".join(
        (
            f"```py\ncode{seed}_{n}\n" + "x = 1\n" * (n % 40) + "```"
            if n % 5 == 0
            else f"**word{seed}_{n}** " + "because " * (n % 90)
        )
        for n in range(150)
    )
    assert len(body) > 30_000
    pages = layout(Post("k", "d", Shape.STATEMENT, who="author", body=body))
    assert all(problems(page.text, page.blocks) == [] for page in pages)
    text = "\n".join(render({"blocks": page.blocks}) for page in pages)
    assert re.findall(rf"(?:word|code){seed}_(\d+)", text) == [str(n) for n in range(150)]
    assert re.findall(r"\((\d+)/(\d+)\)", "\n".join(page.text for page in pages)) == [
        (f"{n + 1}", f"{len(pages)}") for n in range(len(pages))
    ]
    assert [render({"blocks": page.blocks}).splitlines()[0] for page in pages][1:] == [
        f"_author ({n}/{len(pages)})_" for n in range(2, len(pages) + 1)
    ]
    assert text.count("because") == body.count("because")
    assert text.count("x = 1") == body.count("x = 1")
    code = [
        e
        for page in pages
        for b in page.blocks
        if b["type"] == "rich_text"
        for e in b["elements"]
        if e["type"] == "rich_text_preformatted"
    ]
    assert sum(
        "".join(run["text"] for run in e["elements"]).count("x = 1") for e in code
    ) == body.count("x = 1")


def test_long_fields_go_on_and_the_root_stays_one_message() -> None:
    fields = tuple((f"Dissent {n}", "reason " * 300) for n in range(8))
    pages = layout(
        Post(
            "k",
            "d",
            Shape.VERDICT,
            title="VERDICT",
            fields=fields,
            buttons=(Button("rerun", "Re-run"),),
        )
    )
    assert len(pages) > 1
    assert "".join(render({"blocks": p.blocks}) for p in pages).count("reason") == 2_400
    assert ["[Re-run]" in render({"blocks": p.blocks}) for p in pages] == [
        True,
        *[False] * (len(pages) - 1),
    ]
    [root] = layout(Post("k", "d", Shape.ROOT, title="t", fields=fields))
    assert render({"blocks": root.blocks}).endswith("_… more in the thread_")


def test_markup_that_grows_when_it_is_laid_out_is_cut_finer() -> None:
    pages = layout(Post("k", "d", Shape.STATEMENT, who="author", body="*a* **b** " * 400))
    assert all(problems(page.text, page.blocks) == [] for page in pages)
    assert "".join(render({"blocks": page.blocks}) for page in pages).count("*b*") == 400


def test_what_stands_behind_the_buttons_is_a_menu_of_five() -> None:
    first = [Button("post", "Post", "d"), Button("fork", "Challenge", "d", form=True)]
    behind = [Button("rerun", f"More {n}", f"d{n}", more=True, form=n == 2) for n in range(7)]
    post = Post("d:1", "d", Shape.VERDICT, title="Approved", buttons=(*first, *behind))
    [actions] = [b for part in layout(post) for b in part.blocks if b["type"] == "actions"]
    kinds = [(e["type"], e["action_id"]) for e in actions["elements"]]
    assert kinds == [
        ("button", "debate.press.post.0"),
        ("button", "debate.form.fork.1"),
        ("overflow", "debate.more.menu.0"),
        ("overflow", "debate.more.menu.5"),
    ]
    values = [o["value"] for e in actions["elements"][2:] for o in e["options"]]
    assert values == [f"{'form' if n == 2 else 'press'}.rerun.d{n}" for n in range(7)]


@pytest.mark.parametrize(("before", "behind"), [(1, 0), (4, 0), (5, 0), (4, 5), (9, 11)])
def test_a_card_has_at_most_four_controls_and_loses_none(before: int, behind: int) -> None:
    buttons = [
        Button("vote", f"Option {n}", f"d:{n}", more=n >= before) for n in range(before + behind)
    ]
    post = Post("d:1", "d", Shape.FINDING, title="A finding", buttons=tuple(buttons))
    [actions] = [b for part in layout(post) for b in part.blocks if b["type"] == "actions"]
    assert len(actions["elements"]) <= 4
    for button in buttons:
        assert json.dumps(actions).count(f'"{button.label}"') == 1


def test_a_moment_is_shown_by_the_reader_s_clock() -> None:
    text = f"First: {moment_link(datetime(2026, 11, 24, 7, tzinfo=UTC), '09:00 EET')}."
    (message,) = answer_parts(text)
    (element,) = [e for e in message.blocks[0]["elements"][0]["elements"] if e["type"] == "date"]
    assert (element["timestamp"], element["fallback"]) == (1795503600, "09:00 EET")
    assert message.text == "First: 09:00 EET."


def tables_of(markdown: str) -> list[list[dict[str, Any]]]:
    pages = layout(Post("k", "d", Shape.STATEMENT, who="author", body=markdown))
    assert all(problems(page.text, page.blocks) == [] for page in pages)
    return [[b for b in page.blocks if b["type"] == "table"] for page in pages]


def test_a_table_is_a_table_and_never_bars() -> None:
    text = "Compare:\n\n| Case | Old |\n|:--|--:|\n| `a\\|b` | **1** |\n| empty | |\n\nSo it is."
    [[table]] = tables_of(text)
    assert render({"blocks": [table]}).splitlines() == [
        "▦ Case ▏Old", "▦ `a|b` ▏*1*", "▦ empty ▏–"
    ]  # fmt: skip
    [page] = layout(Post("k", "d", Shape.STATEMENT, who="author", body=text))
    assert [b["type"] for b in page.blocks] == ["rich_text", "rich_text", "table", "rich_text"]
    assert page.text.startswith("author: Compare: Case, Old; `a|b`, **1**; empty;")


@pytest.mark.parametrize(
    ("rows", "columns"), [(1, 20), (1, 21), (3, 40), (99, 2), (100, 2), (250, 3), (40, 20)]
)
def test_a_table_of_any_size_arrives_whole_within_the_limits(rows: int, columns: int) -> None:
    head = [f"h{c}" for c in range(columns)]
    body = [[f"{r}x{c}" for c in range(columns)] for r in range(rows)]
    lines = [head, ["-"] * columns, *body]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    pages = layout(Post("k", "d", Shape.STATEMENT, who="author", body=text))
    assert all(problems(page.text, page.blocks) == [] for page in pages)
    text = "\n".join(render({"blocks": page.blocks}) for page in pages)
    assert re.findall(r"\d+x\d+", text) == [cell for row in body for cell in row]
    assert "|" not in text
    tables = [b for page in pages for b in page.blocks if b["type"] == "table"]
    assert bool(tables) is (columns <= 20)
    assert all(t["rows"][0][0]["text"] == "h0" and len(t["rows"]) > 1 for t in tables)


def test_two_tables_are_two_messages() -> None:
    one = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert [len(tables) for tables in tables_of(f"{one}\n\nand\n\n{one}\n\n{one}")] == [1, 1, 1]


def test_whether_a_verdict_was_useful_is_asked_by_thumbs() -> None:
    pair = [Button("useful", "Useful", "d1:yes", more=True)]
    pair += [Button("useful", "Not useful", "d1:no", more=True)]
    post = Post(
        "d:1", "d", Shape.VERDICT, title="Approved", buttons=(Button("rerun", "Again"), *pair)
    )
    [page] = layout(post)
    assert problems(page.text, page.blocks) == []
    [actions, thumbs] = page.blocks[-2:]
    assert render({"blocks": [actions]}) == "[Again]"
    assert render({"blocks": [thumbs]}) == "[👍 Useful] [👎 Not useful]"
    assert thumbs["elements"][0]["negative_button"]["value"] == "d1:no"


def test_the_stand_in_refuses_blocks_that_slack_refuses() -> None:
    cell = {"type": "raw_text", "text": "x"}
    for wrong in (
        [{"type": "table", "rows": [[cell] * 21]}],
        [{"type": "table", "rows": [[cell]] * 101}],
        [{"type": "table", "rows": [[cell]], "title": "none"}],
        [{"type": "table", "rows": [[{"type": "raw_text", "text": ""}]]}],
        [{"type": "table", "rows": [[{"type": "raw_text", "text": "x" * 10_001}]]}],
        [{"type": "table", "rows": [[cell]]}] * 2,
        [{"type": "markdown", "text": "x" * 6_001}] * 2,
        [{"type": "context_actions", "elements": []}],
        [{"type": "task_card", "task_id": "1", "title": "t", "status": "thinking"}],
    ):
        assert list(refused_blocks(wrong)), wrong
    assert not list(refused_blocks([{"type": "table", "rows": [[cell] * 20] * 100}]))
