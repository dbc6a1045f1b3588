"""What a form says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from adapters.room.incoming.visitors import Visitor


def text_of(form: Mapping[str, Any], name: str) -> str:
    """One line or text of a form, empty where it has none of that name."""
    value = form.get(name, "")
    if isinstance(value, str):
        return value.strip()
    return ""


def once(visitor: Visitor, form: Mapping[str, Any], what: str) -> str:
    """The key under which the same form, sent twice, is one."""
    parts = (visitor.key, text_of(form, "once"), text_of(form, "value"), what)
    return f"room:{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}"
