"""Words that name something: a debate, a finding, a template, a repository, a place. One rule for
each, typed in a line or chosen in a field.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from core.debate.errors import BadInput

_ID = re.compile(r"(?=[a-z]*[0-9])[a-z0-9]{8}")
"""Tells a debate's id from a word of a sentence; after ``#`` any characters of an id are one."""
_DRAWN = re.compile(r"[a-hjkmnp-z2-9]{8}")
"""Matches every id that is ever drawn, which is enough if no sentence can be typed."""
_FINDING = re.compile(r"#?\d{1,3}|(?:code|[a-z]\d{1,4}(?:p\d{1,3}|\.\d{1,2})?)\.f\d{1,3}")
"""A number in the report, or an id: of code, of a turn, of a part read (``t1p2``), or of an
answer to a person (``x1.2``).
"""
_PULL = re.compile(
    r"(?:([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?)/)?([a-z0-9][a-z0-9_-]{0,38}/[\w.-]*\w)#([1-9]\d{0,8})",
    re.ASCII | re.IGNORECASE,
)
_MERGE = re.compile(r"(\w[\w.-]*(?:/\w[\w.-]*)+)!([1-9]\d{0,8})", re.ASCII)
_WHOLE_THREAD = frozenset({"this", "thread", "this thread", "here"})
_CHANNEL = re.compile(r"<#([A-Z0-9]+)(?:\|[^>]*)?>")


def is_id(text: str) -> bool:
    """True if a word of a sentence is meant as a debate's id."""
    return bool(_ID.fullmatch(text) or re.fullmatch(r"#[a-z0-9]{4,}", text))


def may_be_id(text: str) -> bool:
    """True if a word in a place for an id can be a debate's id."""
    return is_id(text) or bool(_DRAWN.fullmatch(text))


def debate_id(text: str) -> str:
    """Returns an id as typed, without a ``#`` before it and without characters that no id has.
    Raises ``BadInput``.
    """
    bare = text.removeprefix("#").strip("`").lower()
    if not re.fullmatch(r"[0-9a-z][0-9a-z_-]{0,63}", bare):
        raise BadInput("{text} is no debate's id: list shows them.", text=repr(text[:40]))
    return bare


def is_finding(text: str) -> bool:
    """True if a word is a finding's number in the report, or its id."""
    return bool(_FINDING.fullmatch(text.lower()))


def find_template(typed: str, templates: Collection[str]) -> str:
    """Returns the template's own id; hyphens, capitals and a version at the end do not matter.

    Empty if there is none.
    """
    if typed in templates:
        return typed
    return next((each for each in templates if _bare(each) == _bare(typed)), "")


def change_url(text: str) -> str:
    """Returns the address of a change that is written as ``owner/name#7`` (GitHub, also with a host
    in front) or ``group/name!7`` (GitLab); empty for any other text.
    """
    if pull := _PULL.fullmatch(text):
        return f"https://{(pull[1] or 'github.com').lower()}/{pull[2]}/pull/{pull[3]}"
    if merge := _MERGE.fullmatch(text):
        return f"https://gitlab.com/{merge[1]}/-/merge_requests/{merge[2]}"
    return ""


def is_link(text: str) -> bool:
    """True if a target is a link, or a change's short name."""
    return text.startswith(("https://", "http://")) or bool(change_url(text))


def place_name(text: str) -> str:
    """Returns ``slack:CHANNEL`` or ``discord:CHANNEL``; a channel picked from a platform's own list
    counts as that platform's. Raises ``BadInput``.
    """
    if picked := _CHANNEL.fullmatch(text):
        if picked[1].isdigit():
            return f"discord:{picked[1]}"
        return f"slack:{picked[1]}"
    if not re.fullmatch(r"(?:slack|discord):\S+", text):
        raise BadInput(
            "{text} is no place: write slack:CHANNEL or discord:CHANNEL.", text=repr(text[:60])
        )
    return text


def repository_name(text: str, forge: str) -> str:
    """Returns ``OWNER/REPO``, also from a link; a project of GitLab with all its groups. A
    repository elsewhere than on the forge's own site has its host in front. Raises ``BadInput``.
    """
    name = re.sub(r"^https?://", "", text).removesuffix(".git").strip("/")
    name = re.sub(rf"^(?:www\.)?{forge}\.com/", "", name)
    more = "+" if forge == "gitlab" else "{1,2}"
    if not re.fullmatch(rf"(?:[\w.-]+(?::\d+)?/){more}[\w.-]+", name, re.ASCII):
        raise BadInput("{text} is no repository: write OWNER/REPO.", text=repr(text[:60]))
    return name


def _bare(name: str) -> str:
    return re.sub(r"_v\d+$", "", name.lower().replace("-", "_"))


def takes_channels(line: str) -> bool:
    """Return True if a command takes channels as places: ``mirror``, or one with ``--channel``."""
    return re.match(r"\s*mirror\b", line, re.IGNORECASE) is not None or "--channel" in line


def is_thread_itself(target: str) -> bool:
    """Return True if a target is the thread in which it is named."""
    return " ".join(target.lower().split()) in _WHOLE_THREAD


def asks_for_thread(text: str, templates: Collection[str]) -> str:
    """Returns the start that ``text`` makes if it names a template and no target, or the thread
    itself as the target; "" for anything else.
    """
    words, dashes, options = text.strip().partition("--")
    template, _, target = words.strip().partition(" ")
    if template in templates and (not target or is_thread_itself(target)):
        return f"{template} {dashes}{options}".strip()
    return ""
