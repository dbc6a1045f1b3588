"""Finds a repository among links and names that lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.processes.git_places import find_repository
from core.debate.errors import BadInput


def repository(folder: Path) -> Path:
    for name in ("objects/info", "refs"):
        (folder / ".git" / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder / ".git"


def test_a_link_that_leads_to_itself_leads_to_no_other_folder(tmp_path: Path) -> None:
    git = repository(tmp_path)
    (git / "loop").symlink_to("loop")
    (git / "objects" / "info" / "alternates").write_text("../loop\0/etc\n")
    place = find_repository(tmp_path)
    assert place is not None
    assert (place.folder, place.git_dir) == (tmp_path, git)


@pytest.mark.parametrize("named", ["../loop", "/etc\0git"])
def test_a_file_that_names_no_repository_is_refused_in_a_sentence(
    tmp_path: Path, named: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (work / ".git").write_text(f"gitdir: {named}\n")
    with pytest.raises(BadInput, match="leads to another folder"):
        find_repository(work)
