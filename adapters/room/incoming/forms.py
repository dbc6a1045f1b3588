"""The fields by which a form tells its sending apart."""

from __future__ import annotations

import hashlib

from adapters.room.visitors import Visitor
from adapters.routes.reading import FormEntries


def once(visitor: Visitor, form: FormEntries, what: str) -> str:
    """Returns the key that makes a form that is sent twice count once."""
    parts = (visitor.key, form.text("once"), form.text("value"), what)
    return f"room:{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}"
