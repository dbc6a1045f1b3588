"""Ids of buttons and forms at their edges, the menu behind the buttons, and files in batches."""

from __future__ import annotations

import pytest
from discord import TextStyle, ui

from adapters.discord.outgoing import files
from adapters.discord.outgoing.components import (
    ID_LIMIT,
    MENU,
    Press,
    form,
    poll,
    pressed_id,
    read_press,
    rows,
    simple_view,
)
from adapters.discord.outgoing.layout import DiscordMessage, layout, marks
from adapters.ports.chat import Shape
from core.application.desk import Button, ChatFile
from core.application.presence import DeliveryError
from tests.adapters.discord.posts import post


@pytest.mark.parametrize(
    ("press", "id"),
    [
        (Press("stop"), "d1||stop|"),
        (Press("stop", "d1"), "d1||stop|d1"),
        (Press("challenge", "d1", form=True), "d1|f|challenge|d1"),
        (Press("stop", "d1", confirms=True), "d1|c|stop|d1"),
        (Press("stop", "d1", confirmed=True), "d1|y|stop|d1"),
        (Press("start", "a|b|c", form=True), "d1|f|start|a|b|c"),
    ],
)
def test_an_id_holds_the_press_and_gives_it_back(press: Press, id: str) -> None:
    assert press.custom_id() == id
    assert read_press(id) == press


@pytest.mark.parametrize("id", ["", "stop", "d1||stop", "d2||stop|d1", "d1|||d1", "x|f|stop|d1"])
def test_ids_of_other_versions_and_other_bots_mean_nothing(id: str) -> None:
    assert read_press(id) is None


def test_an_id_may_have_a_hundred_characters_and_no_more() -> None:
    room = ID_LIMIT - len("d1||stop|")
    assert len(Press("stop", "v" * room).custom_id()) == ID_LIMIT == 100
    for refused in (
        lambda: Press("stop", "v" * (room + 1)).custom_id(),
        lambda: rows((Button("stop", "Stop", "v" * (room + 1)),)),
    ):
        with pytest.raises(DeliveryError) as caught:
            refused()
        assert caught.value.kind == "dead"


def test_what_is_chosen_in_the_menu_is_pressed() -> None:
    assert (
        pressed_id({"custom_id": MENU, "values": ["d1||fork|d1", "d1||stop|d1"]}) == "d1||fork|d1"
    )
    assert pressed_id({"custom_id": MENU, "values": []}) == MENU
    assert pressed_id({"custom_id": "d1||stop|d1"}) == "d1||stop|d1"
    assert pressed_id({"custom_id": "d1||stop|d1", "values": ["d1||fork|d1"]}) == "d1||stop|d1"


def _many(count: int, *, more: bool = False) -> list[Button]:
    return [Button("stop", f"Stop {n}", f"d{n}", more=more) for n in range(count)]


async def test_there_are_no_more_buttons_and_choices_than_discord_takes() -> None:
    assert [len(row.children) for row in rows(_many(5))] == [5]
    assert [len(row.children) for row in rows(_many(6))] == [5, 1]
    *_, menu = rows([*_many(1), *_many(26, more=True)])
    (select,) = menu.children
    assert isinstance(select, ui.Select)
    assert len(select.options) == 25
    assert simple_view([]) is None
    view = simple_view(_many(26))
    assert view is not None
    assert len(view.children) == 25


async def test_a_form_asks_for_a_text_that_may_not_be_empty() -> None:
    for action, style in (("challenge", TextStyle.paragraph), ("fork", TextStyle.short)):
        made = form(Press(action, "d1"), action.capitalize())
        assert (made.title, made.custom_id) == (action.capitalize(), f"d1|f|{action}|d1")
        (label,) = made.children
        assert isinstance(label, ui.Label)
        field = label.component
        assert isinstance(field, ui.TextInput)
        assert (field.style, field.required, field.max_length) == (style, True, 4000)


@pytest.mark.parametrize(
    ("hours", "lasts"), [(0, 1), (1, 1), (2, 2), (767, 767), (768, 768), (769, 768)]
)
def test_a_poll_lasts_as_long_as_discord_allows(hours: int, lasts: int) -> None:
    part = DiscordMessage(
        *marks("k", 0, 7), 0, question="Which?", answers=(("One", "1️⃣"), ("Two", ""))
    )
    made = poll(part, hours)
    assert made.duration.total_seconds() == lasts * 3600
    assert [(answer.text, str(answer.emoji)) for answer in made.answers] == [
        ("One", "1️⃣"), ("Two", "None")
    ]  # fmt: skip


def test_a_part_says_what_it_holds() -> None:
    many = post("k", Shape.VERDICT, poll=("yes", "no"), files=(ChatFile("a.md", "a"),))
    assert [part.kind for part in layout(many, 7)] == ["", "poll", "file"]


def test_files_go_ten_at_a_time_as_long_as_they_fit_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "FILE_BYTES", 8)

    def sizes(*texts: str) -> list[list[str]]:
        given = [ChatFile(f"{n}.md", text) for n, text in enumerate(texts)]
        return [[file.text for file in batch] for batch in files.batches(given)]

    assert sizes() == []
    assert sizes(*["a"] * 8) == [["a"] * 8]
    assert sizes(*[""] * 11) == [[""] * 10, [""]]
    assert sizes("abcd", "efgh") == [["abcd", "efgh"]]
    assert sizes("abcd", "efghi", "jkl") == [["abcd"], ["efghi", "jkl"]]
    assert sizes("abcdefgh", "i") == [["abcdefgh"], ["i"]]
    assert sizes("éééé") == [["éééé"]]


def test_a_file_that_is_too_long_goes_in_numbered_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FILE_BYTES", 8)

    def pieces(name: str, text: str) -> list[tuple[str, str]]:
        return [(f.name, f.text) for batch in files.batches([ChatFile(name, text)]) for f in batch]

    assert pieces("log.md", "abcdefgh") == [("log.md", "abcdefgh")]
    assert pieces("log.tar.gz", "abcdefghi") == [
        ("log.tar-1.gz", "ab"), ("log.tar-2.gz", "cd"), ("log.tar-3.gz", "ef"),
        ("log.tar-4.gz", "gh"), ("log.tar-5.gz", "i"),
    ]  # fmt: skip
    assert pieces("log", "ééééé")[0] == ("log-1", "éé")
