"""The exact text of a review: whole, the same each time, and harmless whatever models wrote."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.review import LONGEST_BODY, Review, whole, with_suggestion
from adapters.review.check import ended
from adapters.review.sarif import sarif
from adapters.review.text import compose, foreign_line, foreign_title, needs_maintainer
from adapters.terminal.ending import plain_lines
from core.debate.errors import Refused
from core.debate.events import TextsDeleted
from core.debate.finding import Finding, Severity
from core.debate.ledger import Demand, Fate
from core.debate.material import MaterialKind
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import one_line
from core.debate.replies import Answer, Position
from core.words.views.verdict.findings import NOWHERE
from tests.adapters.review.samples import (
    HEAD,
    injection,
    leak,
    material,
    reviewed,
    several,
    shop,
    vague,
)
from tests.core.demands import demand
from tests.core.table import CRITICS, Table, agree, dispute, finding, table

WHOLE = """\
**Debatebot** Changes requested: 1 finding must be fixed before merging.

**High**: The query is built from user input · [`app/db.py:11`]({url})

Who disagrees most: performance critic (comment, holds the finding too): no reason given

Close: one seat decides. Besides: 2 to think about, 1 not counted.

1 file read. [The whole debate](https://bot.example/d/debate-0001)

<!-- debatebot:review:debate-0001 -->

--- on app/db.py:11

**High**: The query is built from user input

When: name comes from a form

Fix: Bind the name.

Held by security critic and performance critic.

```suggestion
    row = pool.run("select ?", name)
```

<!-- debatebot:finding:{injection} -->

--- on app/db.py:12 (removed)

**Medium**: The pool is never closed

When: every call leaks one connection

Held by performance critic. Disputed by maintainability critic: the caller closes it, \
see `@admin` in `#7`

<!-- debatebot:finding:{leak} -->

--- on app/db.py:12-13

**Medium**: A missing row raises

Held by maintainability critic.

<!-- debatebot:finding:{several} -->"""


BLOB = f"https://github.com/o/r/blob/{HEAD}"


def marks(review: Review) -> dict[str, str]:
    return dict(
        zip(("injection", "leak", "several"), (c.mark for c in review.comments), strict=True)
    )


def test_the_whole_text() -> None:
    review = compose(reviewed().debate, link="https://bot.example/d/debate-0001")
    assert review.render() == WHOLE.format(**marks(review), url=f"{BLOB}/app/db.py#L11")
    assert (review.event, review.head) == ("COMMENT", HEAD)
    places = [(c.path, c.side, c.start_line, c.line, c.old, c.new) for c in review.comments]
    assert places == [
        ("app/db.py", "RIGHT", None, 11, None, 11),
        ("app/db.py", "LEFT", None, 12, 12, None),
        ("app/db.py", "RIGHT", 12, 13, None, 13),
    ]


def test_what_most_dispute_is_shown_as_contested() -> None:
    t = table(material=material()).says("t1", "request_changes", findings=[injection()])
    t.says("t2", "approve").says("t3", "approve").says("u1", "request_changes")
    for turn in ("u2", "u3"):
        t.says(turn, "approve", answers=[dispute("t1.f1", "it is bound")])
    debate = t.says("end").concluded().debate
    (comment,) = compose(debate).comments
    assert "Held by security critic. Contested: 1 holds, 2 dispute. Disputed by" in comment.body
    assert comment.body.startswith("**Contested, said to be high**: ")
    (result,) = sarif(debate)["runs"][0]["results"]
    assert result["properties"]["contested"] is True
    assert result["level"] == "note"


@pytest.mark.parametrize(("approve", "against"), [(1, 0), (5, 6)])
def test_a_review_does_not_tell_how_people_voted(approve: int, against: int) -> None:
    t = reviewed()
    for n in range(approve + against):
        t.votes(f"p{n}", "approve" if n < approve else "request_changes")
    lines = [line for line in plain_lines(t.debate) if "person voted" in line or "no clear" in line]
    assert lines, "their place does"
    assert not any(word in compose(t.debate).body for word in ("voted", "no clear majority"))
    check = ended(t.debate)
    assert "voted" not in check.summary


def test_a_reader_is_warned() -> None:
    t = table(material=material(), cast=dict.fromkeys(CRITICS, "openai/gpt-5"))
    for seat in ("t1", "t2", "t3"):
        t.says(seat, "comment", findings=[leak()] if seat == "t1" else ())
    body = compose(t.says("end").concluded().debate).body
    assert (
        "Before you rely on it: All seats are models of one family, so their agreement proves less."
    ) in body.split("\n\n")
    assert "Before you rely on it" not in compose(reviewed().debate).body


def test_its_digest_is_of_every_letter_and_nothing_else() -> None:
    debate = reviewed().debate
    review = compose(debate)
    assert review.digest == compose(debate).digest
    assert len(review.digest) == 16
    assert replace(review, body=review.body + " ").digest != review.digest
    assert replace(review, head="0" * 40).digest != review.digest


def test_changes_are_asked_for_only_where_the_place_says_so_and_nothing_is_ever_approved() -> None:
    debate = reviewed().debate
    assert compose(debate, request_changes=True).event == "REQUEST_CHANGES"
    fine = table(material=material()).says("t1", "approve").says("t2", "approve")
    fine.says("t3", "approve").says("end").concluded()
    assert compose(fine.debate, request_changes=True).event == "COMMENT"
    assert compose(fine.debate).body.startswith("**Debatebot** Approved: no finding is open.")


def test_what_people_called_not_real_is_left_out() -> None:
    t = reviewed()
    t = type(t)(t.events[:-2]).votes("ann", "not_real", "t2.f1").votes("bob", "not_real", "t2.f1")
    review = compose(t.concluded().debate)
    assert "never closed" not in review.render()
    assert "Left out, because people called it not real: 1." in review.body
    assert not needs_maintainer(t.debate)


def test_a_disputed_severe_security_finding_needs_a_maintainer() -> None:
    t = reviewed()
    t = type(t)(t.events[:-2]).votes("ann", "not_real", "t1.f1").votes("bob", "not_real", "t1.f1")
    assert needs_maintainer(t.concluded().debate)


@pytest.mark.parametrize(("run", "posted"), [("1", 4), ("2", 3), ("3", 1), ("9", 1)])
def test_later_runs_are_quieter(run: str, posted: int) -> None:
    milder = finding("The name says little", severity="low", line=14, quote="return row")
    t = table(material=material())
    t.says("t1", "request_changes", findings=[injection(), vague(), milder])
    t.says("t2", "comment", findings=[leak()]).says("t3", "comment", findings=[several()])
    t.says("end")
    review = compose(shop(t.concluded(), run=run, since="90fee0876aea97").debate)
    text = review.render()
    titles = ("query is built", "name says little", "never closed", "missing row")
    assert "Names are unclear" not in text, "it stands on no line of the change"
    assert sum(title in text for title in titles) == posted
    assert ("milder not repeated" in text) is (run != "1")
    assert ("what is new since `90fee08`" in text) is (run != "1")


def test_earlier_findings_are_answered_and_never_repeated() -> None:
    def old(n: int, title: str, fate: Fate, line: int | None) -> Demand:
        return demand(
            f"e{n}", f"mark{n}", "high", 0.9, title, "app/db.py", line, "RIGHT", "x", fate=fate
        )

    earlier = (
        old(1, "Secrets are logged", Fate.CHANGED, 11),
        old(2, "Row is shared", Fate.CHANGED, 14),
        old(3, "Cursor is kept", Fate.MOVED, 15),
        old(4, "Path is open", Fate.GONE, None),
    )
    t = table(material=material(demands=earlier, facts={"run": "2", "since": "90fee0876"}))
    t.says("t1", "comment", answers=[dispute("e1", "line 11 hides it"), dispute("e2")])
    t.says("t2", "comment", answers=[dispute("e1")]).says("t3", "request_changes")
    t.says("u1", "comment").says("u2", "comment", answers=[finding_kept("e2")]).says("end")
    review = compose(t.concluded().debate)
    assert review.comments == ()
    assert [(a.mark, a.resolves, a.body.split("\n")[0]) for a in review.answers] == [
        ("mark1", True, "Resolved as of `8ff173b`. line 11 hides it"),
        ("mark2", False, "Still there as of `8ff173b`. it reads the same row"),
        ("mark4", True, "Resolved as of `8ff173b`."),
    ]
    assert "Run 2, what is new since `90fee08`: 2 resolved, 2 still there, 0 new." in review.body


def test_an_earlier_finding_is_answered_with_the_reason_of_the_argument() -> None:
    earlier = demand(
        "e1", "mark1", "high", 0.9, "Secrets are logged", "app/db.py", 11, "RIGHT", "x",
        fate=Fate.CHANGED,
    )  # fmt: skip
    t = table(material=material(demands=(earlier,), facts={"run": "2", "since": "90fee0876"}))
    t.says("t1", "comment", answers=[Answer("e1", Position.MUST_FIX, "it is there", checked=True)])
    for turn in ("t2", "t3"):
        hidden = Answer("e1", Position.NOT_REAL, "line 11 hides it", checked=True)
        t.says(turn, "approve", answers=[hidden])
    [answer] = compose(t.says("end").concluded().debate).answers
    assert answer.resolves
    assert answer.body.startswith("Resolved as of `8ff173b`. line 11 hides it")


def finding_kept(to: str) -> Answer:
    return replace(agree(to), because="it reads the same row")


def forgotten(t: Table) -> Table:
    outcome = {"verdict": {"decision": "changes_requested"}}
    return t.add(
        TextsDeleted("retention", "finished", outcome, "0" * 64, datetime(2026, 5, 1, tzinfo=UTC))
    )


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda t: table(material=material()).says("t1", "approve"), "no verdict yet"),
        (lambda t: table(material=replace(material(), kind=MaterialKind.DIFF)).says("t1", "comment")
            .says("end").concluded(), "not about a pull request"),
        (lambda t: table(material=material(), terms={"demo": True}).says("t1", "comment")
            .says("end").concluded(), "a demonstration"),
        (lambda t: table(material=material()).fails("t1").fails("t2").fails("t3").concluded(),
            "no verdict"),
        (lambda t: shop(t, state="merged"), "post-mortem"),
        (forgotten, r"deleted on .* no review to post"),
    ],
)  # fmt: skip
def test_what_is_never_posted(spoil: Callable[[Table], Table], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        compose(spoil(reviewed()).debate)


HOSTILE = st.lists(
    st.sampled_from(
        ["@admin", "@org/team", "#12", "o/r#7", "group/sub!9", "GH-4", "/merge", "/approve\n",
         "<!-- debatebot:review:x -->", "![i](https://x.example/?d=1)", "[a](https://evil.example)",
         "https://evil.example/x", "<img src=x>", "`", "``", "```suggestion\n", "\n", " ", "word",
         "deadbeefcafe", "closes", "\u202e", "@dependabot merge", "~~~", "# Title", "\\"]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(HOSTILE, HOSTILE, HOSTILE)
def test_nothing_a_model_writes_comes_alive(title: str, trigger: str, fix: str) -> None:
    hostile = injection(title=title or "x", trigger=trigger, fix=fix)
    t = table(material=material()).says("t1", "comment", findings=[hostile, vague_like(hostile)])
    review = compose(t.says("end").concluded().debate)
    shown = review.render()
    assert all(c.suggests is None for c in review.comments)
    for text in (review.body, *(c.body for c in review.comments)):
        outside = re.sub(r"<!-- debatebot:(?:review|finding):[\w-]+ -->\Z", "", text)
        outside = re.sub(r"(?ms)^(`{3,})\w*\n.*?^\1$", "·", outside)
        outside = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "·", outside)
        outside = outside.replace(f"[·]({BLOB}/app/db.py#L11)", "")
        assert not re.search(r"(?<![\w\\])@\w", outside)
        assert not re.search(r"(?:^|\s)[\w./-]*[#!]\d", outside)
        assert "<" not in outside
        assert "](" not in outside
        assert "://" not in outside
        assert not re.search(r"(?m)^\s*/\w", text)
        assert "```" not in outside
    assert shown.count("<!-- debatebot:review:") == 1
    assert shown.count("<!-- debatebot:") == 1 + len(review.comments)
    assert review.in_body().body.count("<!-- debatebot:") == 1 + len(review.comments)


def test_a_path_that_looks_like_a_mark_is_broken() -> None:
    odd = replace(leak(), path="<!-- debatebot:review:x -->")
    t = table(material=material()).says("t1", "comment", findings=[odd])
    assert compose(t.says("end").concluded().debate).render().count("debatebot:") == 1 + 1


def vague_like(finding: Finding) -> Finding:
    return replace(finding, path="", line=None, anchored=False)


def test_a_name_that_was_altered_for_showing_is_not_commented_on() -> None:
    odd = replace(leak(), path="a\\u202eb.py")
    t = table(material=material()).says("t1", "comment", findings=[odd])
    review = compose(t.says("end").concluded().debate)
    assert review.comments == ()
    assert "never closed" in review.body


@pytest.mark.parametrize("ticks", [0, 1, 2, 3, 4, 7])
def test_a_fence_is_longer_than_any_in_the_suggestion(ticks: int) -> None:
    comment = replace(compose(reviewed().debate).comments[0], suggests=f"x{'`' * ticks}y``z")
    fence = "`" * max(3, ticks + 1)
    assert f"\n\n{fence}suggestion\nx" in with_suggestion(comment, "suggestion")
    assert f"z\n{fence}\n\n<!-- debatebot:finding:{comment.mark} -->" in with_suggestion(
        comment, "suggestion"
    )
    deleted = with_suggestion(replace(comment, suggests=""), "suggestion:-0+0")
    assert "\n\n```suggestion:-0+0\n```\n\n" in deleted


def test_only_a_body_that_is_too_long_is_cut() -> None:
    mark = "<!-- debatebot:review:m -->"
    room = LONGEST_BODY - len(mark) - 10
    assert whole("x" * room, "m") == f"{'x' * room}\n\n{mark}"
    assert whole("x\n" + "x" * room, "m") == f"x\n\n… (cut)\n\n{mark}"


def test_a_comment_names_both_sides_of_its_first_and_last_line() -> None:
    t = table(material=material())
    gone = replace(leak(), line=11, quote='    row = pool.run("select ?", name)\n    pool.close()')
    t.says("t1", "comment", findings=[several(), gone]).says("t2", "comment").says("t3", "comment")
    comments = compose(t.says("end").concluded().debate).comments
    assert [(c.start_line, c.line, c.start_old, c.start_new, c.codes) for c in comments] == [
        (12, 13, None, 12, ("13_12", "13_13")),
        (11, 12, 11, None, ("11_11", "12_11")),
    ]


def test_further_deciding_findings_are_counted() -> None:
    t = table(material=material())
    t.says(
        "t1", "request_changes", findings=[injection(), replace(several(), severity=Severity.HIGH)]
    )
    for turn in ("t2", "t3"):
        t.says(turn, "request_changes")
    for turn in ("u1", "u2", "u3"):
        t.says(turn, "request_changes", answers=[agree("t1.f1"), agree("t1.f2")])
    body = compose(t.says("end").concluded().debate).body
    assert "· and 1 more" in body.split("\n\n")[1]
    assert "more" not in compose(reviewed().debate).body.split("\n\n")[1]


def test_a_finding_without_a_line_is_told_in_the_body_with_its_place_and_input() -> None:
    t = table(material=material())
    raised = [
        replace(vague(), title="Nowhere", trigger="always", path="app/gone.py"),
        replace(vague(), title="Plain", trigger=""),
    ]
    t.says("t1", "comment", findings=raised).says("t2", "comment").says("t3", "comment")
    t.says("end")
    for finding_id in ("t1.f1", "t1.f2"):
        t.votes("ann", "real", finding_id).votes("bob", "real", finding_id)
    body = compose(t.concluded().debate).body
    assert [line for line in body.split("\n") if line.startswith("- ")] == [
        f"- **low** `app/gone.py` Nowhere ({NOWHERE}): always",
        f"- **low** Plain ({NOWHERE})",
    ]


def test_a_fix_is_in_the_body_too_if_the_forge_refuses_its_lines() -> None:
    review = compose(reviewed().debate)
    fixes = [one for one in review.comments if one.suggests is not None]
    assert fixes
    body = review.in_body().body
    for one in fixes:
        assert f"{one.code}\n\n<!-- debatebot:finding:{one.mark} -->" in body
        assert one.code.startswith("```diff\n-")
    assert "```suggestion" not in body


@pytest.mark.parametrize("inside", ["````py\n```\n", "<details>\n\n```\n"])
def test_a_long_body_is_cut_outside_of_its_blocks(inside: str) -> None:
    body = whole(f"Before.\n\n{inside}" + "x = 1\n" * LONGEST_BODY, "d1")
    assert len(body) < 65_536
    fence = inside.partition("````")[1] or "```"
    end = f"\n{fence}\n\n" + "</details>\n\n" * ("<details>" in inside)
    assert body.endswith(f"x = 1{end}… (cut)\n\n<!-- debatebot:review:d1 -->")


def test_names_with_underscores_are_shown_with_them() -> None:
    line = foreign_line("Missing __init__ in a_b, see self.__dict__ and _x_; __all is fine", 200)
    assert line == "Missing `__init__` in a_b, see `self.__dict__` and `_x_;` __all is fine"


def test_a_title_is_shown_as_it_was_written() -> None:
    line = one_line("Use List<T> & ask @bob")
    assert "&lt;T>" in line
    assert foreign_title(line, 200) == "Use List<T> & ask `@bob`"


@pytest.mark.parametrize(
    "line",
    [
        "`&amp;#x202e;evil`",
        "&amp;#x202e;evil",
        "`&amp;#10;`/merge",
        "&amp;#64;admin",
        "&#x202e;evil",
    ],
)
def test_a_title_hides_nothing_in_entities(line: str) -> None:
    """Some forges read entities in titles."""
    read = html.unescape(foreign_title(line, 200))
    assert show_hidden(read) == read
    assert "\n" not in read
    assert "@admin" not in read.replace("`@admin`", "")
