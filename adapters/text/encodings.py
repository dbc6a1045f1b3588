"""Converts texts in UTF-16 or UTF-32, as Windows redirects and saves them, to UTF-8."""

from __future__ import annotations

import codecs

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # begins like the next but one
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 400  # bytes
_LEAST = 16  # characters


def as_utf8(data: bytes) -> bytes:
    """Returns the bytes in UTF-8 if they are in a wider encoding: by its mark, or because every
    second byte of a plain text is zero. Others are returned as they are.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return data.decode(encoding, "replace").encode()
    for first, encoding in enumerate(("utf-16-be", "utf-16-le")):
        high, low = data[first:_SAMPLE:2], data[1 - first : _SAMPLE : 2]
        zeros = high.count(0)
        if zeros >= _LEAST and zeros * 4 > 3 * len(high) and not low.count(0):
            return data.decode(encoding, "replace").encode()
    return data
