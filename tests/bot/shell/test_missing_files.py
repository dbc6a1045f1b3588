"""A file that is not there, or can't be read, is one line with a next step that works."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from adapters.processes.unread import unread
from tests.bot.shell.conftest import Run


def test_a_name_that_leads_nowhere_is_one_line_with_the_next_step(
    debate: Run, tmp_path: Path
) -> None:
    (tmp_path / "design.md").write_text("# A design")
    (tmp_path / "change.diff").touch()
    (tmp_path / "plans").mkdir()
    (tmp_path / "my long plan.md").write_text("# A plan")
    for typed, line in (
        ("desing.md", "There is no file 'desing.md'. Did you mean design.md?"),
        ("plans/desing.md", "There is no file 'plans/desing.md'. What is there: ls plans"),
        ("plns/design.md", "There is no folder 'plns'. Did you mean plans?"),
        ("zzz.md", "There is no file 'zzz.md'. What is there: ls"),
        ("panel plan.rst", "There is no file 'plan.rst'. What is there: ls"),
        ("design_doc './my own plan.md'", "There is no file 'my own plan.md'. "),
        ("design_doc 'my lnog plan.md'", "There is no file 'my lnog plan.md'. Did you mean 'my"),
        ("'my lnog plan.md'", "There is no file 'my lnog plan.md'. Did you mean 'my long plan.md'"),
        ("''", "'' is neither a command nor a template, and too short for a question."),
        ("design_doc DESING.md", "There is no file 'DESING.md'. Did you mean design.md?"),
        ("code_review chnge.diff", "There is no file 'chnge.diff'. Did you mean change.diff?"),
        (
            "code_review change.dif",
            "“change.dif” is neither a pull request link nor a file here. Did",
        ),
        ("verify design.md", "design.md is no receipt: it is not JSON."),
        ("verify plans", "'plans' is a folder. Name a file in it: ls plans"),
        ("templates check nope.toml", "There is no template 'nope.toml'. What is there: ls"),
        ("eval plasn", "There is no folder 'plasn'. Did you mean plans?"),
        ("eval change.diff", "'change.diff' is a file. eval reads a folder of changes or a reposi"),
        ("eval --set plans", "plans is no file. The set that ships is --set history."),
        ("plans", "'plans' is a folder. Like this: debate ."),
        ("code_review plans", "'plans' is a folder. Like this: debate ."),
        ("design_doc plans", "plans holds no Markdown files. Name a file in it."),
        ("change.diff", "change.diff changes no text (it is empty)."),
        ("/", "'/' is a folder. Like this: debate . (what your branch changes), debate"),
        ("resume", "Nothing is there to be resumed"),
        ("panel Why? --models scripted:dance", "The scripted model has no behaviour 'dance'."),
    ):
        ran = debate(*shlex.split(typed))
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert ran.err.replace(f"{tmp_path}/", "").startswith(f"debate: {line}")


def test_a_file_without_permission_names_what_allows_it(tmp_path: Path) -> None:
    own = tmp_path / "my secret.diff"
    own.touch()
    denied = PermissionError(13, "Permission denied")
    line = f"'{own}' may not be read by this account. Allow it: chmod u+r '{own}'"
    assert str(unread(own, denied)) == line
    if os.geteuid() == 0:
        os.chown(own, 12345, 12345)
        assert "Ask its owner" in str(unread(own, denied))


def test_a_name_with_control_characters_is_never_suggested(tmp_path: Path) -> None:
    (tmp_path / "desi\x1b[31mgn.md").touch()
    missing = FileNotFoundError(2, "No such file")
    assert "Did you mean" not in str(unread(tmp_path / "design.md", missing))
