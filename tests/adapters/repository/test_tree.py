"""A tree read from an archive holds the source files only, whatever else the archive holds."""

from __future__ import annotations

import gzip
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.repository import tree
from adapters.repository.tree import LARGEST_FILE, inside, tree_of_archive
from core.debate.errors import BadInput
from tests.standins.archives import archive_of, packed


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_source_files_are_kept_below_the_archives_own_folder() -> None:
    files = {"src/a.py": "x = 1\n", "README.md": "no source", "web/b.tsx": "let b = 1"}
    kept = tree_of_archive(archive_of(files))
    assert kept.files == {"src/a.py": "x = 1\n", "web/b.tsx": "let b = 1"}
    assert kept.left_out == 0


def test_links_devices_and_paths_that_lead_out_are_nothing() -> None:
    archive = packed(
        [
            (member("r/link.py", tarfile.SYMTYPE, "/etc/passwd"), b""),
            (member("r/hard.py", tarfile.LNKTYPE, "r/real.py"), b""),
            (member("r/pipe.py", tarfile.FIFOTYPE), b""),
            (member("r/../../etc/cron.py"), b"x"),
            (member("/abs/root.py"), b"x"),
            (member("r/a\\..\\b.py"), b"x"),
            (member("r/./c.py"), b"x"),
            (member("r/node_modules/d.js"), b"x"),
            (member("r/real.py"), b"ok"),
        ]
    )
    assert tree_of_archive(archive).files == {"real.py": "ok"}


@given(st.text(alphabet="ab./\\\0", max_size=12))
def test_no_name_leads_out(name: str) -> None:
    parts = inside(name).split("/")
    assert not {"..", ".", ""} & set(parts[:-1]) or parts == [""]
    assert not name.startswith("/") or parts == [""]


def test_what_is_too_large_or_binary_is_counted_and_not_kept() -> None:
    files = {"a.py": "x" * (LARGEST_FILE + 1), "b.py": "\0", "c.py": "y"}
    kept = tree_of_archive(archive_of(files))
    assert (set(kept.files), kept.left_out) == ({"c.py"}, 2)


def test_an_archive_that_unpacks_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "LARGEST_UNPACKED", 100_000)
    bomb = packed([(member("r/big.bin"), b"\0" * 1_000_000), (member("r/a.py"), b"x")])
    assert len(bomb) < 5_000
    with pytest.raises(BadInput, match="unpacks to more than"):
        tree_of_archive(bomb)


@pytest.mark.parametrize(
    "data", [b"", b"no archive", gzip.compress(b"no tar", mtime=0), b"\x1f\x8b\x08"]
)
def test_what_is_no_archive_is_told(data: bytes) -> None:
    with pytest.raises(BadInput, match="can't be unpacked"):
        tree_of_archive(data)


@given(st.binary(max_size=400))
def test_a_broken_archive_is_never_more_than_an_error(noise: bytes) -> None:
    whole = archive_of({"a.py": "x = 1\n"})
    for data in (noise, whole[: len(noise)], gzip.compress(noise)):
        try:
            kept = tree_of_archive(data)
        except BadInput:
            continue
        assert set(kept.files) <= {"a.py"}
