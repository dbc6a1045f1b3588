"""A finding's fix as a patch: git applies it to the new version, and the result is the fix."""

from __future__ import annotations

import subprocess
from pathlib import Path

from adapters.review.patch import patch_of
from tests.adapters.review.samples import FIX, injection, material

BEFORE = "".join(f"# {n}\n" for n in range(1, 8))
BAD, GOOD = '    row = pool.run("select " + name)', '    row = pool.run("select ?", name)'


def test_git_applies_the_patch(tmp_path: Path) -> None:
    hunk = material().hunks[0]
    new = BEFORE + "".join(f"{x.text}\n" for x in hunk.lines if x.new is not None)
    file = tmp_path / "app" / "db.py"
    file.parent.mkdir()
    file.write_text(new, "utf-8")
    patch = patch_of(material(), injection())
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, check=True)
    assert file.read_text("utf-8") == new.replace(BAD, GOOD)
    assert new.count(BAD) == 1


def test_what_does_not_stand_in_the_change_is_no_patch() -> None:
    assert patch_of(material(), injection(fix="Bind the name.")) == ""
    assert patch_of(material(), injection(fix=FIX.replace("-    row", "-   row"))) == ""
    assert patch_of(material(), injection(path="app/other.py")) == ""
