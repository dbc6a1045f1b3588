"""The screen that a debate ends with: compared whole, for a person and for a pipe, and with words
that want to be more than words.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace

from rich.console import Console

from adapters.posts.export import export
from adapters.terminal.ending import ScreenRow, _lines
from adapters.terminal.terminal import Style, Terminal
from adapters.text.pieces import TextSpan
from core.debate.state import Debate
from tests.adapters.posts.test_content import review
from tests.adapters.terminal.screen import STYLE, Screen
from tests.core.table import Table, finding, stance, table

BLOB = "https://github.com/acme/shop/blob/0123abcd"
PULL = "https://github.com/acme/shop/pull/42"
LINK = re.compile(r"\x1b\]8;[^;]*;([^\x1b]*)\x1b\\")
EVIL = "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\\x1b[2J\u202e\x07\r[bold]x[/]"

SCREEN = """\
■ Changes requested: 1 finding must be fixed before merging.
  • High: The query is built from user input
    app/db.py:12 · confirmed by people · finding 1
  Who disagrees: maintainability critic (comment): no reason given. Would settle
  it: a test is there
  Retry on timeout
  Changed by the debate: performance critic: comment → request changes (“The
  query is built from user input”); 1 finding withdrawn
  Seats: 1 comment, 2 request changes
  People: ✅ approve 0 · 💬 comment ▇ 1 · ❌ request changes 0
  Warning: Only 1 person voted: too few to show what most think.
  Cost: $0.0070 of $0.50
  What if: debate fork debate-0001 --without SEAT · later: debate held
  debate-0001 yes|no
  To send on: debate export debate-0001 html · all of it: debate show
  debate-0001
"""
PIPE = f"""\
■ Changes requested: 1 finding must be fixed before merging.
• High: The query is built from user input
app/db.py:12 <{BLOB}/app/db.py#L12> · confirmed by people · finding 1
Who disagrees: maintainability critic (comment): no reason given. Would settle it: a test is there
Retry on timeout <{PULL}>
Changed by the debate: performance critic: comment → request changes (“The query is built from \
user input”); 1 finding withdrawn
Seats: 1 comment, 2 request changes
People: ✅ approve 0 · 💬 comment ▇ 1 · ❌ request changes 0
Warning: Only 1 person voted: too few to show what most think.
Cost: $0.0070 of $0.50
What if: debate fork debate-0001 --without SEAT · later: debate held debate-0001 yes|no
To send on: debate export debate-0001 html · all of it: debate show debate-0001
"""


def printed(debate: Debate, *, plain: bool = False) -> str:
    """Returns the screen of a terminal of 80 columns, or of one that was told to be plain."""
    out = Screen()
    style = Style.PLAIN if plain else Style.LIVE
    Terminal(out, style=style, width=80, plain=plain).conclude(debate)
    return out.getvalue()


def test_a_review_ends_on_one_screen() -> None:
    screen = printed(review().debate)
    assert set(LINK.findall(screen)) == {"", PULL, f"{BLOB}/app/db.py#L12"}
    seen = STYLE.sub("", LINK.sub("", screen))
    assert seen == SCREEN


def test_a_pipe_gets_the_same_in_whole_lines() -> None:
    assert printed(review().debate, plain=True) == PIPE


def large() -> Table:
    """Four long findings, dissent, and material that was not read."""
    t = table()
    long = "which holds for every caller that comes in by the second way and not by the first " * 3
    many = [
        finding(f"Number {n}: {long}", line=12 + n, path=f"app/{'deep/' * 9}f{n}.py", fix=long)
        for n in range(4)
    ]
    t.says("t1", stance("request_changes", 0.9), findings=many)
    t.says("t2", stance("approve", 0.9, because=long, would_resolve_if=long))
    t.says("t3", stance("comment", 0.6, because=long))
    return t.says("end", text=long).concluded()


def test_a_large_review_still_fits_a_screen() -> None:
    seen = STYLE.sub("", LINK.sub("", printed(large().debate))).splitlines()
    assert len(seen) <= 24
    assert max(map(len, seen)) <= 80


def hostile() -> Debate:
    named = replace(table().debate.open.material, title=f"Fix {EVIL}")
    t = table(material=named)
    t.says("t1", stance("request_changes", 0.9), text=EVIL, findings=[finding(EVIL, fix=EVIL)])
    t.says("t2", stance("approve", 0.9, because=EVIL, would_resolve_if=EVIL))
    return t.says("t3", "comment").says("end", text=EVIL).concluded().debate


def test_hostile_titles_link_nowhere_and_move_nothing() -> None:
    screen = printed(hostile())
    assert set(LINK.findall(screen)) == {"", PULL, f"{BLOB}/app/db.py#L12"}
    seen = STYLE.sub("", LINK.sub("", screen))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", seen)
    assert "[bold]x[/]" in seen
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", printed(hostile(), plain=True))


def test_a_whole_report_links_lines_and_the_change_only() -> None:
    out = Screen()
    Terminal(out, style=Style.LIVE, width=80).report(export(hostile(), "md"), links=True)
    assert set(LINK.findall(out.getvalue())) == {"", PULL, f"{BLOB}/app/db.py#L12"}


def test_the_title_can_be_clicked() -> None:
    out = Screen()
    Terminal(out, style=Style.LIVE).say(f"Code Review: {EVIL}", url=PULL)
    assert set(LINK.findall(out.getvalue())) == {"", PULL}


def test_plain_is_plain_on_a_terminal_too() -> None:
    out = Screen()
    terminal = Terminal(out, plain=True)
    assert terminal.style is Style.PLAIN
    terminal.say("Paused.", style="bold yellow", url=PULL)
    terminal.report("# Title\n\n**bold** `code`\n")
    assert out.getvalue() == "Paused.\n# Title\n\n**bold** `code`\n"


def test_a_row_that_is_cut_says_so_within_its_width() -> None:
    console = Console(file=io.StringIO(), width=30)
    row = ScreenRow((TextSpan("x" * 28 + " " + "y" * 28 + " " + "z" * 28),), 2)
    lines = [line.plain for line in _lines(console, row, 2)]
    assert lines == ["  " + "x" * 28, "  " + "y" * 27 + "…"]
    assert [line.plain for line in _lines(console, row, 3)][-1] == "  " + "z" * 28
    narrow = Console(file=io.StringIO(), width=15)
    assert [len(line.plain) for line in _lines(narrow, row, 1)] == [22]
