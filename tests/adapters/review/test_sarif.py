"""SARIF 2.1.0: valid by its schema, each finding once, with its place and its state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from adapters.review.sarif import sarif
from core.material import EarlierFinding, Fate
from tests.adapters.review.samples import HEAD, material, reviewed
from tests.core.table import table

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
        [],
    ]
    assert [r["level"] for r in run["results"]] == ["error", "warning", "warning", "note"]
    assert len({r["partialFingerprints"]["debatebot/v1"] for r in run["results"]}) == 4
    assert not any("baselineState" in r for r in run["results"])


def test_a_rerun_says_what_is_new_unchanged_and_absent() -> None:
    earlier = tuple(
        EarlierFinding(f"e{n}", f"m{n}", "high", 0.9, title, "app/db.py", line, "RIGHT", "x",
                       fate=fate, disputed=disputed)
        for n, (title, line, fate, disputed) in enumerate(
            [("Kept rows", 11, Fate.SAME, False), ("Open path", None, Fate.GONE, False),
             ("Slow index", 14, Fate.SAME, True)], 1)
    )  # fmt: skip
    t = table(material=material(earlier=earlier)).says("t1", "comment").says("end").concluded()
    run = checked(sarif(t.debate))
    told = {r["partialFingerprints"]["debatebot/v1"]: r for r in run["results"]}
    assert {mark: r["baselineState"] for mark, r in told.items()} == {
        "m1": "unchanged",
        "m2": "absent",
        "m3": "unchanged",
    }
    assert told["m3"]["suppressions"][0]["status"] == "accepted"


def test_an_unfinished_debate_says_so() -> None:
    run = checked(sarif(table(material=material()).debate))
    assert run["invocations"] == [{"executionSuccessful": False}]


@pytest.mark.parametrize("break_it", ["version", "runs"])
def test_the_schema_can_fail(break_it: str) -> None:
    log = sarif(reviewed().debate)
    del log[break_it]
    assert list(Draft7Validator(SCHEMA).iter_errors(log))
