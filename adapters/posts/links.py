"""Where what is debated stands on its forge: addresses made from the debate's own material, for a
reader to follow. A foreign text has no part in them but the file's name, which is quoted.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from adapters.text.links import safe_url
from core.material import Material
from core.material.diffs import LEFT

_CHANGE = re.compile(r"(https://[^/]+/.+?)(/-/merge_requests|/pull)/\d+")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def source_url(material: Material) -> str:
    """The address of the pull request or document; empty where it is none that may be linked."""
    return _own(material.source)


def line_url(material: Material, path: str, line: int | None, side: str = "RIGHT") -> str:
    """The address of a line at the revision that was read (a deleted one: at the base), on GitHub,
    GitLab or one's own of either; empty where the material is no pull request.
    """
    change = _CHANGE.fullmatch(material.source)
    revision = material.base if side.upper() == LEFT else material.revision
    if change is None or not path or not _COMMIT.fullmatch(revision):
        return ""
    repository, kind = change.groups()
    tree = "-/blob" if "merge_requests" in kind else "blob"
    at = f"#L{line}" if line else ""
    return _own(f"{repository}/{tree}/{revision}/{quote(path)}{at}")


def _own(url: str) -> str:
    """``url`` where it is plain https without user, port or odd characters."""
    return safe_url(url, {urlsplit(url).hostname or ""}) if url.startswith("https://") else ""
