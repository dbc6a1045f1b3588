"""A debate as a document: the decision first, then by finding and by round."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from html import unescape

import pytest

from adapters.posts.cruxes import crux_picture
from adapters.posts.export import export
from adapters.posts.export.page import PALETTE
from adapters.posts.export.transcript import by_finding
from adapters.terminal.ending import plain_lines
from adapters.terminal.terminal import Style, Terminal
from core.debate.events import ChallengeRaised
from core.debate.state import replay
from core.words.views.verdict.findings import finding_numbered
from tests.adapters.posts.test_content import review
from tests.core.table import Table, finding, stance, table
from tests.project import ROOT

LINE = "https://github.com/acme/shop/blob/0123abcd/app/db.py#L12"


@pytest.fixture(scope="module")
def document() -> str:
    t = review()
    challenged = ChallengeRaised("x1", "shell:ann", "On t1.f1: who calls it?", ())
    return export(Table([*t.events[:-2], challenged, *t.events[-2:]]).debate, "md")


def part(document: str, title: str) -> str:
    """Returns the text below one heading."""
    below = document.partition(f" {title}\n\n")[2]
    return re.split(r"\n\n#+ ", below)[0]


def test_a_finding_tells_who_said_what_of_it(document: str) -> None:
    assert part(document, "High: The query is built from user input") == (
        f"[`app/db.py:12`]({LINE}) · confirmed by people · finding 1\n\n"
        "- Round 1: security critic raised it, 90% sure\n"
        "- Round 2: performance critic agrees with it\n"
        "- ann challenges: who calls it?\n"
        "- People: 2 real"
    )
    assert part(document, "High: It waits too long").endswith(
        "- Round 1: performance critic raised it, 80% sure\n"
        "- Round 2: security critic disputes it: it never waits\n"
        "- Round 2: performance critic takes it back"
    )


def test_findings_have_numbers_and_no_ids_and_every_place_leads_to_its_line(document: str) -> None:
    assert re.findall(r"\b(?:[tu]\d+|code(?=\.))(?:\.[fc]\d+)?\b(?![\w./])", document) == []
    assert re.findall(r" · finding (\d+)$", document, re.MULTILINE) == ["1", "1", "2"]
    places = re.findall(r"\[`([\w./]+):(\d+)`\]\((\S+?)\)", document)
    assert len(places) == 6, "the reason, what it rests on, the table, finding by finding"
    assert all(url.endswith(f"/blob/0123abcd/{path}#L{line}") for path, line, url in places)


def test_two_wordings_of_one_finding_are_one_with_both_seats() -> None:
    t = table()
    t.says("t1", stance("request_changes", 0.9), findings=[finding()])
    other = finding("User input reaches the query that is built", confidence=0.7)
    t.says("t2", stance("request_changes", 0.8), findings=[other])
    document = export(t.says("t3", "approve").says("end").concluded().debate, "md")
    assert part(document, "High: The query is built from user input").endswith(
        "- Round 1: security critic raised it, 80% sure\n"
        "- Round 1: performance critic also raised it, 70% sure, in these words: User input "
        "reaches the query that is built"
    )


def test_headings_of_the_template_are_lower_and_code_stays_as_it_is() -> None:
    t = table(output_format="# Summary\n\n{notes}\n").says("t1", "approve").says("t2", "approve")
    t.says("t3", "approve").says("end", sections={"notes": "```\n# a comment\n```"}).concluded()
    document = export(t.debate, "md")
    assert "\n## Summary\n\n```\n# a comment\n```\n" in document


def test_a_debate_that_runs_is_exported_as_it_stands() -> None:
    document = export(table().says("t1", "approve", text="It holds.").debate, "md")
    assert "It holds." in document
    assert "How this was decided" not in document
    assert "<details>" in export(table().says("t1", "approve").debate, "html")


def test_a_long_heading_is_short_in_the_contents() -> None:
    t = table(output_format="# {title}\n", terms={}).says("t1", "approve").says("t2", "approve")
    opened = t.debate.open
    named = replace(opened.material, title='Is "a < b" ' * 30)
    t.events[1] = replace(opened, material=named)
    page = export(t.says("t3", "approve").says("end").concluded().debate, "html")
    (line,) = (x for x in re.findall(r'<a href="#part-\d+">(.*?)</a>', page) if x.startswith("Is"))
    assert line.endswith("…")
    assert len(unescape(line)) <= 60
    assert "<b" not in line


def test_what_a_seat_raises_twice_in_one_breath_is_told_once() -> None:
    t = table().says("t1", findings=[finding(), finding(confidence=0.6)]).says("t2").says("t3")
    t.says("u1", findings=[finding(confidence=0.9)])
    [text] = by_finding(t.debate).values()
    assert [line for line in text.splitlines() if "raised it" in line] == [
        "- Round 1: security critic raised it, 80% sure",
        "- Round 2: security critic also raised it, 90% sure",
    ]


def test_a_finding_has_one_number_on_every_surface_and_while_it_goes_on() -> None:
    t = table().says("t1", "comment", findings=[finding("It is slow", severity="low", line=10)])
    t.says("t2", "request_changes", findings=[finding(line=12)]).says("t3", "approve")
    live = io.StringIO()
    terminal = Terminal(live, style=Style.PLAIN, width=200)
    for n in range(1, len(t.events)):
        terminal.on_event(t.events[n], replay(t.events[: n + 1]))
    end = t.says("end").concluded().debate
    numbers = {"It is slow": 1, "The query is built from user input": 2}
    for title, number in numbers.items():
        assert re.search(rf"^finding {number}: \w+: {title}", live.getvalue(), re.MULTILINE)
        own = part(export(end, "md"), f"{'High' if number == 2 else 'Low'}: {title}")
        assert f" · finding {number}" in own
        assert finding_numbered(end, str(number)) == f"t{number}.f1"
    (line,) = (line for line in plain_lines(end) if line.startswith("app/db.py:12"))
    assert line.endswith(" · finding 2")


def test_what_is_cut_in_the_picture_of_the_cruxes_says_so() -> None:
    t = table()
    first, *others = [turn for turn in t.debate.turns if not turn.closing]
    title = f"The query is built from user input{' in each search of the orders' * 3}"
    path = "shop/storage/files/uploads/handling_of_large_parts.py"
    t.says(first.id, "approve", findings=(finding(title, severity="critical", path=path),))
    for turn in others:
        t.says(turn.id, "approve")
    picture = crux_picture(t.concluded().debate)
    lines = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert "…files/uploads/handling_of_large_parts.py:12" in lines
    assert all(len(line) <= 44 for line in lines)
    assert any(line.endswith("…") for line in lines)


def test_a_page_to_send_on_has_the_room_s_colours() -> None:
    variable = re.compile(r"--([a-z]+):\s*(#[0-9a-f]{6})")
    room = (ROOT / "adapters/room/static/room.css").read_text("utf-8")
    light, _, dark = PALETTE.partition("@media")
    theirs = room.partition("* { box-sizing")[0].partition("@media (prefers-color-scheme: dark)")
    for ours, of_room in ((light, theirs[0]), (dark, theirs[2])):
        colours = dict(variable.findall(ours))
        assert len(colours) == 10
        assert colours.items() <= dict(variable.findall(of_room)).items()
