"""``python -m tools.pages``: writes ``docs/llms.txt``, the list of all pages for programs that read
documentation; and what the tests ask of links.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from tests.project import DOCS, ROOT
from tools.hygiene import tracked_files

LIST = DOCS / "llms.txt"
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *#* *$", re.MULTILINE)


def pages() -> list[Path]:
    """Returns every page of the project."""
    return [
        ROOT / name
        for name in tracked_files(ROOT)
        if name.endswith(".md") and not name.startswith(("core/", "adapters/", "tests/"))
    ]


def anchors(page: Path) -> set[str]:
    """Returns the names that a link may use behind ``#``, as GitHub makes them of headings."""
    counts: dict[str, int] = {}
    made = set()
    for heading in _HEADING.findall(_FENCE.sub("", page.read_text("utf-8"))):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        kept = "".join(
            c for c in plain if c in "-_ " or unicodedata.category(c)[0] in "LN"
        ).replace(" ", "-")
        count = counts.get(kept, 0)
        counts[kept] = count + 1
        made.add(f"{kept}-{count}" if count else kept)
    return made


def dead_links(page: Path) -> Iterator[str]:
    """Returns the links of a page to files and headings of the project that are not there."""
    text = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", page.read_text("utf-8")))
    for target in _LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield f"{target}: no such file"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{target}: no such heading"


def summary(page: Path) -> tuple[str, str]:
    """Returns a page's title and its first sentence."""
    text = _FENCE.sub("", page.read_text("utf-8"))
    title = next(iter(_HEADING.findall(text)))
    body = re.sub(r"^(?:#|\||!|<|-|\d+\.).*$", "", text, flags=re.MULTILINE).strip()
    first = re.split(r"(?<=[.!?])\s", " ".join(body.split("\n\n")[0].split()))[0]
    return title, re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", first)


def llms() -> str:
    """https://llmstxt.org: a title, one sentence, and the pages with what each is about."""
    lines = [
        "# Debatebot",
        "",
        "> Several models with different jobs argue over a pull request, a document or a question;",
        "> people vote and challenge; code, not a model, computes the verdict.",
        "",
        "## Pages",
        "",
    ]
    for page in sorted(DOCS.glob("*.md")):
        title, first = summary(page)
        lines.append(f"- [{title}]({page.name}): {first}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    LIST.write_text(llms(), encoding="utf-8")
