"""SARIF 2.1.0: valid by its schema, each finding once, with its place and its state."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from adapters.review.sarif import sarif
from core.debate.ledger import Fate, SettledBy
from tests.adapters.review.samples import HEAD, injection, leak, material, reviewed
from tests.core.demands import demand
from tests.core.table import Table, agree, dispute, finding, table, withdraw

SCHEMA = json.loads(Path("tests/schemas/sarif-2.1.0.json").read_text("utf-8"))


def checked(log: dict[str, Any]) -> dict[str, Any]:
    Draft7Validator(SCHEMA).validate(log)
    run: dict[str, Any] = log["runs"][0]
    return run


def test_the_findings_with_their_places() -> None:
    run = checked(sarif(reviewed().debate))
    assert run["versionControlProvenance"] == [
        {"repositoryUri": "https://github.com/o/r", "revisionId": HEAD}
    ]
    places = [
        [
            (p["physicalLocation"]["artifactLocation"]["uri"], p["physicalLocation"].get("region"))
            for p in r.get("locations", ())
        ]
        for r in run["results"]
    ]
    assert places == [
        [("app/db.py", {"startLine": 11, "endLine": 11})],
        [("app/db.py", None)],  # a removed line is in no file any more
        [("app/db.py", {"startLine": 12, "endLine": 13})],
    ]
    assert [r["level"] for r in run["results"]] == ["error", "warning", "warning"]
    assert len({r["partialFingerprints"]["debatebot/v1"] for r in run["results"]}) == 3
    assert not any("baselineState" in r for r in run["results"])


def test_a_rerun_says_what_is_new_unchanged_and_absent() -> None:
    earlier = tuple(
        demand(f"e{n}", f"m{n}", "high", 0.9, title, "app/db.py", line, "RIGHT", "x",
                       fate=fate, settled_by=SettledBy.PEOPLE if disputed else None)
        for n, (title, line, fate, disputed) in enumerate(
            [("Kept rows", 11, Fate.SAME, False), ("Open path", None, Fate.GONE, False),
             ("Slow index", 14, Fate.SAME, True)], 1)
    )  # fmt: skip
    t = table(material=material(demands=earlier)).says("t1", "comment").says("end").concluded()
    run = checked(sarif(t.debate))
    by_mark = {r["partialFingerprints"]["debatebot/v1"]: r for r in run["results"]}
    assert {mark: r["baselineState"] for mark, r in by_mark.items()} == {
        "m1": "unchanged",
        "m2": "absent",
        "m3": "unchanged",
    }
    assert (by_mark["m2"]["kind"], by_mark["m2"]["level"]) == ("pass", "none"), "it is gone"
    assert by_mark["m3"]["suppressions"][0]["status"] == "accepted"


def results(t: Table) -> list[tuple[str, str, str]]:
    run = checked(sarif(t.debate))
    assert {r["ruleId"] for r in run["results"]} <= {
        r["id"] for r in run["tool"]["driver"]["rules"]
    }
    return [
        (r["message"]["text"].partition(".")[0], r["level"], r["ruleId"]) for r in run["results"]
    ]


def test_only_what_is_open_and_placed_is_told_and_as_grave_as_it_was_decided() -> None:
    """Findings that were taken back and those that stand nowhere are left out (the path of these is
    prose), and none is an error that need not be fixed.
    """
    t = table(material=material())
    raised = [
        injection(severity="critical"),
        finding("Returns too much", line=14, quote="return row", severity="critical"),
        finding("Everything", severity="critical", path="the whole file", line=3, anchored=False),
    ]
    t.says("t1", "request_changes", findings=raised)
    t.says("t2", "comment", findings=[leak()])
    t.says("t3", "comment", findings=[finding("Slow", line=13, quote="raise KeyError")])
    doubts = [dispute("t2.f1"), dispute("t3.f1")]
    t.says("u1", "request_changes", answers=[withdraw("t1.f2"), *doubts])
    t.says("u2", "comment", answers=[agree("t1.f1"), *doubts[1:]])
    t.says("u3", "comment", answers=doubts[:1])
    assert results(t.says("end").concluded()) == [
        ("The query is built from user input", "error", "finding/critical"),
        ("Slow", "note", "finding/contested"),
        ("The pool is never closed", "note", "finding/contested"),
    ]


def test_what_need_not_be_fixed_is_a_warning_whatever_was_said_of_it() -> None:
    t = table(material=material())
    t.says("t1", "comment", findings=[injection(severity="critical", confidence=0.3)])
    rows = results(t.says("t2", "comment").says("t3", "comment").says("end").concluded())
    assert rows == [("The query is built from user input", "warning", "finding/medium")]


def test_two_results_of_one_title_in_one_file_have_fingerprints_of_their_own() -> None:
    twice = [leak(), replace(leak(), line=90), replace(leak(), line=40)]
    t = table(material=material()).says("t1", "comment", findings=twice)
    t.says("t2", "comment").says("t3", "comment").says("end").concluded()
    run = checked(sarif(t.debate))
    marks = [r["partialFingerprints"]["debatebot/v1"] for r in run["results"]]
    assert len(set(marks)) == 3
    backwards = table(material=material()).says("t1", "comment", findings=twice[::-1])
    backwards.says("t2", "comment").says("t3", "comment").says("end").concluded()
    again = checked(sarif(backwards.debate))["results"]
    assert {r["partialFingerprints"]["debatebot/v1"] for r in again} == set(marks)


def test_an_unfinished_debate_says_so() -> None:
    run = checked(sarif(table(material=material()).debate))
    assert run["invocations"] == [{"executionSuccessful": False}]


@pytest.mark.parametrize("break_it", ["version", "runs"])
def test_the_schema_can_fail(break_it: str) -> None:
    log = sarif(reviewed().debate)
    del log[break_it]
    assert list(Draft7Validator(SCHEMA).iter_errors(log))


def test_a_result_says_by_which_input_where_one_is_named() -> None:
    t = table(material=material())
    t.says("t1", "comment", findings=[injection(), replace(leak(), trigger="")])
    t.says("t2", "comment").says("t3", "comment").says("end").concluded()
    run = checked(sarif(t.debate))
    assert [r["message"]["text"] for r in run["results"]] == [
        "The query is built from user input. name comes from a form",
        "The pool is never closed",
    ]
    assert run["invocations"] == [{"executionSuccessful": True}]
