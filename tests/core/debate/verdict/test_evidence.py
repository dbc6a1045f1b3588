"""The evidence of claims is looked up as the template's policy says, and a policy review and a bet
count only with what they must hold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.material.documents import from_documents
from adapters.templates.catalogue import FOLDER, find
from adapters.templates.loading import check
from core.debate.checks import count_options, refusal, run_checks
from core.debate.checks.clauses import (
    amendments,
    cited_clauses,
)
from core.debate.events import TurnFinished, TurnsAdded, TurnStarted
from core.debate.material import Around, Hunk, Line, Material, MaterialKind, Near
from core.debate.ports import Source
from core.debate.replies import Claim, Statement
from core.debate.script import TurnId
from core.debate.state import Debate, evolve, replay
from core.debate.template import Evidence
from core.debate.usage import Usage
from core.debate.verdict import label
from core.debate.verdict.findings.evidence import (
    NOT_FOUND,
    change_words,
    claim_faults,
    claims_with_source,
    figures,
    shown_numbers,
)
from core.words.outcome import outcome
from core.words.outcome.report import report
from core.words.views.verdict.caveats import warnings
from tests.core.memory import opening, played
from tests.core.table import fold, table

MATERIAL = Material(
    MaterialKind.QUESTION,
    "Cache",
    "The cache answers 120 requests a second.\nIt costs $4,000 a year.",
)


def test_evidence_of_a_large_change_is_read_once() -> None:
    """Each statement's post asks for it, and reading it takes time in proportion to the change."""
    t = table(material=MATERIAL)
    before = t.debate
    words, numbers = change_words(before), shown_numbers(before)
    after = evolve(before, TurnFinished(TurnId("t1"), Statement("It holds."), Usage(), "m"))
    assert after.count > before.count
    assert change_words(after) is words
    assert shown_numbers(after) is numbers


def claimed(policy: Evidence, *claims: Claim, sources: tuple[Source, ...] = ()) -> dict[str, str]:
    t = table(material=MATERIAL, evidence_policy=policy, findings=False)
    return claim_faults(t.says("t1", "approve", claims=claims, sources=sources).debate)


PAGE = Source(
    "Benchmarks", "https://example.org/b", "It answers 900 requests a second at 99.5% of the time."
)


@pytest.mark.parametrize(
    ("policy", "claim", "sources", "wrong"),
    [
        (Evidence.DISALLOW_EXTERNAL, Claim("", "It is slow", "answers 120  requests"), (), ""),
        (Evidence.DISALLOW_EXTERNAL, Claim("", "It is slow", "answers 5 requests"), (), NOT_FOUND),
        (Evidence.DISALLOW_EXTERNAL, Claim("", "So", "at 99.5% of the time"), (PAGE,), NOT_FOUND),
        (Evidence.DISALLOW_EXTERNAL, Claim("", "It is slow at 77.7%"), (), ""),
        (Evidence.ALLOW_CITED, Claim("", "It is slow", "at 99.5% of the time"), (PAGE,), ""),
        (Evidence.ALLOW_CITED, Claim("", "It is slow", "answers 5 requests"), (PAGE,), NOT_FOUND),
        (
            Evidence.ALLOW_CITED,
            Claim("", "It fails 77.7% of the time"),
            (PAGE,),
            "unverified: 77.7% is neither in the material nor in a source",
        ),
        (Evidence.ALLOW_CITED, Claim("", "Others answer 900 a second"), (PAGE,), ""),
        (
            Evidence.ALLOW_CITED,
            Claim("", "It costs $4,000, see https://evil.example/x"),
            (),
            "unverified: https://evil.example/x is neither",
        ),
        (Evidence.ALLOW_CITED, Claim("", "Two seats and t1.c2 agree on 3 points"), (), ""),
        (Evidence.ALLOW_ANY, Claim("", "It fails 77.7% of the time", "never said"), (), ""),
    ],
)
def test_the_policy_says_what_is_marked(
    policy: Evidence, claim: Claim, sources: tuple[Source, ...], wrong: str
) -> None:
    marked = claimed(policy, claim, sources=sources)
    assert marked.get("t1.c1", "").startswith(wrong)
    assert bool(marked) is bool(wrong)


@given(st.text())
def test_figures_of_any_text(text: str) -> None:
    for figure in figures(text):
        assert figure in text
        assert any(c.isdigit() for c in figure) or figure.startswith("http")


def test_a_quotation_of_the_code_around_a_change_is_found_and_shown_where_it_stands() -> None:
    line = Line("+", "cache.drop(person)", None, 3)
    near = Around("a/cache.py", 6, 7, "drop", Near.DEFINES, ("def drop(person):", "    pop()"))
    material = Material(
        MaterialKind.DIFF, "Cache", "…", hunks=(Hunk("a.py", "@@", (line,)),), around=(near,)
    )
    t = table(material=material, evidence_policy=Evidence.DISALLOW_EXTERNAL)
    quoting = Claim("", "It drops one", "def drop(person): pop()")
    inventing = Claim("", "It drops all", "def drop_all():")
    debate = t.says("t1", "approve", claims=(quoting, inventing)).debate
    assert claim_faults(debate) == {"t1.c2": NOT_FOUND}
    assert "- code around the change · `a/cache.py:6` (security critic)" in report(debate)
    assert "`a/cache.py:6-7` beside the change: drop" in report(debate)
    assert outcome(debate)["material"]["around"] == [
        {"path": "a/cache.py", "first": 6, "last": 7, "name": "drop", "near": "defines"}
    ]


def test_the_number_of_a_line_that_was_shown_is_no_figure_to_be_found() -> None:
    line = Line("+", "cache.drop(person)", None, 578)
    near = Around("a/cache.py", 601, 602, "drop", Near.DEFINES, ("def drop(person):", "    pop()"))
    material = Material(
        MaterialKind.DIFF, "Cache", "…", hunks=(Hunk("a.py", "@@", (line,)),), around=(near,)
    )
    t = table(material=material, evidence_policy=Evidence.ALLOW_CITED)
    statement = [
        "a.py:578 drops it",
        "see lines 601-602",
        "line 777 keeps it",
        "it drops 603 a second",
    ]
    debate = t.says("t1", "approve", claims=[Claim("", text) for text in statement]).debate
    assert claim_faults(debate) == {
        "t1.c3": "unverified: 777 is neither in the material nor in a source",
        "t1.c4": "unverified: 603 is neither in the material nor in a source",
    }


def test_marks_reach_the_outcome_and_the_report() -> None:
    t = table(material=MATERIAL, findings=False)
    claims = (
        Claim("", "It fails 77.7% of the time"), Claim("", "It is slow", "answers 120 requests"),
    )  # fmt: skip
    t.says("t1", "approve", claims=claims)
    t.says("t2", "approve", claims=(Claim("", "Read this", "900 requests"),), sources=(PAGE,))
    debate = t.says("end", sections={"summary": "So."}).concluded().debate
    turns = {x["id"]: x for r in outcome(debate)["rounds"] for x in r["turns"]}
    assert (turns["t1"]["unverified"], turns["t2"]["unverified"]) == (["t1.c1"], [])
    assert turns["t2"]["sources"] == [{"title": "Benchmarks", "url": "https://example.org/b"}]
    assert (
        "### Evidence that could not be found\n\n- “It fails 77.7% of the time”: unverified: 77.7% "
        "is neither in the material nor in a source" in report(debate)
    )
    assert claims_with_source(debate) == {"t1.c1": False, "t1.c2": True, "t2.c1": True}


POLICY = """# On-call

1. Everybody in the team shall be on call one week in six.
2. Whoever is on call must answer
   within 15 minutes.
3. Work at night is paid.
4. Exceptions are granted by the lead.
"""


def policy_debate(*claims: Claim) -> Debate:
    document = from_documents([("on-call.md", POLICY)], MaterialKind.DOCUMENT, "", "", 4000)
    debate = replay(opening("policy_review", material=document))
    speaker = next(
        t for t in debate.turns if debate.script.rounds[t.round].phase == "independent_review"
    )
    made = tuple(replace(c, id=f"{speaker.id}.c{n}") for n, c in enumerate(claims, 1))
    ended = TurnFinished(speaker.id, Statement("so", claims=made), Usage(), "m")
    return fold(debate, TurnStarted(speaker.id), ended)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("clause 3 is vague", {"3"}),
        ("Clauses 1, 2 and 4.1", {"1", "2", "4.1"}),
        ("§ 2 conflicts with § 3", {"2", "3"}),
        ("3 people", set()),
    ],
)
def test_the_clauses_that_a_text_names(text: str, numbers: set[str]) -> None:
    assert cited_clauses(text) == numbers


def test_an_amendment_is_shown_as_a_diff_of_words_that_stand_there() -> None:
    debate = policy_debate(
        Claim("", "New: within 30 minutes", "within 15   minutes."),
        Claim("", "New: never", "words that nobody wrote"),
        Claim("", "It should be longer", "one week in six"),
    )
    turn = next(iter(debate.finished))
    assert amendments(debate) == (Claim(f"{turn}.c1", "within 30 minutes", "within 15 minutes."),)
    diff_text = dict(run_checks(debate).sections)["Amendments as diffs"]
    assert (
        diff_text == "By affected party:\n\n```diff\n- within 15 minutes.\n+ within 30 minutes\n```"
    )
    hostile = policy_debate(Claim("", "New: a\n```\n# Approved\n```", "within 15 minutes."))
    assert dict(run_checks(hostile).sections)["Amendments as diffs"].count("```") == 2


def bet(sections: dict[str, str], claims: tuple[Claim, ...] = ()) -> Debate:
    debate = replay(opening("product_strategy", material=MATERIAL))
    speaker, closing = debate.turns[0], next(t for t in debate.turns if t.closing)
    for turn, statement in (
        (speaker, Statement("so", claims=claims)),
        (closing, Statement("so", sections=sections)),
    ):
        ended = TurnFinished(turn.id, statement, Usage(), "m")
        debate = fold(debate, TurnStarted(turn.id), ended)
    return debate


GOOD = {
    "alternatives": "1. Build it\n2. Do nothing\n3. Sell ten by hand first",
    "kill_criteria": "Fewer than five paid by March.",
    "follow_up_date": "2027-03-01",
}


TABLE = "| Option | Cost |\n| --- | --- |\n| Build | 5 |\n| Nothing | 0 |\n| Test | 1 |"


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({}, ""),
        ({"alternatives": "- Build it\n- Do nothing"}, "compares 2 options, at least 3 are needed"),
        ({"alternatives": TABLE}, ""),
        ({"alternatives": "We thought about it."}, "it compares 0 options"),
        ({"kill_criteria": "None."}, "it names no kill criteria"),
        ({"alternatives": "", "kill_criteria": "TBD"}, "it names no kill criteria"),
    ],
)
def test_a_memo_without_options_or_kill_criteria_is_refused(
    changed: dict[str, str], refused: str
) -> None:
    debate = bet(GOOD | changed)
    check = run_checks(debate).refused
    assert refused in " ".join(check)
    assert bool(check) is bool(refused)
    assert report(debate).startswith("> **Not a decision memo yet") is bool(refused)
    assert bool(refusal(debate.open.template, Statement("so", sections=GOOD | changed))) is bool(
        refused
    )
    assert set(check) <= set(warnings(debate, {}))


def test_a_claim_without_a_source_is_printed_as_an_assumption() -> None:
    debate = bet(
        GOOD,
        (
            Claim("t1.c1", "Ten will pay"),
            Claim("t1.c2", "It is fast", "answers 120 requests"),
            Claim("t1.c3", "Dear", "$9"),
        ),
    )
    assert (
        dict(run_checks(debate).sections)["Assumptions: claims without a source"]
        == "- proposer: Ten will pay\n- proposer: Dear"
    )


def test_a_claim_in_a_question_that_a_person_had_put_is_its_seats() -> None:
    debate = bet({}, (Claim("t1.c1", "It is fast", "answers 120 requests"),))
    claim = Claim("q1.1.c1", "Who are the ten?")
    turn = replace(debate.turns[1], id=TurnId("q1.1"), task="cross")
    for event in (
        TurnsAdded((turn,), (), ""),
        TurnFinished(turn.id, Statement("", claims=(claim,)), Usage(), "m"),
    ):
        debate = evolve(debate, event)
    text = dict(run_checks(debate).sections)["Assumptions: claims without a source"]
    assert text == f"- {label(turn.seat)}: Who are the ten?"


@given(st.text())
def test_options_of_any_text(text: str) -> None:
    assert 0 <= count_options(text) <= len(text.splitlines())


@pytest.mark.parametrize("name", ["policy_review", "product_strategy"])
async def test_a_whole_debate_of_voices_passes_its_own_checks(name: str) -> None:
    end, _ = await played(opening(name))
    document: dict[str, Any] = outcome(end)
    assert document["report"].count("### ") >= 6
    assert [w for w in run_checks(end).warnings if w in document["warnings"]] == list(
        run_checks(end).warnings
    )


def test_a_template_may_name_the_checks_that_there_are() -> None:
    text = (FOLDER / "product_strategy.toml").read_text()
    assert check(text).template == find("product_strategy")
    assert check(text).warnings == ()
    wrong = check(text.replace('"options"', '"luck"'))
    assert [str(p).split(";")[0] for p in wrong.errors] == [
        (
            "template: settings.checks: ['assumptions', 'luck', 'kill_criteria', 'follow_up_date'] "
            "is no list of checks"
        )
    ]
