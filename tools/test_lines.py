"""The gate over lines that tests run, and the faults that are put into the product."""

from __future__ import annotations

import json
import logging
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from tools.lines import FLOORS, LEAST, LineMap, too_few
from tools.mutants.faults import faults_in, faulty
from tools.mutants.loading import can_be_put_in, load, put_in

SOURCE = """
def most(numbers, least=1):
    log.info("of %s", len(numbers) + 1)
    assert len(numbers) < 9
    if not numbers or max(numbers) < least:
        raise ValueError(least + 1)
    return max(number for number, _ in zip(numbers, numbers, strict=True)) + 1
"""


def test_a_floor_of_which_fewer_lines_are_run_is_named() -> None:
    assert {*LEAST} == {*FLOORS}
    assert too_few(LEAST) == []
    fallen = {**LEAST, "core": LEAST["core"] - 0.001}
    assert too_few(fallen) == ["core: 97.9% of its lines are run by tests, and 98% must be"]


def test_maps_of_several_folders_say_together_who_runs_a_line(tmp_path: Path) -> None:
    for name, seconds in (("one", 0.1), ("two", 0.2)):
        lines = {"core/x.py": {"1": [0], "5": [0, 1]}}
        known = {"seconds": {f"tests/{name}.py::test": seconds}, "lines": lines}
        (tmp_path / f"{name}.json").write_text(json.dumps(known))
    both = LineMap(tmp_path)
    assert both.tests_of("core/x.py", range(1, 5)) == set()
    assert both.tests_of("core/x.py", [5]) == {"tests/one.py::test", "tests/two.py::test"}
    assert both.lines_of("core/x.py") == {1, 5}
    assert both.lines_of("core/y.py") == set()


def test_faults_are_put_where_they_change_what_is_done(tmp_path: Path) -> None:
    """Neither into lines of the log nor into what is raised; each is one change."""
    (tmp_path / "x.py").write_text(SOURCE)
    faults = faults_in(tmp_path / "x.py", tmp_path)
    assert sorted(fault.what for fault in faults) == [
        "1: 1 becomes 2",
        "max((number for number, _ in zip(numbers, numbers, strict=True))) + 1: Add becomes Sub",
        "max(numbers) < least: Lt becomes LtE",
        "max: max becomes min",
        "max: max becomes min",
        "not numbers or max(numbers) < least: Or becomes And",
        "not numbers or max(numbers) < least: the condition is turned",
        "not numbers: not is left out",
    ]
    assert {fault.place.partition(" ")[0] for fault in faults} == {"x.py:5", "x.py:7"}
    (edge,) = [fault for fault in faults if "LtE" in fault.what]
    names: dict[str, object] = {"log": logging.getLogger("test")}
    exec(compile(faulty(SOURCE, edge.number), "x.py", "exec"), names)  # noqa: S102  of this page
    most = names["most"]
    assert callable(most)
    assert most([2], least=1) == 3
    with pytest.raises(ValueError, match="2"):
        most([1], least=1)


def test_a_fault_is_put_into_functions_that_stand_already(tmp_path: Path) -> None:
    """Also into one that another made when its module was imported, and into no other."""
    source = (
        "def made(limit):\n    def inner(n):\n        return n < limit\n    return inner\n\n\n"
        "small = made(3)\n\n\ndef other(n):\n    return n < 3\n"
    )
    file = tmp_path / "x.py"
    file.write_text(source)
    names: dict[str, Any] = {}
    code = compile(source, str(file), "exec", dont_inherit=True)
    exec(code, names)  # noqa: S102  of this page
    functions = {str(file): [names["made"], names["small"], names["other"]]}
    (inner, _) = [fault for fault in faults_in(file, tmp_path) if "LtE" in fault.what]
    assert inner.function == "made"
    assert can_be_put_in(str(file), inner.number)
    put_in(str(file), inner.number, functions)
    assert names["small"](3)
    assert names["made"](5)(5)
    assert not names["other"](3)


def test_a_fault_is_put_into_a_file_that_is_run_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As alembic runs migrations, which no import finds by a name."""
    file, other = tmp_path / "x.py", tmp_path / "y.py"
    for each in (file, other):
        each.write_text("def made(n):\n    return n < 3\n\n\nlimit = made(3)\n")
    (fault,) = faults_in(file, tmp_path)[:1]
    monkeypatch.setattr(SourceFileLoader, "get_code", SourceFileLoader.get_code)
    load(str(file), fault.number)
    limits = []
    for each in (file, other):
        spec = spec_from_file_location(each.stem, each)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        limits.append(module.limit)
    assert limits == [True, False]
