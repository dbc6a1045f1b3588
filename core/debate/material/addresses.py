"""Builds links to the material on its forge from the debate's own data. Foreign text enters them
only as a file's name, which is quoted.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits

from core.debate.material import LEFT, Material

_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?:/[\w.~%/-]*)?", re.ASCII)
_CHANGE = re.compile(
    r"(https://[A-Za-z0-9.-]+/[\w./-]+?)(/-/merge_requests|/pull)/[0-9]{1,9}", re.ASCII
)
_PLAIN = frozenset(ascii_letters + digits + "-._~/")
_TREES = {"/-/merge_requests": "/-/blob", "/pull": "/blob"}
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def source_url(material: Material) -> str:
    """Returns the address of the pull request or document; empty if it must not be linked."""
    if _ADDRESS.fullmatch(material.source):
        return material.source
    return ""


def line_url(material: Material, path: str, line: int | None, side: str = "RIGHT") -> str:
    """Returns the address of a line at the revision that was read (of a deleted line: at the base),
    on GitHub, GitLab or a self-hosted one; empty if the material is not a pull request.
    """
    change = _CHANGE.fullmatch(material.source)
    revision = {LEFT: material.base}.get(side.upper(), material.revision)
    if change is None or not path or not _COMMIT.fullmatch(revision):
        return ""
    repository, kind = change.groups()
    address = f"{repository}{_TREES[kind]}/{revision}/{_quoted(path)}"
    if line:
        return f"{address}#L{line}"
    return address


def _quoted(path: str) -> str:
    """Escapes ``path`` for an address."""
    escaped = ("".join(f"%{b:02X}" for b in c.encode("utf-8", "surrogatepass")) for c in path)
    return "".join(c if c in _PLAIN else code for c, code in zip(path, escaped, strict=True))
