"""What a form says about itself."""

from __future__ import annotations

import hashlib

from adapters.room.visitors import Visitor
from adapters.routes.reading import Form


def once(visitor: Visitor, form: Form, what: str) -> str:
    """The key under which the same form, sent twice, is one."""
    parts = (visitor.key, form.text("once"), form.text("value"), what)
    return f"room:{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}"
