"""Findings are proven by tests that another party runs and another seat reads."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from core.debate import commands as c
from core.debate import events as e
from core.debate.budget import Budget
from core.debate.commands.decisions import decide
from core.debate.due.proving import owed
from core.debate.errors import ModelError, ModelFailure, Refused
from core.debate.finding import Finding
from core.debate.ledger import Demand
from core.debate.material import Hunk, Line, Scanned
from core.debate.prompting import prompt
from core.debate.proof import (
    MOST_PROOFS,
    Ending,
    Framing,
    ProofRuns,
    ProofTest,
    Standing,
    TestRun,
    TreeName,
    defect_of,
    judge,
)
from core.debate.proof.trees import with_fix, with_lines_put_back
from core.debate.state import Debate, evolve, replay
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.findings.states import PointState, point_states
from core.words.views.verdict.objection import objections
from tests.core.argued import (
    A_TEST,
    CONCEDED,
    SEATS,
    SLOW,
    UNREAL,
    Seats,
    a_finding,
    opens,
    review,
    reviewed,
)
from tests.core.table import finding
from tests.patience import PATIENCE

CORRECT, SECURE, FAST, KEPT, READER = SEATS
FOUND = a_finding(category="security", must_fix=True, fix="Bind it.\n```diff\n-a\n+b\n```")
BLOCKS = opens("request_changes", FOUND)
WRITTEN = ProofTest(**A_TEST | {"text": A_TEST["text"] + "\n"})
PASSED, FAILED = TestRun(Ending.PASSED), TestRun(Ending.FAILED, "AssertionError: 3 != 2", "out")
PROOF = ProofRuns("sandbox", runs={TreeName.HEAD: FAILED, TreeName.BASE: PASSED})
PASSES = ProofRuns("sandbox", runs={TreeName.HEAD: PASSED})
PYTEST = Framing("sandbox", "pytest", "def test_it(): ...", (".py",))


@dataclass
class Runner:
    """Runs tests as told: the results in their order, the last one again and again."""

    results: list[ProofRuns] = field(default_factory=lambda: [PROOF])
    framing: Framing = PYTEST
    orders: list[tuple[ProofTest, Finding]] = field(default_factory=list)
    near: list[str] = field(default_factory=list)

    async def prepare(self, near: str) -> Framing:
        self.near.append(near)
        return self.framing

    async def run(self, test: ProofTest, finding: Finding) -> ProofRuns:
        self.orders.append((test, finding))
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]


def contesting(**says: Any) -> Seats:
    return Seats({SECURE: BLOCKS}, weigh=split, decide=split, **says)


async def proven(
    runner: Runner | None = None, seats: Seats | None = None, **terms: Any
) -> tuple[Debate, Seats, MergedFinding]:
    given = seats or contesting()
    events = review(prove=True, **terms)
    debate, _ = await reviewed(given, events, proves=runner or Runner())
    return debate, given, merge_findings(debate)[0]


def split(role: str, ids: Any) -> Any:
    return (CONCEDED if role == SECURE else UNREAL)(role, ids)


async def test_a_contested_finding_is_proven_and_then_it_blocks() -> None:
    runner = Runner()
    debate, seats, finding = await proven(runner, contesting())
    assert seats.spoke("prove") == [SECURE]
    assert len(seats.spoke("audit")) == 1
    assert seats.spoke("audit") != [SECURE]
    assert runner.near == ["app/db.py"]
    assert runner.orders == [(WRITTEN, finding.wording)]
    assert finding.wording.patch == "-a\n+b"
    assert finding.tested
    assert finding.proof is not None
    assert finding.proof.result.against == "base"
    assert finding.blocking
    assert verdict(debate).decision == "request_changes"
    assert debate.concluded is not None
    without = replace(debate, proofs={})
    assert verdict(without).decision != "request_changes"


async def test_a_seat_that_a_fork_leaves_out_checks_no_test() -> None:
    _, log = await reviewed(contesting(), review(prove=True), proves=Runner())
    at, event = next(
        (n, event)
        for n, event in enumerate(log.events)
        if isinstance(event, e.TurnsAdded) and event.turns[0].task == "audit"
    )
    first, opened, *rest = log.events[:at]
    assert isinstance(opened, e.DebateOpened)
    left_out = replace(opened.terms, without=(event.turns[0].seat,))
    fork = owed(replay([first, replace(opened, terms=left_out), *rest]))
    assert fork is not None
    assert fork.turns[0].task == "audit"
    assert fork.turns[0].seat not in (event.turns[0].seat, SECURE)


async def test_nothing_is_proven_unless_somebody_asks_for_it() -> None:
    runner = Runner()
    debate, _ = await reviewed(contesting(), review(), proves=runner)
    assert not runner.near
    assert not debate.proofs


async def test_without_an_operators_word_nothing_runs() -> None:
    debate, _ = await reviewed(contesting(), review(prove=True))
    assert debate.concluded is not None
    assert debate.framing is not None
    assert "DEBATE_PROVE" in debate.framing.problem
    assert "prove" not in {t.task for t in debate.turns}


async def test_what_nobody_contests_costs_no_proof() -> None:
    runner = Runner()
    seats = Seats(dict.fromkeys(SEATS, BLOCKS))
    debate, _ = await reviewed(seats, review(prove=True), proves=runner)
    assert not runner.near
    assert debate.concluded is not None


async def test_a_proof_cannot_be_voted_or_reworded_away() -> None:
    debate, _, finding = await proven(Runner(), contesting())
    for person in ("ann", "bob", "cyd"):
        for option in ("not_real", "milder"):
            debate = evolve(debate, e.VoteCast(person, option, finding.id))
    voted = merge_findings(debate)[0]
    assert voted.people["milder"] == 3
    assert (voted.state, voted.blocking) == (FindingState.OPEN, True)
    assert voted.wording.severity == "high"
    held = {id: replace(s, answers=()) for id, s in debate.finished.items()}
    gone = merge_findings(replace(debate, finished=held))
    assert gone  # the argument is forgotten, and what is said of a finding does not change a proof


async def test_a_second_test_is_written_with_the_output_of_the_first() -> None:
    runner = Runner([PASSES, PROOF])
    seats = contesting(
        audit=lambda _r, _i: {"text": "", "answers": [{"to": "prove1-again", "position": "agree"}]}
    )
    debate, _, finding = await proven(runner, seats)
    assert seats.spoke("prove") == [SECURE, SECURE]
    assert finding.tested
    prompts = [m.text for t in debate.turns if t.id == "prove1-again" for m in prompt(debate, t)]
    assert any("passes on the change" in text for text in prompts)


@pytest.mark.parametrize(
    ("results", "standing", "reason", "tries"),
    [
        ([PASSES], Standing.REFUTED_INPUT, "passes on the change", 2),
        ([ProofRuns(problem="no sandbox here")], Standing.NO_PROOF, "no sandbox here", 1),
        ([ProofRuns(problem="it is empty", again=True)], Standing.NO_PROOF, "it is empty", 2),
    ],
)
async def test_no_proof_is_never_held_against_a_finding(
    results: list[ProofRuns], standing: Standing, reason: str, tries: int
) -> None:
    seats = contesting()
    debate, _, finding = await proven(Runner(results), seats)
    assert seats.spoke("prove") == [SECURE] * tries
    assert seats.spoke("audit") == []
    assert finding.proof is not None
    assert finding.proof.result.standing is standing
    assert reason in finding.proof.result.reason
    without = merge_findings(replace(debate, proofs={}))[0]
    for name in ("state", "blocking", "fix_by", "disputed_by"):
        assert getattr(finding, name) == getattr(without, name)


@dataclass
class Breaks(Runner):
    error: type[BaseException] = ZeroDivisionError

    async def run(self, test: ProofTest, finding: Finding) -> ProofRuns:
        raise self.error


DISPUTES = [{"to": "prove1", "position": "dispute", "because": "it mocks the code"}]
UNPROVEN: Mapping[str, tuple[Runner, Any, str]] = {
    "another seat disputes it": (
        Runner(),
        {"text": "", "answers": DISPUTES},
        "a seat that read the test disputes it: it mocks the code",
    ),
    "no seat could read it": (Runner(), ModelError(ModelFailure.PROVIDER_DOWN, "down"), ""),
    "the runner breaks": (Breaks(), {}, "ZeroDivisionError"),
    "a library of it cancels itself": (
        Breaks(error=asyncio.CancelledError),
        {},
        "CancelledError",
    ),
}


@pytest.mark.parametrize("name", UNPROVEN)
async def test_a_test_proves_nothing_and_the_debate_goes_on(name: str) -> None:
    runner, audit, reason = UNPROVEN[name]
    async with asyncio.timeout(PATIENCE):
        debate, _, finding = await proven(runner, contesting(audit=lambda _r, _i: audit))
    assert debate.concluded is not None
    assert not finding.tested
    assert finding.proof is not None
    assert reason in finding.proof.result.reason


async def test_a_debate_that_died_is_proven_to_the_same_end() -> None:
    seats = contesting()
    debate, log = await reviewed(seats, review(prove=True), proves=Runner())
    for at in range(3, len(log.events), 5):
        again, _ = await reviewed(seats, list(log.events[:at]), proves=Runner())
        assert [t.id for t in again.turns] == [t.id for t in debate.turns], at
        assert verdict(again).decision == verdict(debate).decision


async def test_a_stop_ends_a_proof_that_runs() -> None:
    seats = contesting()
    _, log = await reviewed(seats, review(prove=True), proves=Runner())
    at = next(n for n, event in enumerate(log.events) if isinstance(event, e.ProofRun))
    running = replay(log.events[:at])
    (stop,) = decide(running, c.Stop("ann"))
    runner = Runner()
    stopped, _ = await reviewed(seats, [*log.events[:at], stop], proves=runner)
    assert stopped.concluded is not None
    assert not runner.orders


HEAD, BASE, FIX, BACK = TreeName.HEAD, TreeName.BASE, TreeName.FIX, TreeName.PUT_BACK
RED, GREEN, LOST = Ending.FAILED, Ending.PASSED, Ending.NOT_RUN
NO = Standing.NO_PROOF
RULES: Mapping[str, tuple[Mapping[TreeName, Ending], Standing, str]] = {
    "flips": ({HEAD: RED, BASE: GREEN, BACK: GREEN}, Standing.PROVEN, "base"),
    "flips with the fix": ({HEAD: RED, BASE: LOST, FIX: GREEN}, Standing.PROVEN, "fix"),
    "flips elsewhere": ({HEAD: RED, BASE: GREEN, BACK: RED}, NO, ""),
    "skipped on the base": ({HEAD: RED, BASE: Ending.SKIPPED}, NO, ""),
    "fails on both": ({HEAD: RED, BASE: RED}, NO, ""),
    "import error": ({HEAD: LOST, BASE: GREEN}, NO, ""),
    "an error": ({HEAD: Ending.RAISED, BASE: GREEN}, NO, ""),
    "too slow": ({HEAD: Ending.LIMIT, BASE: GREEN}, NO, ""),
    "passes": ({HEAD: GREEN, BASE: GREEN}, Standing.REFUTED_INPUT, ""),
    "nothing": ({}, NO, ""),
    "only the change": ({HEAD: RED}, NO, ""),
}


@pytest.mark.parametrize("name", RULES)
def test_the_rule(name: str) -> None:
    endings, standing, against = RULES[name]
    result = judge(ProofRuns(runs={tree: TestRun(ending) for tree, ending in endings.items()}))
    assert (result.standing, result.against) == (standing, against)
    assert bool(result.reason) is (standing is not Standing.PROVEN)


def test_a_fix_takes_the_place_of_its_lines() -> None:
    text = "def a():\n    return 1\n\ndef b():\n    return 1\n"
    fix = "-return 1\n+return 2"
    assert with_fix(text, fix, 5) == "def a():\n    return 1\n\ndef b():\n    return 2\n"
    assert with_fix(text, fix, 1) == "def a():\n    return 2\n\ndef b():\n    return 1\n"
    assert with_fix(text, fix, 3) == with_fix(text, fix, 1)
    assert with_fix(text, fix, 4) == with_fix(text, fix, 5)
    assert with_fix("x = 1\nx = 1", "-x = 1\n+x = 2", None) == "x = 2\nx = 1"
    assert with_fix("if a:\n    b = 1  ", "-b = 1\n+b = 2", 2) == "if a:\n    b = 2"
    assert with_fix(text, "-return 3\n+return 2", 1) is None
    assert with_fix(text, "+return 2", 1) is None
    assert with_fix(text, "words", 1) is None


def test_lines_are_put_back_where_the_finding_is() -> None:
    rest = "\n".join(map(str, range(30)))
    before, now = f"a\n{rest}\nb", f"A\n{rest}\nB"
    assert with_lines_put_back(before, now, 1, "RIGHT") == f"a\n{rest}\nB"
    assert with_lines_put_back(before, now, 30, "RIGHT") == f"A\n{rest}\nb"
    assert with_lines_put_back(before, before, 1, "RIGHT") is None
    assert with_lines_put_back(before, now, None, "RIGHT") == before
    assert with_lines_put_back("a\nb\nc", "a\nc", 2, "LEFT") == "a\nb\nc"
    alike = "x\n" * 210
    assert with_lines_put_back(f"a\n{alike}b", f"A\n{alike}B", 1, "RIGHT") == f"a\n{alike}B"


@pytest.mark.parametrize(
    ("was", "became", "between", "place", "back"),
    [
        ("a\n", "A\n", 11, "2 RIGHT", "first last"),
        ("a\n", "A\n", 12, "2 RIGHT", "first"),
        ("a\n", "A\n", 11, "12 RIGHT", "first last"),
        ("a\n", "A\n", 12, "13 RIGHT", "last"),
        ("a\nb\nc\n", "A\nB\nC\n", 11, "4 RIGHT", "first last"),
        ("a\nb\nc\n", "A\nB\nC\n", 12, "4 RIGHT", "first"),
        ("a\nb\nc\n", "A\nB\nC\n", 12, "1 RIGHT", "first"),
        ("a\nb\n", "", 10, "1 RIGHT", "first last"),
        ("a\nb\n", "", 11, "1 RIGHT", "first"),
        ("a\n" * 20, "", 5, "1 RIGHT", "first last"),
        ("a\n" * 20, "", 5, "1 LEFT", "first"),
        ("a\n" * 20, "", 5, "10 LEFT", "first"),
    ],
)
def test_changes_at_most_ten_lines_further_than_the_nearest_are_put_back_with_it(
    was: str, became: str, between: int, place: str, back: str
) -> None:
    line, side = place.split()
    rest = "\n".join(map(str, range(between)))
    wanted = f"{was if 'first' in back else became}{rest}\n{'z' if 'last' in back else 'Z'}"
    made = with_lines_put_back(f"{was}{rest}\nz", f"{became}{rest}\nZ", int(line), side)
    assert made == wanted


GOOD = "def test_it():\n    assert 1\n"
REFUSED = {
    "an absolute path": ("/etc/test_x.py", "test_it", GOOD),
    "a path that leads out": ("../test_x.py", "test_it", GOOD),
    "a hidden folder": (".git/hooks/test_x.py", "test_it", GOOD),
    "a long path": (f"tests/{'x' * 192}.py", "test_it", GOOD),
    "a deep path": (f"{'t/' * 12}x.py", "test_it", GOOD),
    "an option": ("tests/--help.py", "test_it", GOOD),
    "a name that is none": ("tests/test_x.py", "test_it; rm -rf /\n", GOOD),
    "an exit": ("tests/test_x.py", "test_it", "import os\nos._exit(1)\n"),
    "another exit": ("t/x.test.js", "it", "process.exit(1)"),
    "an imported exit": ("tests/test_x.py", "test_it", "from os import (path,\n  _exit)\n_exit(1)"),
    "a renamed exit": ("tests/test_x.py", "test_it", "import sys, os as o\n\no._exit(1)"),
    "an exit by its name": ("tests/test_x.py", "test_it", "getattr(os, '_exit')(1)"),
    "an exit without import": ("tests/test_x.py", "test_it", "__import__('os')._exit(1)"),
    "another program": ("tests/test_x.py", "test_it", "os.execv('/bin/sh', ['sh'])"),
    "the report": ("tests/test_x.py", "test_it", "open('/tmp/report/report')"),
    "the framework": ("tests/test_x.py", "test_it", "def pytest_runtest_makereport(): ..."),
    "a skip": ("tests/test_x.py", "test_it", "import pytest\npytest.skip()"),
    "nothing": ("tests/test_x.py", "test_it", " "),
    "too much": ("tests/test_x.py", "test_it", "x" * 20_000),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_test_that_reaches_for_what_judges_it_is_not_run(name: str) -> None:
    assert defect_of(ProofTest(*REFUSED[name]))
    for path in ("tests/test_x.py", f"tests/{'x' * 191}.py", f"{'t/' * 11}x.py"):
        assert not defect_of(ProofTest(path, "test_it[a-1]", GOOD))


def test_a_method_that_is_named_like_an_exit_is_run() -> None:
    text = "def test_it():\n    assert Gate()._exit() is None\n    assert gate.execute('x')\n"
    assert defect_of(ProofTest("tests/test_x.py", "test_it", text)) == ""


async def test_a_person_has_a_finding_proven_after_the_verdict() -> None:
    seats = contesting()
    debate, log = await reviewed(seats, review())
    assert debate.concluded is not None
    before = verdict(debate).decision
    finding = merge_findings(debate)[0]
    events = decide(debate, c.Prove("bob", finding.id))
    runner = Runner()
    again, _ = await reviewed(seats, [*log.events, *events], proves=runner)
    assert again.concluded is not None
    assert merge_findings(again)[0].tested
    assert (before, verdict(again).decision) == ("comment", "request_changes")
    assert decide(again, c.Prove("cyd", finding.id)) == ()
    assert objections(again) == ()


@pytest.mark.parametrize("framed", [True, False])
async def test_what_cannot_be_run_is_said_and_the_verdict_stays(framed: bool) -> None:
    seats = contesting()
    debate, log = await reviewed(seats, review())
    events = decide(debate, c.Prove("bob"))
    runner = Runner(framing=Framing(problem="no sandbox here")) if framed else None
    again, _ = await reviewed(seats, [*log.events, *events], proves=runner)
    assert again.concluded is not None
    assert again.framing is not None
    assert again.framing.problem
    assert seats.spoke("prove") == []
    assert verdict(again).decision == verdict(debate).decision


async def test_a_person_names_a_finding_while_the_debate_runs() -> None:
    seats = contesting()
    _, log = await reviewed(seats, review())
    at = next(n for n, x in enumerate(log.events) if isinstance(x, e.TurnsAdded))
    running = replay(log.events[:at])
    events = decide(running, c.Prove("bob", merge_findings(running)[0].id))
    assert [type(x) for x in events] == [e.ProofAsked]
    ended, _ = await reviewed(seats, [*log.events[:at], *events], proves=Runner())
    assert merge_findings(ended)[0].tested


async def test_a_finding_of_two_seats_is_proven_once() -> None:
    seats = Seats({SECURE: BLOCKS, FAST: BLOCKS}, weigh=split, decide=split)
    debate, _, finding = await proven(None, seats)
    assert len(finding.ids) == 2
    assert finding.tested
    with pytest.raises(Refused, match="written for that finding already"):
        decide(debate, c.Prove("bob", finding.ids[-1]))


REPORT = Scanned("scan.f1", "ruff S608", "high", FOUND["title"], "app/db.py", 13, FOUND["quote"])
BEFORE = Demand("m1", finding(id="e1", line=13, quote=FOUND["quote"]), 13)
ALONE = replace(REPORT, title="Rows are never closed", line=14, quote="")


def with_reports(events: list[e.Event], **material: Any) -> list[e.Event]:
    request, opened = events
    assert isinstance(opened, e.DebateOpened)
    return [request, replace(opened, material=replace(opened.material, **material))]


@pytest.mark.parametrize("material", [{"scanned": (REPORT,)}, {"demands": (BEFORE,)}])
async def test_a_seat_writes_the_test_of_what_others_reported_first(material: Any) -> None:
    seats = contesting()
    debate, _ = await reviewed(seats, with_reports(review(prove=True), **material), proves=Runner())
    assert debate.concluded is not None
    assert seats.spoke("prove") == [SECURE]


class SlowRunner(Runner):
    async def run(self, test: ProofTest, finding: Finding) -> ProofRuns:
        for _ in range(20):
            await asyncio.sleep(0)
        return await super().run(test, finding)


async def test_a_test_is_run_to_its_end_while_a_person_writes_another() -> None:
    """The seats that hold the two findings write a test each; the second one is a person's."""

    def two_hold(role: str, ids: Any) -> Any:
        return (CONCEDED if role in (SECURE, FAST) else UNREAL)(role, ids)

    slow = opens("request_changes", FOUND | SLOW)
    seats = Seats({SECURE: BLOCKS, FAST: slow}, weigh=two_hold, decide=two_hold)
    _, log = await reviewed(seats, review(prove=True), proves=Runner())
    (at,) = (
        n
        for n, x in enumerate(log.events)
        if isinstance(x, e.TurnsAdded) and x.turns[0].task == "prove"
    )
    first, opened, *rest = log.events[: at + 1]
    assert isinstance(opened, e.DebateOpened)
    script = opened.script
    person = next(s.id for s in script.seats if s.role == FAST)
    held = replace(opened.terms, held={person: e.Holder("shell:ann")}, patience=3600.0)
    runner = SlowRunner()
    rests, _ = await reviewed(seats, [first, replace(opened, terms=held), *rest], proves=runner)
    assert rests.rests
    assert [turn.seat for turn in rests.awaited] == [person]
    assert len(rests.proofs) == len(runner.orders) == 1


async def test_what_no_seat_holds_is_not_proven_whoever_asks() -> None:
    debate, log = await reviewed(Seats(), with_reports(review(), scanned=(ALONE,)))
    with pytest.raises(Refused, match="No seat at the table holds that finding now"):
        decide(debate, c.Prove("bob", "scan.f1"))
    with pytest.raises(Refused, match="no such finding"):
        decide(debate, c.Prove("bob", "t9.f9"))
    with pytest.raises(Refused, match="No finding is open"):
        decide(debate, c.Prove("bob"))
    stored = (e.ProofAsked("bob", "scan.f1"), e.DebateReopened("proof:scan.f1", "bob"))
    again, _ = await reviewed(Seats(), [*log.events, *stored], proves=Runner())
    assert again.concluded is not None


async def test_a_finding_that_people_reject_is_not_proven() -> None:
    debate, _ = await reviewed(contesting(), review())
    (finding,) = merge_findings(debate)
    for person in ("ann", "bob", "cyd"):
        debate = evolve(debate, e.VoteCast(person, "not_real", finding.id))
    with pytest.raises(Refused, match="That finding is not open"):
        decide(debate, c.Prove("bob", finding.id))


TAKEN_BACK = {"text": "I looked.", "test": {}, "withdraw": "name is checked two lines above"}


async def test_the_holder_withdraws_a_finding_instead_of_proving_it() -> None:
    seats = contesting(prove=lambda _r, _i: TAKEN_BACK)
    debate, _, finding = await proven(Runner(), seats)
    assert seats.spoke("prove") == [SECURE]
    assert seats.spoke("audit") == []
    assert finding.state is FindingState.WITHDRAWN
    assert point_states(debate)[finding.id] is PointState.WITHDRAWN
    assert not finding.blocking
    assert finding.proof is not None
    assert "withdraws it: name is checked two lines above" in finding.proof.result.reason


async def test_a_refuted_finding_is_withdrawn_when_its_author_is_asked_again() -> None:
    says = iter([{"text": "A test.", "test": A_TEST}, TAKEN_BACK])
    _, _, finding = await proven(Runner([PASSES]), contesting(prove=lambda _r, _i: next(says)))
    assert finding.state is FindingState.WITHDRAWN
    assert finding.proof is not None
    assert finding.proof.result.standing is Standing.REFUTED_INPUT


@pytest.mark.parametrize("words", ["no", "", False])
async def test_a_test_counts_if_nothing_is_withdrawn(words: object) -> None:
    says = {"text": "A test.", "test": A_TEST, "withdraw": words}
    _, _, finding = await proven(Runner(), contesting(prove=lambda _r, _i: says))
    assert finding.tested


async def test_the_writer_knows_the_tools_of_the_tests_environment() -> None:
    framing = replace(PYTEST, tools="the packages attrs, numpy; but not gcc")
    debate, _, _ = await proven(Runner(framing=framing))
    (turn,) = [t for t in debate.turns if t.task == "prove"]
    assert any(
        "It runs with the packages attrs, numpy; but not gcc" in m.text
        for m in prompt(debate, turn)
    )


def costing(**usd: float) -> Budget:
    return Budget(cost=lambda _debate, turn, _model: usd.get(turn.task, 0.01))


@pytest.mark.parametrize(
    ("usd", "spoke", "reason"),
    [
        ({"prove": 0.51}, [], "no test was written: it might cost more than $0.50"),
        ({"prove": 0.3, "audit": 0.3}, ["prove"], "read the test: it might cost more than $0.50"),
        ({"prove": 0.3, "audit": 0.1}, ["prove", "audit"], ""),
    ],
)
async def test_a_proof_that_might_cost_more_than_half_a_dollar_is_not_begun(
    usd: dict[str, float], spoke: list[str], reason: str
) -> None:
    seats = contesting()
    spent, budget = usd.get("prove", 0.0), costing(**usd)
    debate, _ = await reviewed(seats, review(prove=True), spent, proves=Runner(), budget=budget)
    assert debate.concluded is not None
    assert [task for task in seats.tasks() if task in ("prove", "audit")] == spoke
    (finding,) = merge_findings(debate)
    assert finding.proof is not None
    assert reason in finding.proof.result.reason
    assert finding.tested is not bool(reason)


DEFECTS = {
    "pool.py": ("The connection is never closed", "pool = connect(address)"),
    "names.py": ("Greek letters pass as identifiers", "return name.isidentifier()"),
    "mail.py": ("A header may be injected by a line break", "header = f'To: {to}'"),
    "files.py": ("The archive is unpacked outside its folder", "archive.extractall(target)"),
    "hash.py": ("Passwords are stored with a weak digest", "stored = md5(password)"),
}


async def test_three_findings_of_a_review_are_proven_at_most() -> None:
    lines = {path: Line("+", quote, None, 1) for path, (_, quote) in DEFECTS.items()}
    hunks = tuple(Hunk(path, "@@ -0,0 +1 @@", (line,)) for path, line in lines.items())
    text = "\n".join(f"=== {path}\n    1 + {line.text}" for path, line in lines.items())
    first, opened = review(prove=True)
    assert isinstance(opened, e.DebateOpened)
    opened = replace(opened, material=replace(opened.material, text=text, hunks=hunks))
    raised = [
        a_finding(title, path=path, line=1, quote=quote, category="security", must_fix=True)
        for path, (title, quote) in DEFECTS.items()
    ]
    seats = contesting()
    seats.openings = {SECURE: opens("request_changes", *raised)}
    debate, _ = await reviewed(seats, [first, opened], proves=Runner([PASSES]))
    assert debate.concluded is not None
    tried = {t.about for t in debate.turns if t.task == "prove"}
    assert (len(merge_findings(debate)), len(tried)) == (5, MOST_PROOFS)
    left = next(m for m in merge_findings(debate) if m.proof is None)
    with pytest.raises(Refused, match="At most 3 findings"):
        decide(debate, c.Prove("bob", left.id))
