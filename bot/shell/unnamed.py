"""Guesses the meaning of piped input if no template was named: a change, a link or a question."""

from __future__ import annotations

from dataclasses import replace

from adapters.forges.links import looks_like_link
from adapters.material.file import is_diff, text_of
from core.application.commands import Start
from core.application.commands.parsing import PANEL, is_question
from core.debate.errors import BadInput
from core.languages import msgid, say

_CHOICES = msgid(
    "The input is no diff, so name a template for it. Code: … | debate code_review. "
    "A document: … | debate design_doc. A question of several lines: … | debate panel. Others: "
    "debate templates"
)


def meant(ask: Start, data: bytes) -> Start:
    """Returns the request that piped bytes make: a diff is reviewed, a line that is a link is
    followed, and a line of three words or more is a question. Raises ``BadInput`` with the choices
    for any other text.
    """
    if not data.strip() or is_diff("", data):
        return ask
    text = text_of(data).strip()
    if len(text.splitlines()) == 1:
        if looks_like_link(text):
            return replace(ask, target=text)
        if is_question(text):
            return replace(ask, template=PANEL, target=text)
    raise BadInput(say(_CHOICES))
