r"""Spells out characters that a reader cannot see, which are the oldest way to smuggle text past a
review.

Bidirectional controls, zero-width and other format characters, C0/C1 controls, tags and lone
surrogates are written as ``\u202e`` would be; what is left is what a person sees. The list follows
Unicode's Bidi_Control, Default_Ignorable_Code_Point and general category Cc.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"

_PLAIN = re.compile("[\t\n -~]*")
"""Matches a text that consists only of ordinary characters, as most texts do; this test is six
times as fast as a full search.
"""
_HIDDEN = re.compile(f"[{_BIDI}{_ZERO_WIDTH}{_CONTROL}]")
_BIDI_ONE = re.compile(f"[{_BIDI}]")
_IN_EMOJI = re.compile(
    "(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
)
_ZERO_WIDTH_ONE = re.compile(f"[{_ZERO_WIDTH}]")

_PATH_SHOWN = 200
"""Characters; longer names are shown shortened, with a digest that keeps them apart."""


def _code_point(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point == 0x0D:
        return "\\r"
    if point <= 0xFFFF:
        return f"\\u{point:04x}"
    return f"\\U{point:08x}"


def show_hidden(text: str) -> str:
    r"""Returns the text with every unseen character spelled out (``\u202e``). Line feed and tab
    stay; applying it twice changes nothing.
    """
    if _PLAIN.fullmatch(text):
        return text
    return _HIDDEN.sub(_code_point, text)


def spelled(text: str, how: Callable[[str], str]) -> str:
    """Returns the text with every unseen character written by ``how``; line feed and tab stay."""
    return _HIDDEN.sub(lambda match: how(match[0]), text)


def without_zero_width(text: str) -> str:
    """Removes the characters that take no room, in which whole sentences can be hidden."""
    return _ZERO_WIDTH_ONE.sub("", text)


def show_path(path: str) -> str:
    """Returns a file name on one line, safe to show: no line breaks, no backticks, never longer
    than 200 characters.
    """
    rendered = show_hidden(path).replace("\n", "\\n").replace("\t", "\\t").replace("`", "\\u0060")
    if len(rendered) <= _PATH_SHOWN:
        return rendered
    digest = hashlib.sha256(rendered.encode()).hexdigest()[:12]
    return f"{rendered[:120]}…[{len(rendered):,} characters, {digest}]…{rendered[-40:]}"


def bidi_characters(text: str) -> tuple[str, ...]:
    """Returns the bidirectional controls in the text, spelled out, each once, in order of
    appearance.
    """
    return tuple(dict.fromkeys(_code_point(match) for match in _BIDI_ONE.finditer(text)))


def zero_width_characters(text: str) -> tuple[str, ...]:
    """Returns the invisible format characters in the text, spelled out, each once, in order of
    appearance; not those that join emoji.
    """
    matches = _ZERO_WIDTH_ONE.finditer(_IN_EMOJI.sub("", text))
    return tuple(dict.fromkeys(map(_code_point, matches)))
