"""A thread by statements and by rounds: the same review, told in two ways."""

from __future__ import annotations

import re

import pytest

from adapters.ports.chat import Post, Shape
from core.debate.events import DebateOpened
from tests.adapters.posts.threads import FORMS, PLATFORMS, golden, page, thread
from tests.adapters.posts.told import posted, seen, shaped, standing
from tests.core.table import Table, dispute, finding, table

ROUNDS = {"thread": "rounds"}
OBJECTED = ("t1 security_critic", "x1 security_critic about=challenge:ch1")


@pytest.mark.parametrize("form", [*FORMS, "argued"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_review_word_for_word(platform: str, form: str) -> None:
    text = page(platform, thread(form))
    assert text == golden(platform, form).read_text("utf-8")
    ids = re.findall(r"\b[awrtx]\d+\.?[fc]?\d*\b", re.sub(r"finding \S+", "", text))
    assert ids == [], "only a finding's own small print has its number"


def test_findings_are_voted_on_alike_in_both() -> None:
    cards = [[p for p in thread(form) if p.shape is Shape.FINDING] for form in FORMS]
    assert cards[0] == cards[1]
    assert all(p.buttons and p.subject for p in cards[0])


def test_a_round_is_one_message_that_grows() -> None:
    t = table(terms=ROUNDS).says("t1", "approve", text="Fine.").says("t2", "comment", text="Hm.")
    t.fails("t3")
    first, second, third = (p for p in posted(t.events) if p.shape is Shape.ROUND)
    assert (first.edits, second.edits, third.edits) == ("", first.key, first.key)
    assert len({first.key, second.key, third.key}) == 3
    assert seen(first) == "Round 1 of 3\n🔒 Security critic · approve, 70% sure\nFine."
    assert seen(third).endswith(
        "⚡ Performance critic · comment, 70% sure\nHm.\n"
        "🔧 Maintainability critic gave no answer: timeout: no answer in 90 s"
    )


def test_who_answers_a_challenge_is_heard_alone() -> None:
    t = table(turns=[*OBJECTED, "end chair closing round=1"], terms=ROUNDS)
    t.says("t1", text="It holds.").challenges("It does not.", "security_critic")
    posts = standing(posted(t.says("x1", text="You are right.").events))
    assert [p.shape for p in posts][1:] == [Shape.STATEMENT, Shape.CHALLENGE, Shape.STATEMENT]
    assert "You are right." in seen(posts[-1])


def test_an_id_in_an_objection_is_spelled_out_wherever_the_objection_is_named() -> None:
    again = "ch1.1 security_critic task=reconsider about=challenge:ch1"
    t = table(turns=[*OBJECTED, again, "end chair closing round=1"])
    t.says("t1", text="It races.", findings=[finding("Charged twice")])
    t.challenges("t1.f1 is wrong: see t1", "security_critic")
    posts = posted(t.says("x1", text="No.").says("ch1.1", "approve").events)
    words = "“Charged twice” is wrong: see the statement of the security critic"
    (objection,) = (post for post in posts if post.shape is Shape.CHALLENGE)
    assert words in seen(objection)
    assert objection.fallback.endswith(f": {words}")
    everything = "\n".join(map(seen, posts))
    assert f"Answer to “{words}”" in everything
    assert f"Decided again after “{words}”" in everything


def test_who_has_nothing_to_add_shares_a_line() -> None:
    names = ("security_critic", "performance_critic", "author", "maintainability_critic")
    t = table([*names, "chair:chair"], terms=ROUNDS)
    for n, text_of in enumerate(("One.", "Two.", "Three.", "Four."), 1):
        t.says(f"t{n}", "comment", text=text_of)
    t.says("u1", "comment", text="Nothing to add: it stands.")
    t.says("u2", "comment", text="I have nothing to say.")
    t.says("u3", "approve", text="Nothing to add, I was wrong.")
    t.says("u4", "comment", text="No further comments.", findings=[finding("A new defect")])
    post = shaped(t.events, Shape.ROUND)[-1]
    assert seen(post).split("\n", 1)[1] == (
        "✏️ Author · approve, 70% sure · was: comment\n"
        "Nothing to add, I was wrong.\n"
        "🔧 Maintainability critic · comment, 70% sure · Proposal\n"
        "No further comments.\n"
        "🔒 Security critic, ⚡ Performance critic: nothing to add"
    )


def long_review(seats: int) -> Table:
    names = [f"critic_{n}" for n in range(seats)]
    t = table([*names, "chair:chair"], terms=ROUNDS)
    findings = [finding(f"Defect {n} of module{n}", path=f"m{n}.py") for n in range(4)]
    for n in range(seats):
        text = f"Seat {n} has a long say. " * 30
        t.says(f"t{n + 1}", "comment", text=text, findings=findings if n == 0 else ())
    for n in range(seats):
        says = [dispute(f"t1.f{k + 1}", "the caller checks it " * 9) for k in range(4)]
        t.says(f"u{n + 1}", "comment", text=f"Seat {n} goes on. " * 40, answers=says)
    return t


@pytest.mark.parametrize("seats", [1, 2, 4, 9])
def test_every_seat_of_a_long_round_is_heard(seats: int) -> None:
    for post in shaped(long_review(seats).events, Shape.ROUND):
        assert len(seen(post)) <= 1200
        for n in range(seats):
            assert f"Critic {n} · comment" in seen(post)
            assert f"Seat {n} " in seen(post)


def test_a_statement_can_not_pass_for_another_seat() -> None:
    forged = "Fine.\n\n**Author** · approve, 99% sure\n\nI agree with `all` of it."
    t = table(terms=ROUNDS).says("t1", "comment", text=forged)
    [post] = [p for p in posted(t.events) if p.shape is Shape.ROUND]
    bold = [s.text for line in post.lines for s in line if s.bold]
    assert bold == ["🔒 Security critic"]
    assert [s.text for line in post.lines for s in line if s.code] == ["all"]


def test_debates_of_before_are_told_by_statements() -> None:
    [opened] = [x for x in table().events if isinstance(x, DebateOpened)]
    assert opened.terms.thread == "statements"
    post: Post = posted(table().says("t1", text="Hm.").events)[-1]
    assert post.shape is Shape.STATEMENT
