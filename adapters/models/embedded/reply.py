"""Turns a small model's prose and its few choices into a whole reply.

Fields that the model was not asked for are filled in from known facts: a finding's file, number and
quotation from the line it chose, reasons from its own sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from adapters.models.embedded.shape import CHARACTERS, SECTION, THE_LINE
from core.debate.scene import CitableLine


def joined(
    prose: str, structured: str, schema: Mapping[str, Any], places: Mapping[str, CitableLine]
) -> str:
    """Prose and the fenced structured part as one reply, with what code knows filled in."""
    try:
        fields = json.loads(structured)
    except json.JSONDecodeError:
        return f"{prose}\n\n```json\n{structured}\n```"
    if isinstance(fields, dict):
        _fill(fields, prose, places)
        if "text" in schema.get("properties", {}):
            fields = {"text": prose, **fields}
    return f"{prose}\n\n```json\n{json.dumps(fields, ensure_ascii=False)}\n```"


def _fill(fields: dict[str, Any], prose: str, places: Mapping[str, CitableLine]) -> None:
    """Adds fields from the prose or from the change: reasons, a finding's file, line and
    quotation.
    """
    for finding in fields.get("findings") or ():
        finding["title"] = ended(finding.get("title", ""), CHARACTERS)
        if chosen := places.get(finding.pop("place", "")):
            finding |= {"path": chosen.path, "line": chosen.line, "quote": chosen.text}
    for answer in fields.get("answers") or ():
        answer["because"] = reason(about(prose, answer.get("to", "")))
    if isinstance(stance := fields.get("stance"), dict):
        stance["because"] = reason(about(prose, ""))
    if isinstance(sections := fields.get("sections"), dict):
        fields["sections"] = {name: ended(text, SECTION) for name, text in sections.items()}
    if isinstance(actions := fields.get("actions"), list):
        fields["actions"] = [ended(action, CHARACTERS) for action in actions]


def about(prose: str, point: str) -> str:
    """Returns the part of the prose on one point if it covers several; else all of it without the
    point's name.
    """
    parts = re.split(r"(?:^|\s)On (\S+\d+): ", prose)
    named = dict(zip(parts[1::2], parts[2::2], strict=False))
    return named.get(point) or (parts[0] + " ".join(parts[2:3])).strip()


def reason(prose: str) -> str:
    """Returns the first sentence, or the next one if the first only names a line."""
    sentences = re.split(r"(?<=[.!?])\s+", prose.strip())
    return sentences[len(sentences) > 1 and sentences[0].startswith(THE_LINE)][:240]


def ended(text: str, limit: int) -> str:
    """Returns a text that the grammar cut off at ``limit`` characters, ended at its last full
    sentence or word and marked as cut.
    """
    if len(text) < limit or text.endswith((".", "!", "?")):
        return text
    cut = whole_sentences(text)
    if cut != text or " " not in text:
        return cut
    return text.rpartition(" ")[0].rstrip(" ,;:('\"`") + " …"


def whole_sentences(text: str) -> str:
    """Returns a text that was cut off, up to its last full sentence; as it is when that would lose
    more than half.
    """
    end = max(text.rfind(mark) for mark in (". ", "! ", "? ", ".\n"))
    if end >= len(text) // 2:
        return text[: end + 1]
    return text
