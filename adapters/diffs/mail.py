"""Reads the messages of a series of changes (mails, the log of a repository), which are the title
and description of a change that has no forge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from email import message_from_bytes, message_from_string
from email.message import EmailMessage
from email.policy import default as mail_policy
from email.utils import parsedate_to_datetime
from itertools import pairwise, takewhile

from adapters.diffs.cutting import Log, Message
from adapters.text.encodings import as_utf8

_TAGS = re.compile(r"^(?:\[[^\]]*\]\s*)+")
_ENCODED = re.compile(
    r"^Content-(?:Transfer-Encoding:\s*(?:quoted-printable|base64)|Type:\s*multipart/)",
    re.IGNORECASE | re.MULTILINE,
)
_CONTENT = re.compile(r"^Content-(?=Type:|Transfer-Encoding:)", re.IGNORECASE | re.MULTILINE)
_FOLDED = re.compile(r":[ \t]*\n[ \t]+")
_PREAMBLE = re.compile(r"\s*(?:This is an? multi-?part message in MIME format\.?)?\s*")
_MBOX = re.compile(r"^(?=From (?:[0-9a-f]{4,64}|\S+@\S+) )", re.MULTILINE)
_LOG_HEADER = re.compile(
    r"(?:# |-{60,72}$|r\d+ \||revno: |changeset: |branch|tag|parent|user|date|phase|committer"
    r"|timestamp|author|fixes bug|message:|summary:|description:|diff:|files[+-]?: |Tagger: |Date: "
    r"|manifest: |extra: |bisect:|Changed paths:$|   [ADMR] /"
    r"|Change \d+ by |Affected files|Differences \.\.\.|Moved files|\.\.\. //)"
)


_NUMBER = re.compile(
    r"(?:Subject: \[[^\]]*?(?=\d+/\d+\])|r(?=\d+ \|)|changeset: +|revno: |Change (?=\d+ by )"
    r"|# Date )(?P<number>\d{1,12})"
)
_DATE = re.compile(r"(?:Author)?[Dd]ate: +(?P<date>.+)")


def newest_first(messages: Sequence[Message]) -> bool | None:
    """Returns True if a series has its newest change first, by the numbers and dates of its
    messages; None if they have none.
    """
    times = list(filter(None, map(_time, messages)))
    if not times:
        return None
    later = sum(before < after for before, after in pairwise(times))
    earlier = sum(before > after for before, after in pairwise(times))
    return earlier > later or (earlier == later and is_log(messages))


def is_log(messages: Iterable[Message]) -> bool:
    """Return whether messages are of a log, which usually has its newest change first."""
    return any(message.log in (Log.COMMIT, Log.LOG) for message in messages)


def _time(message: Message) -> float | None:
    """Returns the number or the time in the heading of a message."""
    for line in reversed(list(takewhile(bool, message.lines))):
        if number := _NUMBER.match(line):
            return float(number["number"])
        if date := _DATE.match(line):
            try:
                return parsedate_to_datetime(date["date"]).timestamp()
            except (ValueError, OverflowError):
                return None
    return None


def message_of(message: Message) -> tuple[str, str]:
    """Returns (subject, text) of a message."""
    if message.log is Log.PROSE:
        return "", "\n".join(message.lines).strip()
    if message.log is Log.MAIL:
        return _mail(message.lines)
    first, *rest = message.lines
    if message.log is Log.COMMIT and not first.startswith("commit "):
        return re.sub(r"^\S+(?: \([^)]*\))? ?", "", first), ""
    if message.log is Log.COMMIT:
        lines = [line[4:] if line.startswith("    ") else "" for line in rest]
    else:
        about = (line.removeprefix("summary:") for line in message.lines)
        lines = [line.strip() for line in about if not _LOG_HEADER.match(line)]
    return _subject("\n".join(lines).strip())


def _subject(text: str) -> tuple[str, str]:
    subject, _, rest = text.partition("\n")
    return subject.strip(), rest.strip()


def _mail(lines: Sequence[str]) -> tuple[str, str]:
    text = "\n".join(lines)
    if text.startswith("From "):
        text = text.partition("\n")[2]
    mail = message_from_string(text, policy=mail_policy)
    subject = _TAGS.sub("", " ".join(str(mail.get("Subject", "")).split()))
    payload = mail.get_payload()
    words = text.partition("\n\n")[2]
    if isinstance(payload, str):
        words = payload
    described, _, after = f"\n{words}\n".partition("\n---\n")  # after it: notes, the statistic
    notes = "\n".join(line for line in after.split("\n") if not line.startswith(" "))
    return subject, f"{described.strip()}\n\n{notes.strip()}".strip()


def decoded_mails(text: str) -> str:
    """Returns a text with the bodies of its mails decoded, if some are in several parts or sent in
    quoted-printable or base64; any other text is returned as it is.
    """
    if not _ENCODED.search(text):
        return text
    if text.find("\r\n") == text.find("\n") - 1:
        text = text.replace("\r\n", "\n")
    return "".join(_decoded(mail) for mail in _MBOX.split(text))


def _decoded(text: str) -> str:
    mark, rest = "", text.lstrip("\n")
    if _MBOX.match(text):
        mark, _, rest = text.partition("\n")
        mark += "\n"
    head, blank, body = rest.partition("\n\n")
    if not blank or not (_ENCODED.search(rest) and re.search(r"(?mi)^(?:Subject|From):", head)):
        return text
    head = _FOLDED.sub(": ", head)
    mail = message_from_bytes(f"{head}\n\n{body}".encode(), policy=mail_policy)
    headers = _CONTENT.sub("X-Content-", head)
    return f"{mark}{headers}\n\n" + "\n".join(_texts(mail)) + "\n"


def _texts(mail: EmailMessage) -> Iterator[str]:
    """Yields the texts of all parts; for a part that is no text, git's line for a binary file."""
    for part in mail.walk():
        around = [one for one in (part.preamble, part.epilogue) if one]
        yield from (one for one in around if not _PREAMBLE.fullmatch(one))
        if part.is_multipart():
            continue
        data = part.get_payload(decode=True)
        if not isinstance(data, bytes):
            continue
        data = as_utf8(_recoded(data, part.get_content_charset("utf-8")))
        if part.get_content_maintype() == "text" or _is_text(data):
            yield data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
        else:
            name = " ".join((part.get_filename() or "an attachment").split())
            yield f"diff --git a/{name} b/{name}\nBinary files a/{name} and b/{name} differ\n"


def _recoded(data: bytes, charset: str) -> bytes:
    """Returns a text in UTF-8 if it is in the charset that its mail names."""
    try:
        return data.decode(charset).encode()
    except (LookupError, ValueError):
        return data


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
