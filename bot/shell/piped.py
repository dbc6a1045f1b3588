"""Piped input: whether there is any, and what it means if no template is named."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import replace

from core.application.commands import Start
from core.application.commands.parsing import PANEL, is_question
from core.debate.errors import BadInput
from core.languages import msgid, say

_CHOICES = msgid(
    "The input is no diff, so name a template for it. Code: … | debate code_review. "
    "A document: … | debate design_doc. A question of several lines: … | debate panel. Others: "
    "debate templates"
)


def is_piped() -> bool:
    """True if standard input is a pipe or a file; it reads nothing."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # there is none, or it is no file
        return False
    return stat.S_ISFIFO(mode) or (stat.S_ISREG(mode) and os.fstat(sys.stdin.fileno()).st_size > 0)


def meant(ask: Start, data: bytes) -> Start:
    """Returns the request that piped bytes make: a diff is reviewed, a line that is a link is
    followed, and a line of three words or more is a question. Raises ``BadInput`` with the choices
    for any other text.
    """
    from adapters.forges.links import looks_like_link
    from adapters.material.file import is_diff, text_of

    if not data.strip() or is_diff("", data):
        return ask
    text = text_of(data).strip()
    if len(text.splitlines()) == 1:
        if looks_like_link(text):
            return replace(ask, target=text)
        if is_question(text):
            return replace(ask, template=PANEL, target=text)
    raise BadInput(say(_CHOICES))
