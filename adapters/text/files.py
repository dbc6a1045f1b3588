"""Text files that people attach as material."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.text.encodings import as_utf8
from core.application.commands.parsing import DIFFS
from core.debate.errors import BadInput
from core.languages import msgid, number, say

SUFFIXES = (*DIFFS, ".md", ".markdown", ".txt")
LINK_AND_FILE = msgid("A link and a file: give me one of them.")
_LONGEST_THREAD = 100_000  # characters


def is_material(name: str, kind: str) -> bool:
    """Return True if a file can be debated: by the ending of its name, or, without an ending, by
    the ``kind`` of content that the chat names ("text/plain").
    """
    bare = "." not in name.strip(".")
    return name.lower().endswith(SUFFIXES) or (bare and kind.startswith("text/"))


def decode(name: str, data: bytes) -> str:
    """Returns the text of a file. Raises ``BadInput`` for a file that is not text, or is empty."""
    if not data.strip():
        raise BadInput(say("{name} is empty: there is nothing in it to debate", name=name))
    try:
        text = as_utf8(data).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(
            say("{name} is not UTF-8 text; save it as UTF-8 and attach it again", name=name)
        ) from None
    if "\0" in text:
        raise BadInput(say("{name} is no text, whatever its name says; attach a text", name=name))
    return text


def joined_thread(lines: Sequence[str], *, empty: bool, cut: bool) -> str:
    """Returns the text of a thread. Raises ``BadInput`` if it is ``empty``, too long or ``cut``."""
    text = "\n\n".join(lines)
    if empty:
        raise BadInput(say("This thread holds no text to debate."))
    if len(text) > _LONGEST_THREAD or cut:
        raise BadInput(
            say(
                "This thread is too long to be debated whole. Put what matters into a .md file and "
                "attach it."
            )
        )
    return text


def joined(files: Sequence[tuple[str, str]], limit: int) -> tuple[str, str]:
    """Returns the name and text of several files as of one; texts come before the diffs that they
    describe. Raises ``BadInput`` for more than ``limit`` bytes.
    """
    if len(files) == 1:
        return files[0]
    ordered = sorted(files, key=lambda file: file[0].lower().endswith(DIFFS))
    names = ", ".join(name for name, _ in ordered)
    text = "\n\n".join(text.rstrip("\n") for _, text in ordered) + "\n"
    if len(text.encode()) > limit:
        raise BadInput(
            say(
                "{names} have more than {limit} bytes together. Attach what matters.",
                names=names, limit=number(limit),
            )
        )  # fmt: skip
    return names, text
