"""Cuts a typed line into tokens and never fails: people write "don't", leave quotes open, and their
phones replace quotes and dashes.

A quote opens only at the beginning of a word (or after ``=``) and only if its partner ends a word;
anything else is text. Each token knows its position, so that a text can be taken over as it was
typed, line breaks included.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

_PARTNERS = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“”", "‘": "’", "«": "»", "”": "”"}
_DASHES = re.compile(r"^(?:--|[—–−‒―]{1,2}|-)(?=[A-Za-z])")
_WRAPPED = re.compile(r"<((?:https?|mailto):[^|>\s]+)(?:\|[^>\n]*)?>")


@dataclass(frozen=True, slots=True)
class TypedToken:
    """``text`` is without its quotes; ``start`` and ``end`` include them. A ``quoted`` token is
    never an option.
    """

    text: str
    start: int
    end: int
    quoted: bool = False

    @property
    def option(self) -> str:
        """Returns the option's name that this looks like (``--Rounds=2`` gives ``rounds``), empty
        if it is none.
        """
        if self.quoted or not (dashes := _DASHES.match(self.text)):
            return ""
        return self.text[dashes.end() :].partition("=")[0].lower().replace("_", "-")

    @property
    def is_surely_option(self) -> bool:
        """True if it can hardly be anything but an option: two plain hyphens, not a dash in a
        sentence.
        """
        return re.match(r"--\w", self.text) is not None

    @property
    def value(self) -> str | None:
        """Returns the text after ``=``, None without one."""
        _, given, value = self.text.partition("=")
        if not given:
            return None
        return value


@dataclass(frozen=True, slots=True)
class TypedLine:
    """The line as it was typed, links unwrapped, and its tokens; with the templates that exist.

    ``attached`` means that the material comes by another way; ``elsewhere`` are options that other
    commands take.
    """

    source: str
    tokens: tuple[TypedToken, ...]
    templates: Collection[str] = ()
    attached: bool = False
    elsewhere: Collection[str] = ()

    def text(self, tokens: Sequence[TypedToken]) -> str:
        """Returns the text of the tokens, exactly as typed if they are adjacent; one quoted token
        loses its quotes.
        """
        if len(tokens) == 1:
            return tokens[0].text.strip()
        runs: list[list[TypedToken]] = []
        for token in tokens:
            if runs and not self.source[runs[-1][-1].end : token.start].strip():
                runs[-1].append(token)
            else:
                runs.append([token])
        return " ".join(self.source[run[0].start : run[-1].end] for run in runs).strip()


def tokenize(typed: str | Sequence[str]) -> TypedLine:
    """Returns the tokens of a typed line, or of a shell's arguments, which were cut before and keep
    their spaces.
    """
    if isinstance(typed, str):
        source = _unwrap_links(typed)
        return TypedLine(source, tuple(_tokens(source)))
    arguments = [_unwrap_links(a) for a in typed]
    tokens, at = [], 0
    for argument in arguments:
        tokens.append(TypedToken(argument, at, at + len(argument), quoted=_sentence(argument)))
        at += len(argument) + 1
    return TypedLine(" ".join(arguments), tuple(tokens))


def _unwrap_links(text: str) -> str:
    """Replaces Slack's ``<url|label>``, and the ``<url>`` of people who want no preview, by plain
    addresses.
    """
    return _WRAPPED.sub(lambda match: match[1].replace("&amp;", "&"), text)


def _sentence(argument: str) -> bool:
    return not argument or (
        bool(re.search(r"\s", argument)) and not re.match(r"--[a-z-]+=", argument)
    )


def _tokens(source: str) -> Iterable[TypedToken]:
    at = 0
    unclosed = set[str]()  # those find no partner further on either: looking takes quadratic time
    while at < len(source):
        if source[at].isspace():
            at += 1
            continue
        if source[at] not in unclosed and (quoted := _read_quoted(source, at)):
            text, end = quoted
            yield TypedToken(text, at, end, quoted=True)
        else:
            unclosed |= {source[at]} & _PARTNERS.keys()
            text, end = _word(source, at, unclosed)
            yield TypedToken(text, at, end)
        at = end


def _word(source: str, start: int, unclosed: set[str]) -> tuple[str, int]:
    """Returns a word up to the next space; ``--name="a b"`` keeps its quoted value."""
    at = start
    option = _DASHES.match(source[start : start + 4])
    while at < len(source) and not source[at].isspace():
        opening = source[at + 1 : at + 2]
        if source[at] == "=" and option and opening in _PARTNERS and opening not in unclosed:
            if value := _read_quoted(source, at + 1):
                return source[start : at + 1] + value[0], value[1]
            unclosed.add(opening)
        at += 1
    return source[start:at], at


def _read_quoted(source: str, start: int) -> tuple[str, int] | None:
    """Returns the text of a quoted piece that opens at ``start`` and the place behind it; None if
    nothing opens or nothing closes.
    """
    if start >= len(source) or source[start] not in _PARTNERS:
        return None
    opening, at, out = source[start], start + 1, []
    while at < len(source):
        char = source[at]
        if opening == '"' and char == "\\" and source[at + 1 : at + 2] in ('"', "\\"):
            out.append(source[at + 1])
            at += 2
            continue
        if char in _PARTNERS[opening] and (at + 1 == len(source) or source[at + 1].isspace()):
            return "".join(out), at + 1
        out.append(char)
        at += 1
    return None
