"""What a reader of another language sees is chosen by what it is, not by its English words."""

from __future__ import annotations

import pytest

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import LONGEST, characters, fitted
from adapters.posts.verdict import finding_lines, people_bar
from adapters.terminal.ending import rows
from core.application.desk import DeskAnswer
from core.application.offers import with_words, without_words
from core.debate.finding import Stated
from core.debate.material import RIGHT
from core.debate.template import Mode
from core.debate.verdict.findings import merge_findings
from core.languages import say, speaking
from core.words.outcome.report import report
from core.words.views.course.progress import state_line
from core.words.views.verdict.dissent import WHO, WHO_MOST, dissent_views
from core.words.views.verdict.facts import SEATS, WARNING
from core.words.views.verdict.findings import finding_view
from core.words.views.verdict.rule import rule_lines
from core.words.views.verdict.stances import vote_rows
from tests.adapters.posts.test_content import review
from tests.core.debate.verdict.test_consensus import judged
from tests.core.table import REVIEW, finding, table


def test_a_debate_in_which_nobody_chose_an_option_has_no_table_of_votes() -> None:
    silent = table().says("t1").says("t2").concluded().debate
    with speaking("de"):
        assert vote_rows(silent) == ()


def test_a_form_that_still_holds_the_words_does_not_show_them_again() -> None:
    with speaking("de"):
        answer = DeskAnswer(with_words("Nein.", "my words"))
        assert "my words" in answer.text
        assert without_words(answer).text == "Nein."
    assert without_words(answer).text == "Nein.", "of a page in another language"


def test_a_long_post_keeps_its_warning_and_gives_up_the_seats_votes_first() -> None:
    with speaking("de"):
        seats, warning = say(SEATS), say(WARNING)
        fields = ((seats, "x" * 300), ("Rest", "y" * 300), (warning, "z" * 900))
        short = fitted(Post("k", "d", Shape.VERDICT, title="T", fields=fields))
    assert [label for label, _ in short.fields] == [warning]
    assert characters(short) <= LONGEST


def test_who_disagrees_comes_before_the_title_on_a_screen() -> None:
    debate = review().debate
    with speaking("de"):
        texts = ["".join(span.text for span in row.spans) for row in rows(debate)]
        who = (say(WHO), say(WHO_MOST))
    dissent = next(n for n, text in enumerate(texts) if text.startswith(who))
    assert dissent < texts.index(debate.open.material.title)


@pytest.mark.parametrize("language", ["cs", "de"])
def test_people_vote_on_options_in_their_language(language: str) -> None:
    voted = review().votes("slack:T1/U1", "request_changes")
    with speaking(language):
        nobody, bar = people_bar(review().debate), people_bar(voted.debate)
        assert say("request changes") in bar
        assert " · " in nobody
        assert not any(word in nobody + bar for word in ("approve", "comment ", "request"))


DECIDED = {
    "weighted 0.67": judged(("go", "go"), votes=("go", "go"), mode=Mode.WEIGHTED),
    "judge panel 1-0": judged(("go", "go")),
    "judge panel: no ruling": judged(("go", "no")),
    "the vote fell short, judge panel 1-0": judged(
        ("no", "no"), votes=("go", "no", "later"), mode=Mode.HYBRID
    ),
    "hybrid: the vote fell short and no judge ruled": judged(
        ("-", "-"), votes=("go", "go", "-"), mode=Mode.HYBRID, threshold=0.9
    ),
    "majority of": judged(("go", "go"), votes=("go", "go"), mode=Mode.MAJORITY),
    "findings: none must be fixed": table().says("t1", "approve"),
    "made stricter by the judges; judge panel": judged(
        ("request_changes",) * 2, votes=("approve",) * 2, ballot=REVIEW, findings=True
    ),
}
"""Debates decided by every kind of rule, by English words of each."""


@pytest.mark.parametrize("language", ["cs", "de"])
def test_the_rule_of_a_decision_is_named_in_the_readers_language(language: str) -> None:
    for words, made in DECIDED.items():
        assert words in "".join(rule_lines(made.debate))
        with speaking(language):
            text = "".join(rule_lines(made.debate))
        assert not set(words.split()) & set(text.split()) - {"0.67", "1-0;"}, text


@pytest.mark.parametrize("language", ["cs", "de"])
def test_how_a_finding_was_placed_is_said_in_the_readers_language(language: str) -> None:
    places = {"Leak": Stated("app/x, y.py", 3, RIGHT), "Race": Stated("app/db.py", 4, RIGHT)}
    places["Typo"] = Stated("app/db.py", None, RIGHT)
    findings = [
        finding(title, path="app/db.py", line=40 * n, stated=place, loose=True)
        for n, (title, place) in enumerate(places.items(), 1)
    ]
    debate = table().says("t1", "approve", findings=findings).concluded().debate
    english = report(debate)
    for words in ("moved from app/x, y.py:3, quoted loosely", "moved from line 4", "placed by"):
        assert words in english
    with speaking(language):
        views = [finding_view(debate, m) for m in merge_findings(debate)]
        text = "\n".join((report(debate), *(view.placing for view in views)))
    assert "app/x, y.py:3" in text
    assert not any(word in text for word in ("moved", "quoted", "placed"))


def test_on_which_findings_seats_disagree_is_named_in_the_readers_language() -> None:
    raised = finding("SQL in {braces}")
    made = table().says("t1", "approve", findings=[raised]).says("t2", "approve")
    debate = made.votes("a", "x", "t1.f1").votes("b", "x", "t1.f1").debate
    (english,) = dissent_views(debate)
    assert english.because == "holds “SQL in {braces}”"
    with speaking("de"):
        (german,) = dissent_views(debate)
    assert german.because == "hält an „SQL in {braces}“ fest"


def test_nouns_keep_their_capitals_in_german() -> None:
    debate = review().debate
    with speaking("de"):
        texts = [state_line(debate), *(s.text for line in finding_lines(debate) for s in line)]
    text = "".join(texts)
    assert "Änderungen verlangt" in text
    assert " · Personen: " in text
