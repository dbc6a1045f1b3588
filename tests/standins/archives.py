"""Archives of repositories as forges pack them."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterable, Mapping


def archive_of(files: Mapping[str, str], folder: str = "o-r-0f2b6c1") -> bytes:
    """Returns a ``.tar.gz`` of files by path, below one folder."""
    members = [(tarfile.TarInfo(f"{folder}/{path}"), text.encode()) for path, text in files.items()]
    return packed(members)


def packed(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """Returns a ``.tar.gz`` of exactly these members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(out.getvalue(), mtime=0)
