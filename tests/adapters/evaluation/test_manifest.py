"""Sets of real changes: the one that ships is sound, and of another each wrong row is named."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters.evaluation.controls import near
from adapters.evaluation.manifest import WrongRows, cases_of, commits_of, narrow, read_set, select
from adapters.evaluation.past import GitHistory
from core.debate.errors import BadInput
from core.evaluation import Spot
from tests.standins.history import history_set, project, row, written


def test_the_set_that_ships_is_sound() -> None:
    given = read_set("history")
    assert len(given.rows) == 147
    assert len(given.repositories) == 21
    named = [r.cause for r in given.rows] + [r.control.commit for r in given.rows if r.control]
    assert [c for c, times in Counter(named).items() if times > 1] == []
    assert all(2 <= len(r.must_mention_any) <= 6 for r in given.rows)


def test_its_controls_are_about_as_large_as_its_defects() -> None:
    rows = [r for r in read_set("history").rows if r.control]
    alike = [r for r in rows if r.control and near(r.control.lines, r.lines)]
    assert len(rows) >= 140
    assert len(alike) >= 0.8 * len(rows)


def test_languages_take_turns_and_days_narrow() -> None:
    given = read_set("history")
    known = len({r.language for r in given.rows})
    assert len({r.language for r in select(given).rows[:known]}) == known
    late = select(given, since=date(2026, 1, 1))
    assert 0 < len(late.rows) < len(given.rows)
    assert min(r.fixed for r in late.rows) >= date(2026, 1, 1)
    assert {r.language for r in select(given, ["go", "PYTHON"]).rows} == {"Go", "Python"}
    assert len(narrow(select(given), 6).rows) == 3


def test_nothing_left_says_what_there_is() -> None:
    given, language = read_set("history"), "No row of history is in 'pyton'.*Did you mean Python"
    with pytest.raises(BadInput, match=language):
        select(given, ["pyton"])
    with pytest.raises(BadInput, match="the newest was fixed on 2026-"):
        select(given, [], date(2090, 1, 1))


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"cause": "1a2b"}, "row 1: cause: Expected str matching regex"),
    ({"kind": "taste"}, "row 1: kind: Invalid enum value 'taste'"),
    ({"locations": []}, "row 1: locations: Expected array of length >= 1"),
    ({"locations": [{"path": "a.py", "first": 9, "last": 3}]}, "a.py ends before it begins"),
    ({"fixed": "2020-01-01"}, "it was fixed before it was merged"),
    ({"fixed": "soon"}, "row 1: fixed: Invalid RFC3339"),
    ({"repo": "../../etc"}, "row 1: repo: Expected str matching regex"),
    ({"id": "../x"}, "row 1: id: Expected str matching regex"),
    ({"surprise": 1}, "unknown field surprise"),
]


def test_a_wrong_row_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    made, known = project(tmp_path / "made", 2)
    rows = [row(made, "ann/made", n, one) for n, one in enumerate(known)]
    for change, sentence in WRONG:
        path = written(tmp_path / "set.jsonl", [{**rows[0], **change}, rows[1]])
        with pytest.raises(WrongRows, match=r"set\.jsonl has 1 faults") as wrong:
            read_set(str(path))
        (fault,) = wrong.value.faults
        assert sentence in fault


def test_a_name_that_is_no_file_says_what_there_is() -> None:
    with pytest.raises(BadInput, match=r"--set takes history, or a file.*Did you mean history"):
        read_set("histroy")


async def test_a_row_is_a_change_and_its_control(tmp_path: Path) -> None:
    path, clones = history_set(tmp_path, 1)
    given = read_set(str(path))
    assert given.mark == sha256(path.read_bytes()).hexdigest()[:12]
    (one, _) = given.rows
    bad, clean = await cases_of(one, await GitHistory.of(clones / "ann/first.git"))
    assert (bad.id, clean.id) == ("first-0", "first-0-control")
    assert bad.defects[0].spots == (Spot("share0.py", 2, 2),)
    assert bad.defects[0].words == ("zero", "divide")
    assert bad.title == "Share 0"
    assert b"+    return total // parts" in bad.diff
    assert clean.clean
    assert b"count0" in clean.diff
    assert bad.traits["language"] == clean.traits["language"] == "Python"
    assert "kind" not in clean.traits


def test_every_wrong_row_has_a_line_of_its_own_and_many_are_shown_in_part(tmp_path: Path) -> None:
    path = written(tmp_path / "set.jsonl", [{}, [], {"id": 3}])
    with pytest.raises(WrongRows) as wrong:
        read_set(str(path))
    rows = [f"set.jsonl, row {number}" for number in (1, 2, 3)]
    assert [line.split(":")[0] for line in wrong.value.faults] == rows
    for faults, sentence in ((20, "20 faults."), (21, "21 faults, 1 more than")):
        path = written(tmp_path / "set.jsonl", [{}] * faults)
        with pytest.raises(WrongRows, match=sentence) as error:
            read_set(str(path))
        assert len(error.value.faults) == 20


def test_a_day_and_a_number_of_cases_take_their_edge_with_them(tmp_path: Path) -> None:
    path, _ = history_set(tmp_path, 2)
    given = read_set(str(path))
    days = sorted(row.fixed for row in given.rows)
    assert len(select(given, since=days[0]).rows) == 4
    with pytest.raises(BadInput, match="is left"):
        select(given, since=days[-1] + timedelta(days=1))
    assert [len(narrow(given, most).rows) for most in (None, 0, 2, 3, 4, 99)] == [4, 1, 1, 1, 2, 4]
    row = given.rows[0]
    assert row.control is not None
    assert commits_of(row) == (row.cause, row.base, row.control.commit, row.control.base)
    alone = msgspec.structs.replace(row, control=None)
    assert commits_of(alone) == (row.cause, row.base)
