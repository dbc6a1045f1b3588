"""A scanner's results beside a change, from a SARIF file."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from adapters.material import LibrarySettings, MaterialLibrary
from adapters.material.evidence import MOST, reported
from adapters.redaction import shared
from core.errors import BadInput, CouldNotFinish
from core.material import Hunk, Material, Scanned
from tests.adapters.material.conftest import settings_for
from tests.standins.github import GitHubStandIn, Pull

DIFF = b"""diff --git a/app/store.py b/app/store.py
--- a/app/store.py
+++ b/app/store.py
@@ -1,2 +1,3 @@
 import cache
-x = 1
+x = eval(request)
+y = 2
"""
HUNKS: tuple[Hunk, ...] = tuple(h for f in parse(DIFF, shared()).files for h in f.hunks)


def result(line: int = 2, uri: str = "app/store.py", **more: Any) -> dict[str, Any]:
    where = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    told = {"ruleId": "eval", "message": {"text": "eval of input"}}
    return {**told, "locations": [{"physicalLocation": where}], **more}


def sarif(*results: dict[str, Any], **rule: Any) -> bytes:
    driver = {"name": "semgrep", "rules": [{"id": "eval", **rule}]}
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": list(results)}]}
    return json.dumps(log).encode()


def test_a_result_on_a_line_of_the_change_is_a_claim() -> None:
    told = reported((sarif(result(level="error")),), HUNKS)
    claim = Scanned(
        "scan.f1", "semgrep eval", "high", "eval of input", "app/store.py", 2, "x = eval(request)"
    )
    assert told.scanned == (claim,)
    assert (told.elsewhere, told.more) == (0, 0)


@pytest.mark.parametrize(
    ("rule", "level", "severity"),
    [
        ({"properties": {"security-severity": "9.8"}}, "note", "critical"),
        ({"properties": {"security-severity": 7.0}}, "", "high"),
        ({"properties": {"security-severity": "often"}}, "error", "high"),
        ({"defaultConfiguration": {"level": "error"}}, "", "high"),
        ({}, "", "medium"),
        ({}, "note", "low"),
    ],
)
def test_how_severe_it_is(rule: dict[str, Any], level: str, severity: str) -> None:
    (claim,) = reported((sarif(result(level=level), **rule),), HUNKS).scanned
    assert claim.severity == severity


def test_what_stands_elsewhere_is_counted_and_what_is_suppressed_is_not() -> None:
    told = reported(
        (
            sarif(
                result(uri="file:///home/ci/work/app/store.py"),
                result(uri="./app/store.py", line=3),
                result(uri="other/store.py"),
                result(line=99),
                result(locations=[]),
                result(suppressions=[{"kind": "inSource"}]),
            ),
        ),
        HUNKS,
    )
    assert [(c.id, c.line) for c in told.scanned] == [("scan.f1", 2), ("scan.f2", 3)]
    assert told.elsewhere == 3


def test_only_the_most_severe_are_debated() -> None:
    told = reported((sarif(*[result(level="note")] * MOST, result(level="error")),), HUNKS)
    assert (len(told.scanned), told.more, told.scanned[0].severity) == (MOST, 1, "high")


def test_its_words_are_redacted_and_escaped() -> None:
    secret = "ghp_q8Zr2VbK7nXw4TjLm9Yc3Hs6DfPg1AeRuNoI"
    told = reported((sarif(result(message={"text": f"leaks\n{secret} \u202e"})),), HUNKS)
    assert secret not in told.scanned[0].title
    assert "\u202e" not in told.scanned[0].title
    assert "\n" not in told.scanned[0].title
    assert told.secrets == 1


@given(st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda inner: (
    st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["runs", "results", "tool", "message"]), inner, max_size=3)
)))  # fmt: skip
def test_any_other_file_is_refused_or_says_nothing(value: Any) -> None:
    claims: tuple[Scanned, ...] = ()
    with suppress(BadInput):
        claims = reported((json.dumps(value).encode(),), HUNKS).scanned
    assert claims == ()


@pytest.mark.parametrize("data", [b"", b"{}", b'{"runs": 3}', b"\xff", b"[" * 100_000])
def test_what_is_no_sarif_is_told(data: bytes) -> None:
    with pytest.raises(BadInput, match="no SARIF file"):
        reported((data,), HUNKS)


async def read(folder: Path, **more: Any) -> Material:
    (folder / "change.diff").write_bytes(DIFF)
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=folder))
    material = await library.read("change.diff", kind="diff", budget=9_000, files=True)
    return await library.with_evidence(material, "scan.sarif", **{"files": True, **more})


async def test_the_material_says_what_was_reported(tmp_path: Path) -> None:
    (tmp_path / "scan.sarif").write_bytes(sarif(result(), result(line=99)))
    material = await read(tmp_path)
    assert [claim.id for claim in material.scanned] == ["scan.f1"]
    assert material.notes[-1] == (
        "scan.sarif reports 1 result on the lines of this change; 1 elsewhere are not debated."
    )


async def test_only_a_shell_reads_files_and_only_for_changes(tmp_path: Path) -> None:
    (tmp_path / "scan.sarif").write_bytes(sarif())
    with pytest.raises(BadInput, match="give it in the shell"):
        await read(tmp_path, files=False)
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=tmp_path))
    words = await library.read("Is it good?", kind="question", budget=9_000)
    with pytest.raises(BadInput, match="for changes of code"):
        await library.with_evidence(words, "scan.sarif", files=True)
    (tmp_path / "scan.sarif").unlink()
    with pytest.raises(BadInput, match="can't be read"):
        await read(tmp_path)


ANALYSES = "/repos/o/r/code-scanning/analyses"


def scanning(github: GitHubStandIn, **files: bytes) -> None:
    """Code scanning has an analysis of each name, and one that is older."""

    async def answer(request: web.Request) -> web.StreamResponse:
        names = list(files)
        if request.path == ANALYSES:
            assert request.query["ref"] == "refs/pull/412/merge"
            listed = [{"id": n, "tool": {"name": name}} for n, name in enumerate(names)]
            return web.json_response([*listed, {"id": 99, "tool": {"name": names[0]}}])
        assert request.headers["Accept"] == "application/sarif+json"
        return web.Response(body=files[names[int(request.path.rpartition("/")[2])]])

    github.spoil("/code-scanning/", answer)


async def read_pull(github: GitHubStandIn, shelf: MaterialLibrary) -> Material:
    github.pulls["o/r", 412] = Pull(diff=DIFF)
    material = await shelf.read("https://github.com/o/r/pull/412", kind="pull_request", budget=9000)
    settings = replace(settings_for(github), allow_files=True)
    return await MaterialLibrary(settings).with_evidence(material, "github", files=True)


async def test_from_githubs_code_scanning_the_newest_of_each_scanner(
    github: GitHubStandIn, shelf: MaterialLibrary
) -> None:
    scanning(github, CodeQL=sarif(result()), semgrep=sarif(result(line=3), result(line=99)))
    material = await read_pull(github, shelf)
    assert sorted(claim.line for claim in material.scanned) == [2, 3]
    assert material.notes[-1] == (
        "GitHub's code scanning reports 2 results on the lines of this change; 1 elsewhere are "
        "not debated."
    )


async def test_a_token_that_may_not_read_it_is_told(
    github: GitHubStandIn, shelf: MaterialLibrary
) -> None:
    github.refuse("/code-scanning/", 403, "Resource not accessible by personal access token")
    with pytest.raises(CouldNotFinish, match="right to read code scanning alerts"):
        await read_pull(github, shelf)


async def test_only_of_a_pull_request_on_github(tmp_path: Path) -> None:
    (tmp_path / "change.diff").write_bytes(DIFF)
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=tmp_path))
    material = await library.read("change.diff", kind="diff", budget=9_000, files=True)
    with pytest.raises(BadInput, match="for pull requests on GitHub"):
        await library.with_evidence(material, "github", files=True)
