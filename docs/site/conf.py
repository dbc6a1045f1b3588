"""How the pages in ``docs/`` become a site: ``make docs``, into ``build/docs``.

The pages are plain Markdown that a forge shows as well; only ``index.md`` says what stands where.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Debatebot"
copyright = "the maintainers of Debatebot"
extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site", "licences"]
html_theme = "furo"
html_title = "Debatebot"
html_copy_source = False
html_show_sphinx = False
html_extra_path = ["../llms.txt"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
copybutton_prompt_text = "$ "

_OUTSIDE = re.compile(r"\[([^\]\n]+)\]\((?:\.\./|licences/)[^)\s]+\)")
"""A link to a file of the checkout that is no page."""


def setup(app: Sphinx) -> None:
    app.connect("source-read", _without_outside)
    app.connect("build-finished", _beside)


def _without_outside(_app: Sphinx, _name: str, source: list[str]) -> None:
    """On the site such a link would lead nowhere: its words stay."""
    source[0] = _OUTSIDE.sub(r"\1", source[0])


def _beside(app: Sphinx, failed: Exception | None) -> None:
    """Each page as plain text beside the page, for programs that read documentation."""
    if failed is None:
        for page in Path(app.srcdir).glob("*.md"):
            shutil.copyfile(page, Path(app.outdir) / page.name)
