"""Reads the commit message of a mailed patch (``git format-patch``), which is the title and
description of a change that has no forge.
"""

from __future__ import annotations

import re
from email import message_from_bytes
from email.policy import default as mail_policy

_HEADING = 65_536  # bytes before the first file that are looked at
_TAGS = re.compile(r"^(?:\[[^\]]*\]\s*)+")


def message_of(data: bytes) -> tuple[str, str]:
    """Returns (subject, text) of the first mail of a patch; both empty where the diff is a plain
    one.
    """
    if not data.startswith(b"From "):
        return "", ""
    heading = data[:_HEADING].split(b"\ndiff --git ", 1)[0]
    mail = message_from_bytes(heading.split(b"\n", 1)[-1], policy=mail_policy)
    subject = _TAGS.sub("", str(mail.get("Subject", "")))
    text = mail.get_payload()
    described = ""
    if isinstance(text, str):
        described = re.split(r"(?m)^---\s*$", text, maxsplit=1)[0]
    return subject, described.strip()
