"""The pages: no link is dead, their list is whole, and what they say to type can be typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.shell.cli import template_names
from core.application.commands import parse
from core.application.commands.help import SHELL_ONLY
from core.debate.errors import BadInput
from tests.project import DOCS, EXAMPLES, ROOT
from tools.pages import LIST, anchors, dead_links, llms, pages

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_dead(page: Path) -> None:
    assert [*dead_links(page)] == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# A `b` c: d!\n[x](gone.md) [y](#a-b-c-d) [z](#e) ```\n")
    assert anchors(page) == {"a-b-c-d"}
    assert [*dead_links(page)] == ["gone.md: no such file", "#e: no such heading"]


def test_programs_find_every_page() -> None:
    """Anew: python -m tools.pages"""
    assert LIST.read_text("utf-8") == llms()


def test_the_changelog_is_read_by_its_headings() -> None:
    """The changelog has one line for each change, below the heading of its subject
    (CONTRIBUTING.md).
    """
    for release in (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")[1:]:
        above, *sections = release.split("\n### ")
        assert "\n- " not in above
        for section in sections:
            _, *bullets = filter(None, section.splitlines())
            assert bullets
            assert [line for line in bullets if not line.startswith("- ") or len(line) > 150] == []


def commands() -> list[tuple[str, str]]:
    """Returns every line of a fence that begins with our command, without what a shell does around
    it.
    """
    rows = []
    for page in sorted([*DOCS.glob("*.md"), ROOT / "README.md"]):
        for _, text in FENCE.findall(page.read_text("utf-8")):
            for line in text.replace("\\\n", " ").splitlines():
                bare = line.strip()
                if bare.startswith(("debate ", "/debate ")):
                    rows.append((page.name, re.split(r"\s{3,}|\s(?:#|\||>|&&|\|\|)", bare)[0]))
    return rows


@pytest.mark.parametrize(("page", "line"), commands())
def test_every_line_that_a_page_says_to_type_is_understood(page: str, line: str) -> None:
    word, *rest = shlex.split(line.replace("…", "x"))
    prefix = word
    if rest and prefix == "debate" and rest[0] in SHELL_ONLY:
        return
    content = (EXAMPLES / "acme-debates/acme_debates/__init__.py").read_text("utf-8")
    content += (DOCS / page).read_text("utf-8") if (DOCS / page).exists() else ""
    templates = [*template_names(Settings()), *re.findall(r'^id = "(\w+)"', content, re.MULTILINE)]
    try:
        parse(rest, templates=templates, prefix=prefix, also=SHELL_ONLY)
    except BadInput as error:
        raise AssertionError(f"{page}: {line}\n{error}") from error
