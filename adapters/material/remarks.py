"""Other reviewers' remarks on the lines of a pull request, as claims that the seats examine.

A remark on a line that the change shows is debated: everything else is counted. It is foreign text
like any other, so it is reduced to what its readers see, redacted and escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from adapters.forges.port import Remark
from adapters.material.evidence import Reported
from adapters.material.prose import seen_by_readers
from adapters.redaction.texts import one_line
from core.debate.material import LEFT, RIGHT, Hunk, Material, Scanned
from core.debate.stored import stored, stored_many

MOST = 20
"""The most remarks that are debated, the newest last."""
_LONGEST = 10_000
"""The characters of a remark that are read."""
_MARKUP = re.compile(r"[*_`#>|~]+")
_NAME = 80


def placed(remarks: Sequence[Remark], hunks: tuple[Hunk, ...]) -> Reported:
    """Returns the remarks that are on lines of the change."""
    lines = {
        (hunk.path, side, number): line.text
        for hunk in hunks
        for line in hunk.lines
        for side in (LEFT, RIGHT)
        if (number := line.number_on(side)) is not None
    }
    here = [one for one in remarks if one.line and (one.path, one.side, one.line) in lines]
    claims, secrets = [], 0
    for number, one in enumerate(here[:MOST], 1):
        title, author = one_line(_plain(one.text)), one_line(one.author)
        secrets += title.secrets + author.secrets
        claims.append(
            Scanned(
                f"remark.f{number}",
                f"remark of {author.text[:_NAME]}",
                "medium",
                title.text,
                one.path,
                one.line or 0,
                lines[one.path, one.side, one.line or 0],
                author.text[:_NAME],
                one.side,
            )
        )
    return Reported(tuple(claims), len(remarks) - len(here), max(0, len(here) - MOST), secrets)


def with_remarks(material: Material, remarks: Reported) -> Material:
    """Returns the material with the remarks, and a sentence that counts them."""
    note = stored_many(
        len(remarks.scanned),
        "{n} remark of others on the lines of this change",
        "{n} remarks of others on the lines of this change",
    )
    if remarks.more:
        note = stored("{why} ({more} more are not debated)", why=note, more=remarks.more)
    if elsewhere := remarks.elsewhere:
        note += "; " + stored(
            "{elsewhere} elsewhere or on older lines are not debated", elsewhere=elsewhere
        )
    return replace(
        material,
        scanned=(*material.scanned, *remarks.scanned),
        notes=(*material.notes, f"{note}."),
        redacted=material.redacted + remarks.secrets,
    )


def _plain(text: str) -> str:
    """Returns a remark's words without markup."""
    seen, _ = seen_by_readers(text[:_LONGEST])
    return _MARKUP.sub("", seen)
