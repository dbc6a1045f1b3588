"""Shows foreign text as it is, without effect on markup."""

from __future__ import annotations

import re

from core.debate.material import escaping


def visible(text: str) -> str:
    """Returns ``text`` with every unseen character spelled out and all kinds of line ends as line
    feeds.
    """
    return escaping.show_hidden(re.sub("\r\n?|[\u2028\u2029]", "\n", text))


def literal(text: str) -> str:
    """Returns Markdown that shows ``text`` as it is: for foreign words inside one of our
    sentences.
    """
    return re.sub(r"([\\`*_~\[\]<>&#|!()+\-.=:])", r"\\\1", visible(text)).replace("\n", " ")
