"""A change in parts is read by the right turns, and people learn which seat read which part."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.posts import posts_for
from core.debate.finding import Finding, Severity
from core.debate.material import Coverage, Hunk, Line, Material, MaterialKind, Part, Read
from core.debate.material.diffs import LEGEND, render
from core.debate.ports import Message
from core.debate.prompting import prompt
from core.debate.prompting.frame import fence
from core.debate.prompting.material import lines_read
from core.debate.prompting.size import EXCERPT, cited_room, material_chars
from core.debate.script import TurnId
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.unread import covered, parts_read
from core.words.outcome import outcome
from tests.core.table import Table, agree, finding, table

CRITICS = ("security_critic", "performance_critic")
TURNS = (
    "t1p1 security_critic task=read about=part:1 independent",
    "t1p2 security_critic task=read about=part:2 independent",
    "t1 security_critic task=open reads=t1p1,t1p2 independent",
    "t2p1 performance_critic task=read about=part:1 independent",
    "t2p2 performance_critic task=read about=part:2 independent",
    "t2 performance_critic task=open reads=t2p1,t2p2 independent",
    "u1 security_critic round=1 reads=t1p1,t1p2,t1,t2p1,t2p2,t2",
    "end chair round=2 reads=t1p1,t1p2,t1,t2p1,t2p2,t2,u1 task=close closing",
)


def hunk(path: str, first: int) -> Hunk:
    lines = tuple(Line("+", f"    {path[0]} = line({n})", new=n) for n in range(first, first + 60))
    return Hunk(path, f"@@ -0,0 +{first},60 @@", lines)


HUNKS = (hunk("a.py", 1), hunk("b.py", 1), hunk("b.py", 100))
PARTS = (
    Part(
        f"Part 1 of 2\n\n=== a.py\n{render(HUNKS[0])}\n=== b.py\n{render(HUNKS[1])}",
        ("a.py", "b.py"),
    ),
    Part(f"Part 2 of 2\n\n=== b.py\n{render(HUNKS[2])}", ("b.py",)),
)
MATERIAL = Material(
    MaterialKind.PULL_REQUEST,
    "Two files",
    f"{LEGEND}\n\nThe change is read in 2 parts:\n- part 1: a.py, b.py\n- part 2: b.py",
    body="Please read.",
    hunks=HUNKS,
    coverage=(Coverage("a.py", Read.FULL), Coverage("b.py", Read.FULL)),
    parts=PARTS,
)


def large() -> Table:
    return table((*CRITICS, "chair:chair"), TURNS, material=MATERIAL)


def a_finding(title: str, path: str, line: int, severity: Severity = Severity.HIGH) -> Finding:
    return finding(
        title, path=path, line=line, severity=severity, quote=f"    {path[0]} = line({line})"
    )


def prompt_of(debate: Debate, turn: str) -> tuple[Message, ...]:
    return prompt(debate, debate.script.turn(TurnId(turn)))


def text(messages: tuple[Message, ...]) -> str:
    return "\n".join(m.text for m in messages)


def test_parts_come_after_what_all_readings_share() -> None:
    debate = large().debate
    one, two, other = (prompt_of(debate, turn) for turn in ("t1p1", "t1p2", "t2p1"))
    assert one[:-1] == other[:-1], "all seats read the same bytes of a part"
    assert one[:2] == two[:2] == prompt_of(debate, "t1")[:2], "and of what stands before the parts"
    assert [m.cache for m in one] == [False, True, True, False, False]
    lines = ("a = line(7)", "b = line(107)")
    assert [line in text(one) for line in lines] == [True, False]
    assert [line in text(two) for line in lines] == [False, True]
    assert "this is part 2 of 2" in two[3].text


def test_an_opening_reads_its_own_findings_with_their_places() -> None:
    t = large().says("t1p1", findings=[a_finding("Boom", "a.py", 7)]).says("t1p2")
    t.says("t2p1", findings=[a_finding("Other", "a.py", 50)]).says("t2p2")
    prompt_text = text(prompt_of(t.debate, "t1"))
    assert "[t1p1] P1, part 1\n| - t1p1.f1 high" in prompt_text
    assert "a = line(7)" in prompt_text
    assert "a = line(30)" not in prompt_text
    assert "Other" not in prompt_text, "what another seat found is not read before"
    assert "You read the change in 2 parts" in prompt_text
    assert "[t1p2]" not in prompt_text, "a part without findings says nothing"
    t.says("t1", "approve").says("t2", "approve")
    later = text(prompt_of(t.debate, "u1"))
    assert [x for x in ("t1p1.f1", "t2p1.f1", "a = line(50)") if x not in later] == []
    assert "You read the change in" not in later


def test_what_is_told_of_many_findings_is_bounded_and_the_gravest_stay() -> None:
    t = large()
    for seat in ("t1", "t2"):
        many = [a_finding(f"{seat} {n} {'x' * 60}", "b.py", 1 + n, Severity.LOW) for n in range(20)]
        t.says(f"{seat}p1", findings=many)
        t.says(f"{seat}p2", findings=[a_finding(f"{seat} grave", "b.py", 110, Severity.CRITICAL)])
        t.says(seat, "approve")
    prompt_text = text(prompt_of(t.debate, "end"))
    assert "t1 grave" in prompt_text
    assert "t2 grave" in prompt_text
    assert "less severe findings of the parts are not repeated]" in prompt_text
    assert len(prompt_text) < 9000


@pytest.mark.parametrize("more", [0, 1])
def test_the_gravest_and_surest_findings_of_parts_are_told_as_long_as_there_is_room(
    more: int,
) -> None:
    each = cited_room(MATERIAL) // 2
    frame = len("b.py") + 40  # what a finding takes in addition to its words
    long = [
        finding(letter * length, path="b.py", line=7, severity=severity, confidence=sure)
        for letter, length, severity, sure in (
            ("l", 3, "low", 1.0),
            ("m", each - frame + more, "high", 0.7),
            ("h", each - frame, "high", 0.8),
        )
    ]
    t = large().says("t1p1", findings=long).says("t1", "comment")
    prompt_text = text(prompt_of(t.debate, "end"))
    assert [one.title in prompt_text for one in long[1:]] == [not more, True]
    assert "t1p1.f1" not in prompt_text, "a milder one is not told instead of it"
    assert f"[{1 + more} less severe findings of the parts are not repeated]" in prompt_text


def test_a_finding_of_a_part_is_answered_and_decides_like_any_other() -> None:
    t = large().says("t1p1", findings=[a_finding("Boom", "a.py", 7, Severity.CRITICAL)])
    t.says("t1p2")
    t.says("t2p1").says("t2p2").says("t1", "request_changes")
    t.says("t2", "comment", answers=[agree("t1p1.f1")])
    assert verdict(t.debate).decision == "request_changes"


def test_whoever_judges_the_whole_reads_more_of_the_places_that_findings_name() -> None:
    lines = tuple(Line("+", f"    total = line({n})", new=n) for n in range(100, 500))
    big = Hunk("a.py", "@@ -0,0 +100,400 @@", lines)
    parts = (Part(render(big), ("a.py",)), Part("Part 2 of 2", ("b.py",)))
    material = replace(MATERIAL, hunks=(big,), parts=parts)
    raised = [a_finding(f"Place {n}", "a.py", 110 + 30 * n) for n in range(10)]
    t = table((*CRITICS, "chair:chair"), TURNS, material=material)
    t.says("t1p1", findings=raised).says("t1", "comment")
    places = len(render(replace(big, lines=lines[7:14])))
    assert (4 * places, 10 * places) < (EXCERPT, cited_room(material))

    def lines_of(turn: str) -> list[int]:
        return [one.line for one in lines_read(t.debate, t.debate.script.turn(TurnId(turn)))]

    each = [[110 + 30 * n + step for step in range(-3, 4)] for n in range(10)]
    assert lines_of("u1") == [line for place in each[:4] for line in place]
    assert lines_of("end") == [line for place in each for line in place]
    assert lines_of("t1p1") == [*range(100, 500)]


@pytest.mark.parametrize("more", [0, 1])
def test_a_place_that_just_fits_is_read_and_a_longer_one_is_counted(more: int) -> None:
    def place(path: str, chars: int) -> Hunk:
        short = Hunk(path, "@@ -0,0 +1,1 @@", (Line("+", "x", new=1),))
        filled = "x" * (chars + 1 - len(f"=== {path}\n{render(short)}"))
        return replace(short, lines=(Line("+", filled, new=1),))

    hunks = (place("a.py", 300), place("b.py", EXCERPT - 300 + more), place("c.py", 50))
    raised = [finding(f"At {h.path}", path=h.path, line=1) for h in hunks[: 2 + more]]
    t = table((*CRITICS, "chair:chair"), TURNS, material=replace(MATERIAL, hunks=hunks))
    t.says("t1", "comment", findings=raised)
    read = [one.path for one in lines_read(t.debate, t.debate.script.turn(TurnId("u1")))]
    assert read == (["a.py", "c.py"] if more else ["a.py", "b.py"])
    prompt_text = text(prompt_of(t.debate, "u1"))
    assert ("[1 more cited places are not repeated here]" in prompt_text) is bool(more)


def test_what_no_seat_read_is_named_and_not_approved() -> None:
    t = large().says("t1p1").fails("t1p2").says("t2p1").fails("t2p2", "refused")
    t.says("t1", "approve").says("t2", "approve").says("u1", "approve")
    t.skips("end").concluded()
    assert [(c.path, c.state, c.reason) for c in covered(t.debate)] == [
        ("a.py", Read.FULL, ""),
        ("b.py", Read.PARTIAL, "no seat read part 2"),
    ]
    decided = outcome(t.debate)
    assert decided["verdict"]["decision"] != "approve"
    assert [p["not_read_by"] for p in decided["material"]["parts"]] == [[], list(CRITICS)]
    missed = "- Not read by security critic and performance critic: part 2 (`b.py`)"
    assert missed in decided["report"]


def test_what_one_seat_missed_is_told_and_counts_as_read() -> None:
    t = large().says("t1p1").fails("t1p2").says("t2p1").says("t2p2")
    t.says("t1", "approve").says("t2", "approve")
    assert [one.missed for one in parts_read(t.debate)] == [(), ("security_critic",)]
    assert covered(t.debate) == MATERIAL.coverage
    assert verdict(t.debate).decision == "approve"


def test_the_thread_is_told_findings_and_not_each_reading() -> None:
    t = large().says("t1p1", findings=[a_finding("Boom", "a.py", 7)])
    events = t.events
    before, after = Table(events[:-1]).debate, t.debate
    assert posts_for(before, events[-1], after) == ()
    t.fails("t1p2", "refused")
    [post] = posts_for(after, t.events[-1], t.debate)
    assert post.title == "security critic did not read part 2 of 2"


def test_the_size_of_a_turn_is_that_of_its_part() -> None:
    debate = large().debate
    size = material_chars(MATERIAL)
    read = {turn.id: size.read_in(turn) for turn in debate.turns}
    for id in ("t1p1", "t1p2"):
        prompt_text = sum(len(m.text) for m in prompt_of(debate, id)[1:3])
        assert read[TurnId(id)] + 400 >= prompt_text
    assert read[TurnId("t1p1")] > read[TurnId("t1p2")] > read[TurnId("t1")] > read[TurnId("u1")]
    assert fence(debate) not in PARTS[0].text
