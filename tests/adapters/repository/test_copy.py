"""A copy of a project is written into its own folder, whatever links the project has."""

from __future__ import annotations

from pathlib import Path

from adapters.repository.snapshots import Entry, write_copy


def test_no_link_is_written_through_another_link(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "copy"
    (outside / "below").mkdir(parents=True)
    folder.mkdir()
    entries = [
        Entry("a", b"", False, str(outside)),
        Entry("a/x", b"", False, "/etc/passwd"),
        Entry("a/below/x", b"", False, "/etc/passwd"),
        Entry("b/c.py", b"c = 1\n", False),
        Entry("b/d.py", b"", False, "c.py"),
    ]
    write_copy(folder, entries)
    assert [path.name for path in outside.rglob("*")] == ["below"]
    assert (folder / "b" / "d.py").read_bytes() == b"c = 1\n"
