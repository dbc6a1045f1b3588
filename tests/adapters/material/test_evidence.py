"""A scanner's results beside a change, from a SARIF file."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from adapters.material.evidence import MOST, reported, with_reported
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from adapters.redaction.texts import Cleaned, one_line
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.material import Hunk, Material, MaterialKind, Scanned
from core.debate.material.library import ReadRequest
from tests.adapters.material.conftest import Shelf
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
HUNKS: tuple[Hunk, ...] = tuple(h for f in parse(DIFF).files for h in f.hunks)


def result(line: int = 2, uri: str = "app/store.py", **more: Any) -> dict[str, Any]:
    where = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    base = {"ruleId": "eval", "message": {"text": "eval of input"}}
    return {**base, "locations": [{"physicalLocation": where}], **more}


def log(*results: dict[str, Any], **run: Any) -> bytes:
    """Returns the file of one run of a scanner."""
    return json.dumps({"version": "2.1.0", "runs": [{"results": list(results), **run}]}).encode()


def tool(name: str | None, *results: dict[str, Any], rules: Any = (), **run: Any) -> bytes:
    return log(*results, tool={"driver": {"name": name, "rules": list(rules)}}, **run)


def sarif(*results: dict[str, Any], **rule: Any) -> bytes:
    return tool("semgrep", *results, rules=[{"id": "eval", **rule}])


def test_a_result_on_a_line_of_the_change_is_a_claim() -> None:
    evidence = reported((sarif(result(level="error")),), HUNKS)
    claim = Scanned(
        "scan.f1", "semgrep eval", "high", "eval of input", "app/store.py", 2, "x = eval(request)"
    )
    assert evidence.scanned == (claim,)
    assert (evidence.elsewhere, evidence.more) == (0, 0)
    for name, named in (("", "eval"), (None, "scanner eval")):
        (claim,) = reported((tool(name, result()),), HUNKS).scanned
        assert claim.tool == named


@pytest.mark.parametrize(
    "data",
    [
        sarif(result()).replace(b"eval of", b"\xe4"), b'{"runs": ' + b"[" * 100_000, b"",
        b"{}", b'{"runs": 3}', b'{"runs": [], "x": ' + b'{"a": ' * 100_000, b'\xff\xfe{"', b"null",
        sarif(result()).replace(b'"startLine": 2', b'"startLine": 1e400'), b"[]",
        sarif(result()).replace(b'"startLine": 2', b'"startLine": ' + b"9" * 50_000),
        sarif(result()).replace(b'"eval of', b'"\\ud800'), sarif(result(suppressions="x")),
    ],
)  # fmt: skip
def test_what_is_no_sarif_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(BadInput, match="no SARIF file"):
        reported((data,), HUNKS)


@pytest.mark.parametrize("coded", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_file_that_windows_wrote_is_read(coded: str) -> None:
    text = sarif(result()).decode()
    data = text.encode(coded)
    if coded == "utf-16-le":
        data = b"\xff\xfe" + data
    assert len(reported((data,), HUNKS).scanned) == 1


def test_places_that_are_none_are_elsewhere() -> None:
    places = [
        *(result(line) for line in (-1, 0, 4, 2**31, 2**63)), result(uri=""), {"ruleId": "x"},
        *(result(uri=uri) for uri in ("../../etc/passwd", "/etc/passwd", "file:///x/y.py", "C:\\")),
        *(result(uri=uri) for uri in ("\u202e", "app/store.py/..", "xapp/store.py\0")),
    ]  # fmt: skip
    evidence = reported((sarif(*places),), HUNKS)
    assert (evidence.scanned, evidence.elsewhere) == ((), len(places))
    many = json.dumps({"runs": [{}] * 20_000 + json.loads(sarif(result()))["runs"]}).encode()
    assert len(reported((many,), HUNKS).scanned) == 1


def scored(score: Any) -> dict[str, Any]:
    return {"properties": {"security-severity": score}}


SEVERITIES: list[tuple[dict[str, Any], str, str]] = [
    (scored("9.8"), "note", "critical"),
    (scored(7.0), "", "high"),
    (scored("often"), "error", "high"),
    ({"defaultConfiguration": {"level": "error"}}, "", "high"),
    ({}, "", "medium"),
    ({}, "note", "low"),
    (scored("٣"), "error", "low"),
    *((scored(none), "error", "high") for none in ("nan", "inf", "-3", "99", "1e999", "x", "")),
]


@pytest.mark.parametrize(("rule", "level", "severity"), SEVERITIES)
def test_how_severe_it_is(rule: dict[str, Any], level: str, severity: str) -> None:
    (claim,) = reported((sarif(result(level=level), **rule),), HUNKS).scanned
    assert claim.severity == severity


def words(*results: dict[str, Any], **run: Any) -> list[str]:
    """Returns the titles of what is debated, with the whole run of a scanner given."""
    return [one.title for one in reported((log(*results, **run),), HUNKS).scanned]


def at(address: dict[str, Any], **region: int) -> dict[str, Any]:
    place = {"artifactLocation": address, "region": {"startLine": 2, **region}}
    return result(locations=[{"physicalLocation": place}])


def test_only_what_reports_a_problem_is_debated_and_the_rest_is_counted() -> None:
    material = with_reported(
        Material(MaterialKind.DIFF, "x", "", hunks=HUNKS),
        reported(
            (
                sarif(
                    *(result(kind=k) for k in ("pass", "notApplicable", "informational", "fail")),
                    result(line=3, kind="review"),
                    result(line=1, kind="Finding"),
                    result(baselineState="absent"),
                    result(line=1, baselineState="unchanged"),
                    result(suppressions=[{"kind": "inSource"}]),
                    result(suppressions=[{"kind": "external", "status": "accepted"}]),
                    result(suppressions=[{"kind": "external", "status": "rejected"}]),
                    result(suppressions=[{"status": "accepted"}, {"status": "underReview"}]),
                    result(suppressions=[{"status": "Denied"}]),
                    result(suppressions=[]),
                    {"locations": 3},
                ),
            ),
            HUNKS,
        ),
        "scan",
    )
    assert [one.line for one in material.scanned] == [2, 3, 2, 2, 2, 2, 1, 1]
    (note,) = material.notes
    assert note == (
        "scan reports 8 results on the lines of this change; 3 without a problem; 1 gone since the "
        "scan before; 2 suppressed; 1 can't be read."
    )


BASES, STORE = "originalUriBaseIds", {"uri": "store.py", "uriBaseId": "SRC"}
PLACES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "encoded": ({"uri": "app%2Fstore.py"}, {}),
    "from here": ({"uri": "././app/store.py"}, {}),
    "from Windows": ({"uri": r"app\store.py"}, {}),
    "on a drive": ({"uri": r"C:\build\app\store.py"}, {}),
    "on a drive, as an address": ({"uri": "file:///c:/build/app/store.py"}, {}),
    "on a drive, encoded": ({"uri": "file:///C%3A/build/app/store.py"}, {}),
    "on a drive, with one slash": ({"uri": "file:/C:/build/app/store.py"}, {}),
    "on a share": ({"uri": r"\\host\share\app\store.py"}, {}),
    "on a host": ({"uri": "file://host/build/app/store.py"}, {}),
    "on the web": ({"uri": "https://example.org/o/r/blob/main/app/store.py"}, {}),
    "by index": ({"index": 1}, {"artifacts": [{}, {"location": {"uri": "app/store.py"}}]}),
    "by index and name": (
        {"uri": "file:///build/app/store.py", "index": 0},
        {"artifacts": [{"location": {"uri": "file:///build/app/store.py"}}]},
    ),
    "below a base": (STORE, {BASES: {"SRC": {"uri": "app/", "uriBaseId": "ROOT"}, "ROOT": {}}}),
    "below two bases": (
        STORE,
        {BASES: {"SRC": {"uri": "app", "uriBaseId": "ROOT"}, "ROOT": {"uri": "file:///build/"}}},
    ),
    "by index, below a base": (
        {"index": 0},
        {"artifacts": [{"location": STORE}], BASES: {"SRC": {"uri": "file:///build/app/"}}},
    ),
    "below a base that nobody names": ({"uri": "app/store.py", "uriBaseId": "ROOT"}, {}),
    "below itself": (
        {"uri": "app/store.py", "uriBaseId": "A"},
        {"originalUriBaseIds": {"A": {"uriBaseId": "A"}}},
    ),
}


def test_a_file_is_found_however_it_is_named() -> None:
    for name, (address, run) in PLACES.items():
        assert words(at(address), **run) == ["eval of input"], name
    for uri in ("lib/app/store.py", "store.py", "app/Store.py", "app//store.py"):
        assert words(at({"uri": uri})) == [], uri


def test_names_with_spaces_percents_and_other_letters_are_decoded_once() -> None:
    names = ("web/my page.html", "web/über.html", "web/50%25.html")
    diff = "".join(
        f"diff --git a/{n} b/{n}\n--- a/{n}\t\n+++ b/{n}\t\n@@ -0,0 +1 @@\n+x\n" for n in names
    )
    hunks = tuple(h for f in parse(diff.encode()).files for h in f.hunks)
    encoded = ("web/my%20page.html", "web/%C3%BCber.html", "web/50%2525.html")
    for uri in (encoded, names):
        evidence = reported((sarif(*(result(1, one) for one in uri)),), hunks)
        assert {one.path for one in evidence.scanned} == set(names)


def test_the_first_changed_line_of_any_place_counts() -> None:
    elsewhere = {"physicalLocation": {"artifactLocation": {"uri": "lib.py"}}}
    here = at({"uri": "app/store.py"}, startLine=-5, endLine=90)["locations"]
    (claim,) = reported((sarif(result(locations=[{}, elsewhere, *here])),), HUNKS).scanned
    assert claim.line == 1


RULES: dict[str, tuple[dict[str, Any], bool]] = {
    "by index": ({"ruleIndex": 1}, False),
    "by a reference": ({"rule": {"index": 1}}, False),
    "by the id of a reference": ({"rule": {"id": "two"}}, False),
    "as a part of it": ({"ruleId": "two/a/b"}, False),
    "of an extension": ({"rule": {"index": 1, "toolComponent": {"index": 0}}}, True),
    "of a named extension": ({"rule": {"index": 1, "toolComponent": {"name": "pack"}}}, True),
    "of an extension by id": ({"ruleId": "two"}, True),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_found_however_it_is_named(name: str) -> None:
    named, extended = RULES[name]
    strings = {"default": {"text": "{1} before {0}, {{x}}, {7}"}}
    rules: list[dict[str, Any]] = [
        {"id": "one"},
        {"id": "two", "messageStrings": strings, "properties": {"security-severity": "9.9"}},
    ]
    given = result(message={"id": "default", "arguments": ["a", "b"]}, ruleId=None)
    run: dict[str, Any] = {"tool": {"driver": {"name": "s", "rules": rules}}}
    if extended:
        run["tool"] = {"driver": {"name": "s"}, "extensions": [{"name": "pack", "rules": rules}]}
    (claim,) = reported((log({**given, **named}, **run),), HUNKS).scanned
    assert (claim.title, claim.severity) == ("b before a, {x}, {7}", "critical")
    assert claim.tool.startswith("s two")


def test_links_in_words_are_their_text_and_words_are_found_somewhere() -> None:
    linked = "uses [a value](1) of \\[x\\] and [here](https://example.org/a)"
    assert words(result(message={"text": linked})) == ["uses a value of \\[x\\] and here"]
    common = {"m": {"text": "common {0}"}}
    tool = {"driver": {"globalMessageStrings": common, "rules": [{"id": "eval", "name": "NoEval"}]}}
    assert words(result(message={"id": "m", "arguments": ["x"]}), tool=tool) == ["common x"]
    assert words(result(message={"markdown": "*bad*"}), tool=tool) == ["*bad*"]
    assert words(result(message=None), tool=tool) == ["NoEval"]


def test_members_that_are_null_are_like_missing_ones() -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("level", "kind", "fixes", "codeFlows", "suppressions", "baselineState", "rule")
    )
    run = {"tool": {"driver": {"name": "Demo", "rules": None}, "extensions": None}}
    assert words(result() | nothing, artifacts=None, originalUriBaseIds=None, **run) == [
        "eval of input"
    ]
    assert words(result(locations=[None, *result()["locations"]])) == ["eval of input"]


def test_only_the_most_severe_are_debated() -> None:
    evidence = reported((sarif(*[result(level="note")] * MOST, result(level="error")),), HUNKS)
    assert (len(evidence.scanned), evidence.more, evidence.scanned[0].severity) == (MOST, 1, "high")


def several(*results: dict[str, Any], extended: bool = False) -> bytes:
    """Returns results of a scanner whose rules have severities of their own, or none."""
    rules: list[dict[str, Any]] = [
        {"id": "critical", "properties": {"security-severity": "9.1", "tags": ["security"]}},
        {"id": "high", "properties": {"security-severity": "7.5"}},
        {"id": "higher", "properties": {"security-severity": "8.9"}},
        {"id": "tagged", "properties": {"tags": ["external/cwe/cwe-22", "security"]}},
        {"id": "minor", "properties": {"security-severity": "1.0"}},
        {"id": "lint", "defaultConfiguration": {"level": "error"}},
    ]
    driver: dict[str, Any] = {"name": "scanner", "rules": [] if extended else rules}
    tool = {"driver": driver, "extensions": [{"name": "pack", "rules": rules}] if extended else []}
    return log(*results, tool=tool)


@pytest.mark.parametrize("extended", [False, True])
def test_linters_errors_leave_room_for_what_matters(extended: bool) -> None:
    """Line 1 is shown beside the change, lines 2 and 3 were added by it."""
    lint = [result(ruleId="lint", line=1), *[result(ruleId="lint", line=2)] * MOST]
    rest = [
        result(ruleId=rule, line=line)
        for rule, line in (("minor", 2), ("critical", 1), ("tagged", 3), ("high", 2), ("higher", 2))
    ]
    evidence = reported((several(*lint, *rest, extended=extended),), HUNKS)
    assert [(c.tool.split()[-1], c.line, c.severity) for c in evidence.scanned] == [
        ("higher", 2, "high"),
        ("high", 2, "high"),
        ("tagged", 3, "medium"),
        ("critical", 1, "critical"),
        *[("lint", 2, "high")] * (MOST - 4),
    ]
    assert evidence.more == len(lint) + len(rest) - MOST


def test_its_words_are_redacted_and_escaped() -> None:
    secret = "ghp_q8Zr2VbK7nXw4TjLm9Yc3Hs6DfPg1AeRuNoI"
    evidence = reported((sarif(result(message={"text": f"leaks\n{secret} \u202e"})),), HUNKS)
    assert secret not in evidence.scanned[0].title
    assert "\u202e" not in evidence.scanned[0].title
    assert "\n" not in evidence.scanned[0].title
    assert evidence.secrets == 1


def test_only_words_that_are_debated_are_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cleaning is by far the slowest step: for a hundred thousand results it took a minute."""
    read: list[int] = []

    def cleaned(text: str) -> Cleaned:
        read.append(len(text))
        return one_line(text)

    monkeypatch.setattr("adapters.material.evidence.one_line", cleaned)
    long = result(message={"text": 'password="' * 3_000}, ruleId="x" * 30_000)
    claims = reported((sarif(*[result()] * 50, *[long] * 50),), HUNKS)
    assert (len(claims.scanned), claims.more) == (MOST, 100 - MOST)
    assert len(read) == 2 * MOST
    reported((sarif(long),), HUNKS)
    assert max(read) <= 10_000


@given(st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda inner: (
    st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["runs", "results", "tool", "message"]), inner, max_size=3)
)))  # fmt: skip
def test_any_other_file_is_refused_or_says_nothing(value: Any) -> None:
    claims: tuple[Scanned, ...] = ()
    with suppress(BadInput):
        claims = reported((json.dumps(value).encode(),), HUNKS).scanned
    assert claims == ()


async def read(folder: Path, of: str = "scan.sarif", *, files: bool = True) -> Material:
    (folder / "change.diff").write_bytes(DIFF)
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=folder))
    material = await library.read(ReadRequest("change.diff", kind="diff", budget=9_000, files=True))
    return await library.with_evidence(material, of, files=files)


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
    words = await library.read(ReadRequest("Is it good?", kind="question", budget=9_000))
    with pytest.raises(BadInput, match="for changes of code"):
        await library.with_evidence(words, "scan.sarif", files=True)
    (tmp_path / "scan.sarif").unlink()
    with pytest.raises(BadInput, match="There is no file"):
        await read(tmp_path)


ANALYSES = "/repos/o/r/code-scanning/analyses"


def scanning(github: GitHubStandIn, **files: bytes) -> None:
    """Gives code scanning an analysis of each name, and an older one."""

    async def answer(request: web.Request) -> web.StreamResponse:
        names = list(files)
        if request.path == ANALYSES:
            assert request.query["ref"] == "refs/pull/412/merge"
            listed = [{"id": n, "tool": {"name": name}} for n, name in enumerate(names)]
            return web.json_response([*listed, {"id": 99, "tool": {"name": names[0]}}])
        assert request.headers["Accept"] == "application/sarif+json"
        return web.Response(body=files[names[int(request.path.rpartition("/")[2])]])

    github.spoil("/code-scanning/", answer)


async def read_pull(shelf: Shelf) -> Material:
    shelf.github.pulls["o/r", 412] = Pull(diff=DIFF)
    library = Shelf(shelf.github, allow_files=True)
    return await library.with_evidence(await shelf.pull(), "github", files=True)


async def test_from_githubs_code_scanning_the_newest_of_each_scanner(shelf: Shelf) -> None:
    scanning(shelf.github, CodeQL=sarif(result()), semgrep=sarif(result(line=3), result(line=99)))
    material = await read_pull(shelf)
    assert sorted(claim.line for claim in material.scanned) == [2, 3]
    assert material.notes[-1] == (
        "GitHub's code scanning reports 2 results on the lines of this change; 1 elsewhere are "
        "not debated."
    )


async def test_a_token_that_may_not_read_it_is_told(shelf: Shelf) -> None:
    shelf.github.refuse("/code-scanning/", 403, "Resource not accessible by personal access token")
    with pytest.raises(CouldNotFinish, match="right to read code scanning alerts"):
        await read_pull(shelf)


async def test_only_of_a_pull_request_on_github(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="for pull requests on GitHub"):
        await read(tmp_path, "github")


ELSEWHERE = {"results": [{"location": {"uri": "r.json"}}]}
NOT_ALL = {
    "scan that did not finish": tool("x", invocations=[{"executionSuccessful": False}]),
    "scan that reports its own errors": tool(
        "x", invocations=[{"toolExecutionNotifications": [{"level": "error"}]}]
    ),
    "list of results outside its scan, not read": (
        b'{"runs": [], "inlineExternalProperties": [{"results": [{}]}]}'
    ),
    "list of results in another file, not read": tool(
        "x", externalPropertyFileReferences=ELSEWHERE
    ),
    "scan without a list of results": (
        b'{"runs": [{"tool": {"driver": {"name": "x"}}, "results": null}]}'
    ),
}


@pytest.mark.parametrize("reason", NOT_ALL)
def test_a_scan_that_shows_not_all_of_its_results_is_no_clean_one(reason: str) -> None:
    evidence = reported((NOT_ALL[reason],), HUNKS)
    assert evidence.skipped == {reason: 1}
    material = Material(MaterialKind.DIFF, "t", "x")
    assert f"; 1 {reason}" in with_reported(material, evidence, "x").notes[0]


@pytest.mark.parametrize("version", ["1.0.0", "2.0.0-csd.2.beta.2018-10-10"])
def test_another_version_is_refused(version: str) -> None:
    data = sarif(result()).replace(b'"version": "2.1.0"', f'"version": "{version}"'.encode())
    with pytest.raises(BadInput, match="no SARIF file"):
        reported((data,), HUNKS)
