"""A folder of cases: what is read, and one clear line for what can't be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adapters.evaluation.folder import read_folder
from core.debate.errors import BadInput
from core.evaluation import Defect, Spot


def write(folder: Path, name: str, facts: object, diff: str = "diff --git a/a b/a\n") -> None:
    (folder / f"{name}.diff").write_text(diff)
    text = facts if isinstance(facts, str) else json.dumps(facts)
    (folder / f"{name}.json").write_text(text)


PLACE = {"file": "a.py", "line": 12}


def test_one_defect_several_and_none(tmp_path: Path) -> None:
    defect = {"defect": "wrong", "locations": [PLACE], "must_mention_any": ["sum"]}
    write(tmp_path, "one", {"pr_title": "T", "pr_body": "B", "good_change": False, **defect})
    two = [{"defect": "a", "locations": [PLACE]}, {"defect": "b"}]
    write(tmp_path, "several", {"defects": two})
    write(tmp_path, "fine", {"good_change": True, "locations": []})
    write(tmp_path, "shape", {"note": "only its form is of interest"})
    folder = read_folder(tmp_path, tmp_path)
    by_id = {c.id: c for c in folder.cases}
    spot = (Spot("a.py", 12),)
    assert list(by_id) == ["fine", "one", "several"]
    assert folder.unknown == ("shape",)
    assert by_id["fine"].clean
    assert by_id["one"].defects == (Defect("wrong", spot, ("sum",)),)
    assert (by_id["one"].title, by_id["one"].body) == ("T", "B")
    assert by_id["several"].defects == (Defect("a", spot), Defect("b"))
    assert by_id["several"].located == (0,)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ("{", "is not JSON"),
        ("[]", "no JSON object"),
        ({"defects": "many"}, "a list of objects"),
        ({"locations": [{"file": "a.py"}]}, "a file and a line"),
        ({"locations": [{"file": "a.py", "line": 0}]}, "a file and a line"),
        ({"locations": [PLACE | {"last": 9}]}, "with a last line"),
        ({"locations": [PLACE | {"last": "14"}]}, "with a last line"),
        ({"locations": [{"file": "a.py", "line": True}]}, "a file and a line"),
        ({"locations": [PLACE], "must_mention_any": [""]}, "holds words"),
        ({"locations": [PLACE], "must_mention_any": [None]}, "holds words"),
        ({"locations": [PLACE], "must_mention": ["sum"]}, "Did you mean must_mention_any"),
        ({"defects": [{"locatons": [PLACE]}]}, "Did you mean locations"),
        ({"good_change": True, "locations": [PLACE]}, "names a defect"),
        ({"good_change": "true"}, "is true or false"),
        ({"good_change": True, "traits": {"languge": "go"}}, "Did you mean language"),
        ({"good_change": False, "pr_title": 7}, "pr_title is text"),
        ({"note": "nothing known"}, "nothing to measure"),
    ],
)
def test_what_can_t_be_read_is_said_with_its_file(
    tmp_path: Path, facts: object, sentence: str
) -> None:
    write(tmp_path, "case", facts)
    with pytest.raises(BadInput, match=sentence):
        read_folder(tmp_path, tmp_path)


def test_a_diff_without_its_facts_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no cases"):
        read_folder(tmp_path, tmp_path)
    (tmp_path / "lone.diff").write_text("diff --git a/a b/a\n")
    with pytest.raises(BadInput, match=r"lone\.json is missing"):
        read_folder(tmp_path, tmp_path)


def test_a_link_that_leads_to_itself_and_a_name_that_is_none_are_named(tmp_path: Path) -> None:
    cloned = {"clone": "a\0b", "repo": "a/b", "base": "a", "commit": "b"}
    write(tmp_path, "one", {"good_change": True, "range": cloned})
    with pytest.raises(BadInput, match="its clone"):
        read_folder(tmp_path, tmp_path)
    (tmp_path / "one.diff").unlink()
    (tmp_path / "one.diff").symlink_to("one.diff")
    with pytest.raises(BadInput, match=r"one\.diff"):
        read_folder(tmp_path, tmp_path)
