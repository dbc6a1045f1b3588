"""``debate eval`` as it is typed: its reports, its errors, and a run that goes on where it
stopped.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bot import settings
from bot.shell.evaluate import evaluate
from core.debate.errors import BadInput
from tests.standins.github import CASES
from tools.bench.evaluation import CRITICS

SOME = ("py-static-prefix", "control-py-netrc-hostname", "unusual")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    folder.mkdir()
    for name in SOME:
        for ending in (".diff", ".json"):
            (folder / f"{name}{ending}").write_bytes((CASES / f"{name}{ending}").read_bytes())
    return folder


def typed(tmp_path: Path, *arguments: str, **env: str) -> int:
    given = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted", **env}
    out = ("--out", str(tmp_path / "out"))
    return evaluate([*arguments, *out], settings.read(given, tmp_path))


def test_reports_say_the_same_in_words_in_json_and_in_a_picture(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(tmp_path, str(cases), "--repeat", "2") == 0
    printed, err = capsys.readouterr()
    out = tmp_path / "out"
    text, page = (out / "report.md").read_text(), (out / "report.html").read_text()
    document = json.loads((out / "report.json").read_text())
    assert printed.strip() == text.strip()
    how = "2 changes (1 with a known defect, 1 clean), 2 runs each by single, union, vote, debate"
    assert how in text
    assert "Not measured, because nobody said what is wrong with them: unusual." in text
    assert "A demonstration model took part" in text
    assert re.search(r"^4 of 4 runs to play, \d+ calls: free\.$", err, re.MULTILINE)
    assert "4 of 4: " in err
    assert {r["case"] for r in document["readings"]} == set(SOME) - {"unusual"}
    assert len(document["readings"]) == 2 * (CRITICS + 1 + 1 + 1) * 2
    svg = page[page.index("<svg") : page.index("</svg>") + 6]
    picture = ElementTree.fromstring(svg)  # noqa: S314  our own words
    assert "known defects found" in "".join(picture.itertext())
    assert all(float(one.attrib["x"]) > 7 * len(one.text or "") for one in _names(picture))
    assert "<script" not in page
    for by_arm in document["figures"].values():
        assert set(by_arm) == {"single", "union", "vote", "debate"}


def _names(picture: ElementTree.Element) -> list[ElementTree.Element]:
    """Returns the bold texts that end at their place."""
    return [one for one in picture.iter() if one.attrib.get("font-weight") == "bold"]


@pytest.mark.parametrize("file", ["out", "out/report.md"])
def test_a_place_that_cannot_be_written_is_named(cases: Path, tmp_path: Path, file: str) -> None:
    taken = tmp_path / file
    if taken.suffix:
        taken.mkdir(parents=True)
    else:
        taken.write_text("mine")
    with pytest.raises(BadInput) as refused:
        typed(tmp_path, str(cases), "--cases", "1", "--arms", "single")
    assert re.fullmatch(
        rf"{re.escape(str(taken))} cannot be written: (Not|Is) a directory\. "
        r"Name another folder: --out FOLDER\.",
        str(refused.value),
    )


def test_a_defect_in_a_file_that_the_change_has_not_is_refused_before_and_after_it_was_played(
    cases: Path, tmp_path: Path
) -> None:
    """It would be measured as never found."""
    facts = cases / "py-static-prefix.json"
    right = facts.read_text()
    arguments = (str(cases), "--arms", "single", "--yes")
    for played in (False, True):
        facts.write_text(right.replace("starlette/staticfiles.py", "b/starlette/staticfiles.py"))
        with pytest.raises(BadInput) as refused:
            typed(tmp_path, *arguments)
        assert str(refused.value) == (
            "py-static-prefix: the change has no file 'b/starlette/staticfiles.py'. Did you mean "
            "starlette/staticfiles.py?"
        )
        facts.write_text(right)
        if not played:
            assert typed(tmp_path, *arguments) == 0
    (cases / "unusual.diff").write_text("no diff at all")
    (cases / "unusual.json").write_text('{"good_change": true}')
    with pytest.raises(BadInput, match=r"^unusual: This is not a diff"):
        typed(tmp_path, *arguments)


def test_the_same_command_goes_on_where_it_stopped(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = tmp_path / "ledger.jsonl"
    paid = {"DEBATE_SCRIPTED_LEDGER": str(ledger)}
    assert typed(tmp_path, str(cases), "--cases", "1", **paid) == 0
    before = len(ledger.read_text().splitlines())
    assert typed(tmp_path, str(cases), "--cases", "1", "--json", **paid) == 0
    assert len(ledger.read_text().splitlines()) == before
    errors = capsys.readouterr().err
    assert "0 of 1 runs to play, 0 calls: free. Already there: 1." in errors
    assert errors.count("1 of 1: ") == 1, "only what was played is counted"


def test_foreign_words_are_harmless_in_every_report(cases: Path, tmp_path: Path) -> None:
    odd = "a|b<script>alert(1)</script>\u202e"
    (cases / "py-static-prefix.diff").rename(cases / f"{odd.replace('/', '')}.diff")
    (cases / "py-static-prefix.json").rename(cases / f"{odd.replace('/', '')}.json")
    assert typed(tmp_path, str(cases), "--arms", "single") == 0
    out = tmp_path / "out"
    assert "<script>" not in (out / "report.html").read_text()
    assert "\u202e" not in (out / "report.html").read_text() + (out / "report.md").read_text()
    assert "a\\|b" in (out / "report.md").read_text()


def test_bad_input_is_one_clear_line_and_writes_nothing(cases: Path, tmp_path: Path) -> None:
    wrong: list[tuple[tuple[str, ...], str]] = [
        ((), "one of: a folder of cases, --set history, --mine REPO. Like this: debate eval"),
        (("nowhere",), "There is no folder 'nowhere'"),
        (("https://github.com/o/r",), "Clone it first"),
        (("CASES", "--arms", "vote,debat"), "no arm 'debat'.*Did you mean debate"),
        (("CASES", "--repeat", "0"), "--repeat takes"),
        (("CASES", "--models", "nobody/nothing-at-all"), "nothing-at-all"),
        (("CASES", "--modles", "a"), "Did you mean --models"),
    ]
    for arguments, reason in wrong:
        given = [str(cases) if a == "CASES" else a for a in arguments]
        with pytest.raises(BadInput, match=reason):
            typed(tmp_path, *given)
        assert not (tmp_path / "out").exists()
