"""Texts that tests read from a file, each below its heading."""

from __future__ import annotations

import re
from pathlib import Path


def samples(file: Path) -> dict[str, str]:
    """Returns the texts of a file by their headings, which begin with ``####``."""
    pieces = re.split(r"(?m)^#### (.*)\n", file.read_text("utf-8"))[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))
