"""What a reader of another language sees is chosen by what it is, not by its English words."""

from __future__ import annotations

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import LONGEST, characters, fitted
from adapters.terminal.ending import rows
from core.application.desk import DeskAnswer
from core.application.offers import with_words, without_words
from core.languages import say, speaking
from core.words.views.verdict.dissent import WHO, WHO_MOST
from core.words.views.verdict.facts import SEATS, WARNING
from core.words.views.verdict.stances import vote_rows
from tests.adapters.posts.test_content import review
from tests.core.table import table


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
