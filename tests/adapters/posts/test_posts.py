"""Readers of a thread see the right links, states and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import LONGEST, characters, fitted, sentences
from adapters.posts.export import export
from adapters.posts.statement import statement
from adapters.posts.verdict import verdict_post
from adapters.slack.outgoing.layout import layout
from adapters.slack.outgoing.markup import Json
from adapters.text.pieces import TextSpan
from core.debate.commands import RaiseChallenge
from core.debate.commands.decisions import decide
from core.debate.errors import Refused
from core.debate.events import STOPPED, ChallengeRaised, EndReason, OutcomeResolved, VotesClosed
from core.debate.finding import Finding
from core.debate.material import Hunk, Line, Material, MaterialKind
from core.debate.material.addresses import line_url, source_url
from core.debate.replies import Answer, Grade, Position, Stance
from core.debate.replies.wording import in_words
from core.debate.script import TurnId
from core.debate.template import Mode
from core.debate.verdict import verdict
from core.words.views.course.happenings import SHORTENED
from core.words.views.language.grammar import shortened
from core.words.views.verdict.decision import MOST_WORDS, decision
from core.words.views.verdict.facts import WARNING
from tests.adapters.posts.told import posted, seen, shaped, standing
from tests.core.table import START, Table, agree, dispute, finding, stance, table, withdraw
from tests.drawn import drawn

HEAD, BASE = "0123abcd" * 5, "4567dcba" * 5


def change(source: str) -> Material:
    lines = (
        Line(" ", "def read(name):", old=11, new=11),
        Line("-", "    return query(BIND, name)", old=12),
        Line("+", '    return query(f"select {name}")', new=12),
    )
    return Material(
        MaterialKind.PULL_REQUEST, "PR", "…", source, HEAD,
        hunks=(Hunk("app/my db.py", "@@", lines),), base=BASE,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("https://github.com/o/r/pull/7", "https://github.com/o/r/blob"),
        ("https://git.acme.com/o/r/pull/7", "https://git.acme.com/o/r/blob"),
        ("https://gitlab.com/g/s/p/-/merge_requests/7", "https://gitlab.com/g/s/p/-/blob"),
    ],
)
def test_a_line_is_linked_at_the_revision_that_was_read(source: str, tree: str) -> None:
    there = change(source)
    assert line_url(there, "app/my db.py", 12) == f"{tree}/{HEAD}/app/my%20db.py#L12"
    assert line_url(there, "a.py", 12, "LEFT") == f"{tree}/{BASE}/a.py#L12"
    assert source_url(there) == source


@pytest.mark.parametrize(
    "source", ["", "notes.md", "http://github.com/o/r/pull/7", "https://u@github.com/o/r/pull/7"]
)
def test_what_is_no_pull_request_of_a_known_shape_is_not_linked(source: str) -> None:
    assert line_url(change(source), "a.py", 1) == ""


def test_a_digest_is_no_revision_to_link_to() -> None:
    there = replace(change("https://github.com/o/r/pull/7"), revision="sha256:00ff")
    assert line_url(there, "a.py", 1) == ""


def test_a_card_shows_the_lines_as_they_stand_in_the_change() -> None:
    raised = finding(path="app/my db.py", quote='return query(f"select {name}")', trigger="a quote")
    t = table(material=change("https://github.com/o/r/pull/7")).says("t1", findings=[raised])
    [card] = shaped(t.says("t2").says("t3").events, Shape.FINDING)
    assert seen(card) == (
        "High: The query is built from user input\n"
        "app/my db.py:12 · open\n"
        " def read(name):\n"
        "-    return query(BIND, name)\n"
        '+    return query(f"select {name}")\n'
        "When: a quote\n"
        "Held by: security critic\n"
        "security critic is 80% sure"
    )
    assert card.subtitle[0].url.endswith(f"/blob/{HEAD}/app/my%20db.py#L12")


def test_a_card_follows_the_debate() -> None:
    t, title = table().says("t1", findings=[finding()]).says("t2").says("t3"), finding().title
    assert cards(t) == {title: "open"}
    t.says("u1").says("u2", answers=[dispute("t1.f1")]).says("u3")
    assert cards(t) == {title: "contested: 1 holds, 1 disputes"}
    t.votes("ann", "real", "t1.f1").votes("ben", "real", "t1.f1")
    assert cards(t) == {title: "confirmed by people"}


def cards(t: Table) -> dict[str, str]:
    """Returns the state of each finding as its card shows it in the end."""
    posts = shaped(t.events, Shape.FINDING)
    return {post.title.partition(": ")[2]: post.subtitle[-1].text for post in posts}


def objected(t: Table, text: str, opening: Sequence[Finding] = (), **again: Any) -> None:
    """Has ann object to the verdict, and the seat that was named answer and decide again."""
    raised, reopened, added = decide(t.debate, RaiseChallenge("ann", text))
    t.add(raised, reopened, added)
    assert isinstance(raised, ChallengeRaised)
    t.says(f"{raised.id}.1", answers=[Answer(raised.id, Position.ANSWERED)])
    t.says(f"{raised.id}.2", "comment", findings=opening, **again)
    t.skips(f"{raised.id}.3", reason="moved").concluded()


def test_a_card_follows_objections_to_the_verdict() -> None:
    t = table().says("t1", findings=[finding()]).says("t2").says("t3")
    t.says("u1").says("u2").says("u3").says("end").concluded()
    late = finding("The name is not escaped", line=40)
    objected(t, "performance critic: and line 40?", [late])
    assert cards(t) == {finding().title: "open", late.title: "open"}
    objected(t, "performance critic: it is escaped", answers=[withdraw("x1.2.f1")])
    assert cards(t) == {finding().title: "open", late.title: "withdrawn"}
    assert max(Counter(p.key for p in posted(t.events)).values()) == 1, "each is sent once"


def test_a_card_follows_an_answer_after_which_no_seat_speaks() -> None:
    t = table().says("t1", findings=[finding()]).says("t2").says("t3").says("u1").says("u2")
    t.says("u3")
    t.add(*decide(t.debate, RaiseChallenge("ann", "security critic: it is escaped")))
    t.says("x1.1", answers=[withdraw("t1.f1")]).skips("end", reason="contested").concluded()
    assert cards(t) == {finding().title: "withdrawn"}


def test_a_stopped_round_shows_its_findings() -> None:
    t = table().says("t1", findings=[finding()]).says("t2")
    t.stops(EndReason.HUMAN, "enough").fails("t3", STOPPED).skips("u1", "u2", "u3").says("end")
    assert cards(t.concluded()) == {finding().title: "open"}


def test_what_its_holder_takes_back_says_who_and_why() -> None:
    t = table().says("t1", findings=[finding()]).says("t2").says("t3")
    t.says("u1", answers=[Answer("t1.f1", Position.WITHDRAW, "the caller checks it")])
    [card] = shaped(t.says("u2").says("u3").events, Shape.FINDING)
    assert card.subtitle[-1].text == "withdrawn"
    assert ("Withdrawn by", "security critic: the caller checks it") in card.fields


def test_two_wordings_of_one_finding_are_one_card() -> None:
    """The finding stands under the shown wording and its id, and the other seat is named."""
    t = table().says("t1", findings=[finding("The query is built from input", confidence=0.6)])
    t.says("t2", findings=[finding("The query is built from user input", confidence=0.9)])
    [card] = shaped(t.says("t3").events, Shape.FINDING)
    title, by, other = {
        "t1.f1": ("The query is built from input", "security critic", "performance critic"),
        "t2.f1": ("The query is built from user input", "performance critic", "security critic"),
    }[card.facts["finding"]]
    assert card.title == f"High: {title}"
    assert dict(card.fields)["Held by"] == "security critic and performance critic"
    sure = {"security critic": 60, "performance critic": 90}[by]
    assert card.small == f"{by} is {sure}% sure · also raised by {other}"


def test_what_stands_nowhere_gets_no_card_and_is_listed_apart() -> None:
    slow = finding("It feels slow", severity="medium", anchored=False)
    t = table().says("t1", "comment", findings=[slow, finding("It leaks", line=40, anchored=False)])
    t.says("t2", "approve").says("t3", "approve").says("u1").says("u2").says("u3").says("end")
    assert not shaped(t.concluded().events, Shape.FINDING)
    [verdict] = shaped(t.events, Shape.VERDICT)
    text = "“It feels slow” (security critic): no line of the material shows it"
    assert ("Not counted", text) in verdict.fields
    leak = text.replace("It feels slow", "It leaks")
    assert ("Not placed, so no approval", leak) in verdict.fields
    assert verdict.title == "Comments only: 1 claim that could not be placed in the change."


def test_a_statement_says_where_one_stands_and_what_one_answers_in_words() -> None:
    t = table().says("t1", "request_changes", findings=[finding("An unguarded path")])
    t.says("t2", "approve").says("t3", "approve")
    answers = [dispute("t1.f1", "it is locked")]
    moved = Stance("request_changes", 0.9, moved_by="t1.f1")
    t.says("u1").says("u2", moved, text="As t1.f1 says.", answers=answers)
    [post] = [p for p in posted(t.events) if p.subject == "u2"]
    assert seen(post) == (
        "Performance critic\n"
        "request changes, 90% sure · was: approve, moved by “An unguarded path”\n"
        "As “An unguarded path” says.\n"
        "Challenge: disputes An unguarded path (security critic): it is locked"
    )
    assert not post.reaction_options


def test_what_stands_in_backticks_is_code_in_answers_and_fixes() -> None:
    raised = finding(fix="bind it with `execute`")
    t = table().says("t1", "request_changes", findings=[raised])
    t.says("t2", "request_changes").says("t3", "request_changes")
    t.says("u1", "request_changes", answers=[agree("t1.f1")])
    t.says("u2", answers=[dispute("t1.f1", "`bind` does it")])
    t.says("u3", "request_changes", answers=[agree("t1.f1")])
    posts = standing(posted(t.concluded().events))
    coded = [s.text for p in posts for line in p.lines for s in line if s.code]
    assert coded == ["bind", "execute"]
    [card] = [layout(p)[0].blocks for p in posts if p.shape is Shape.FINDING]
    assert {"type": "text", "text": "execute", "style": {"code": True}} in _elements(card)


def _elements(blocks: list[Json]) -> list[Json]:
    return [leaf for b in blocks for e in b.get("elements", ()) for leaf in e.get("elements", ())]


def test_what_was_said_before_is_not_said_again() -> None:
    turns = [*(f"t{n} security_critic round={n}" for n in range(3)), "end chair closing round=3"]
    t = table(turns=turns)
    t.says("t0", findings=[finding()])
    t.says("t1", answers=[withdraw("t0.f1")]).says("t2", answers=[withdraw("t0.f1")])
    assert [len(p.lines) for p in posted(t.events) if p.shape is Shape.STATEMENT] == [0, 1, 0]


def test_where_nobody_was_heard_nothing_is_asked_of_people() -> None:
    t = table().fails("t1").fails("t2").fails("t3").skips("u1", "u2", "u3").fails("end")
    root, *_, verdict = standing(posted(t.concluded().events))
    assert seen(verdict) == (
        "No verdict: no seat gave an answer that could be read.\n"
        "Because: timeout: no answer in 90 s.\n"
        "free · 0 of 3 seats heard · the report is attached"
    )
    assert not verdict.reaction_options
    assert seen(root).splitlines()[1] == "No verdict · free"
    with pytest.raises(Refused, match="came to no verdict, so there is none that could hold"):
        decide(t.debate, OutcomeResolved(True, "shell:ann", START))


@pytest.mark.parametrize(
    ("reason", "detail", "sentence"),
    [
        (EndReason.BUDGET, "the debate's time is used up",
         "Ending early: the debate's time is used up"),
        (EndReason.NO_QUORUM, "1 of 3 seats still answer, 2 are needed",
         ("Ending early because too few seats answered: 1 of 3 seats still answer, 2 are "
         "needed")),
        (EndReason.CONVERGED, "No seat changed its stance.",
         "Ending early because there is nothing more to learn: No seat changed its stance."),
    ],
)  # fmt: skip
def test_why_it_ends_early_is_said_in_words(reason: EndReason, detail: str, sentence: str) -> None:
    *_, notice = posted(table().says("t1").stops(reason, detail).events)
    assert notice.fallback == sentence


def test_a_seat_s_sentence_stays_as_it_was_written() -> None:
    text = "I hold request_changes; `request_changes` and request_changes() are names."
    t = table().says("t1", "request_changes", text=text).says("t2").fails("t3")
    t.skips("u1", "u2", "u3").says("end").concluded()
    posts = standing(posted(t.events))
    spoke = next(p for p in posts if p.who == "Security critic")
    assert spoke.body == text
    assert dict(posts[-1].fields)["Seats"].endswith("2 without a stance")


def test_a_seat_whose_role_was_secret_keeps_its_label_and_its_model_is_revealed() -> None:
    t = table(("first", "second", "third", "chair:chair"), blind=True, findings=False)
    t.says("t1", "approve").says("t2", "approve").says("t3", "comment")
    t.skips("u1", "u2", "u3").says("end", text="So.").concluded()
    *_, verdict = standing(posted(t.events))
    assert verdict.title == "Approved: 2 of 3 seats agree; participant 3 does not."
    assert dict(verdict.fields)["Who disagrees"].startswith("participant 3 (comment)")
    assert "revealed: participant 1 (first, openai/gpt-5), participant 2 " in verdict.small


def test_who_is_called_by_a_label_is_read_by_name() -> None:
    text = "P2 is wrong, as P3's line shows; this is a P1 bug, a P2 of severity P1, in P9.py."
    t = table().says("t1", "request_changes", text=text).says("t2").fails("t3")
    t.skips("u1", "u2", "u3").says("end").concluded()
    spoke = next(p for p in standing(posted(t.events)) if p.who == "Security critic")
    assert spoke.body == (
        "The performance critic is wrong, as the maintainability critic's line shows; this is a P1 "
        "bug, a P2 of severity P1, in P9.py."
    )


def test_what_a_judge_ruled_is_said_to_be_ruled_and_its_second_hearing_says_so() -> None:
    turns = ["t1 s1", "t2 s2", "j judge closing", "k judge closing about=swapped"]
    t = table(("s1", "s2", "judge:judge"), turns, mode=Mode.JUDGE, findings=False)
    t.says("t1", "approve").says("t2", "comment")
    t.says("j", text="It holds.", ruling="comment").says("k", text="Still.", ruling="comment")
    assert decision(t.debate).headline == "Comments only: the judge ruled so; 1 of 2 seats agree."
    statements = [p for p in posted(t.events) if p.shape is Shape.STATEMENT]
    assert seen(statements[-1]) == (
        "Judge\nrules comment\nStill.\nthe same case, heard in the other order"
    )


def test_a_gauntlet_says_which_attacks_were_not_held_off() -> None:
    turns = [*(f"a{n} red task=attack about=category:x" for n in range(3)), "g judge closing"]
    t = table(("red", "target", "judge:judge"), turns, format="gauntlet", findings=False)
    t.says("a0", claims=["A stale token is taken"]).says("a1", text="It waits for ever.")
    t.says("a2", findings=[finding("The lock is never taken")])
    grades = {"a0": Grade.PARTLY, "a1": Grade.DEFENDED, "a2": Grade.BROKEN}
    [verdict] = shaped(t.says("g", grades=grades).concluded().events, Shape.VERDICT)
    assert verdict.title == "Conditional: 1 of 3 attacks was held off, 1 partly, 1 not."
    assert verdict.fields[:2] == (
        ("Broke through", "The lock is never taken (red)"),
        ("Held off in part", "A stale token is taken (red)"),
    )


def test_a_round_is_named_once_and_a_text_has_no_revision() -> None:
    question = Material(MaterialKind.QUESTION, "Why?", "Why?", "", "sha256:00ff")
    t = table(material=question).says("t1", text="Hm.")
    root, statement = standing(posted(t.events))
    assert seen(root).splitlines()[1].startswith("Round 1 of 3 · ")
    assert "revision" not in root.small
    assert statement.small == "Round 1 of 3"


OPTIONS = st.sampled_from(["approve", "comment", "request_changes"])


@drawn(8)
@given(
    stances=st.lists(OPTIONS, min_size=3, max_size=3),
    findings=st.integers(0, 4),
    disputed=st.booleans(),
    review=st.booleans(),
)
def test_the_decision_is_known_within_25_words(
    stances: list[str], findings: int, disputed: bool, review: bool
) -> None:
    t = table(findings=review)
    raised = [finding(f"Defect {n} of m{n}", path=f"m{n}.py") for n in range(findings)]
    for n, option in enumerate(stances):
        t.says(f"t{n + 1}", stance(option), findings=raised if n == 0 else ())
    for n, option in enumerate(stances):
        says = [dispute(f"t1.f{k + 1}") for k in range(findings)] if disputed and n else []
        t.says(f"u{n + 1}", option, answers=says)
    [verdict] = [p for p in posted(t.concluded().events) if p.shape is Shape.VERDICT]
    assert verdict.title == decision(t.debate).headline
    assert 1 < len(verdict.title.split()) <= MOST_WORDS
    assert all(characters(p) <= LONGEST for p in posted(t.events))


@given(st.text(max_size=3000), st.integers(40, 900))
def test_texts_are_cut_to_their_length(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) <= limit
    short = sentences(text, limit)
    assert len(short) <= max(limit, 1)
    assert short.count("```") % 2 == 0 or text.count("```") % 2


@given(
    st.text(max_size=4000),
    st.lists(st.text(max_size=300), max_size=6),
    st.lists(st.text(max_size=300), max_size=12),
)
def test_no_post_is_longer_than_a_reader_reads(
    body: str, lines: list[str], fields: list[str]
) -> None:
    post = Post(
        "d:1:statement",
        "d",
        Shape.STATEMENT,
        body=body,
        lines=tuple((TextSpan(text),) for text in lines),
        fields=tuple(("Label", text) for text in fields),
    )
    assert characters(fitted(post)) <= LONGEST
    assert fitted(fitted(post)) == fitted(post)


@given(st.lists(st.tuples(st.sampled_from(["Seats", WARNING]), st.text(max_size=300)), max_size=12))
def test_a_warning_goes_after_everything_else(fields: list[tuple[str, str]]) -> None:
    left = fitted(Post("d:1:verdict", "d", Shape.VERDICT, fields=tuple(fields))).fields
    lost = Counter(fields) - Counter(left)
    others_left = [label for label, _ in left if label != WARNING]
    assert not others_left or not any(label == WARNING for label, _ in lost)


@pytest.mark.parametrize("window", [0.0, 600.0])
@pytest.mark.parametrize("state", ["open", "merged", "closed"])
def test_whether_it_held_is_asked_at_the_verdict_where_it_can_be_known(
    state: str, window: float
) -> None:
    change = Material(MaterialKind.PULL_REQUEST, "o/r#1", "o/r#1", "diff", facts={"state": state})
    t = table(terms={"vote_window": window}, material=change)
    t.says("t1", "approve").says("t2", "approve").concluded(closed=False)
    assert bool(asked_whether_it_held(t)) is (not window and state != "open")
    decided = verdict(t.debate)
    t.add(VotesClosed(decided.decision, decided.reached, False, START))
    questions = [("It held", f"{t.debate.id}:yes"), ("It did not hold", f"{t.debate.id}:no")]
    assert asked_whether_it_held(t) == (questions if state != "open" else [])


def asked_whether_it_held(t: Table) -> list[tuple[str, str]]:
    return [(b.label, b.value) for b in verdict_post(t.debate).buttons if b.action == "held"]


def test_what_need_not_be_fixed_is_said_to_be_unreal_or_mild() -> None:
    t = table().says("t1", findings=[finding("A path"), finding("A key", line=40)])
    answers = [
        Answer("t1.f1", Position.NOT_REAL, "it is locked"),
        Answer("t1.f2", Position.NEED_NOT, "it is a test's"),
    ]
    t.says("t2").says("t3").says("u1").says("u2", answers=answers)
    [post] = [p for p in posted(t.events) if p.subject == "u2"]
    assert ["".join(span.text for span in line) for line in post.lines] == [
        "Challenge: calls not real A path (security critic): it is locked",
        "Challenge: calls real, without blocking, A key (security critic): it is a test's",
    ]
    assert in_words(answers) == (
        "t1.f1 is not real: it is locked. t1.f2 is real and need not block: it is a test's."
    )


@pytest.mark.parametrize(("length", "whole"), [(699, True), (700, True), (701, False)])
def test_a_statement_of_seven_hundred_characters_is_whole(length: int, whole: bool) -> None:
    text = ("It is so. " * 80)[:length].rstrip(" ").ljust(length, "x")
    t = table().says("t1", "approve", text=f" {text}\n")
    debate = t.debate
    (post,) = statement(debate, 3, debate.script.turn(TurnId("t1")))
    assert (post.body == text) is whole
    assert (SHORTENED in post.small) is not whole


@pytest.mark.parametrize("window", [0.0, 600.0])
def test_votes_are_asked_for_only_if_people_have_time_to_vote(window: float) -> None:
    t = table(terms={"vote_window": window}).says("t1", "approve").says("t2").says("t3")
    t.says("u1").says("u2").says("u3").says("end").concluded(closed=not window)
    [verdict] = [p for p in posted(t.events) if p.shape is Shape.VERDICT and not p.edits]
    words = seen(verdict)
    assert (("nobody voted yet" in words), bool(verdict.reaction_options)) == (window > 0,) * 2


@pytest.mark.parametrize("decides", [True, False])
def test_what_is_not_placed_keeps_from_approval_only_where_findings_decide(decides: bool) -> None:
    leak = finding("It leaks", line=40, anchored=False)
    t = table(findings=decides).says("t1", "approve", findings=[leak]).says("t2", "approve")
    t.says("t3", "approve").says("u1").says("u2").says("u3").says("end").concluded()
    [post] = shaped(t.events, Shape.VERDICT)
    label = "Not placed, so no approval" if decides else "Not counted"
    assert dict(post.fields)[label].startswith("“It leaks”")
    report = export(t.debate, "md")
    assert ("is not approved over it" in report) is decides
    assert ("so it does not count" in report) is not decides


def test_a_card_follows_a_finding_that_counts_no_more() -> None:
    t = table().says("t1", findings=[finding()]).says("t2", findings=[finding(anchored=False)])
    t.says("t3").says("u1", answers=[withdraw("t1.f1")]).says("u2").says("u3")
    [card] = shaped(t.events, Shape.FINDING)
    assert dict(card.fields)["Held by"] == "performance critic"
