"""The titles of findings for people."""

from __future__ import annotations

from core.debate.finding import Finding
from core.languages.stored import say_stored


def finding_title(finding: Finding) -> str:
    """Returns the title of a finding: code's in the reader's language, a seat's as it is."""
    return say_stored(finding.title) if finding.id.startswith("code.") else finding.title
