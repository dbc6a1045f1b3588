"""Code that no seat read says nothing for itself: where some was changed, nothing is approved.

Otherwise whoever wants something in puts it where reviewers do not look (``vendor/``, a minified
file, a lock file, behind a thousand others) beside an edit that everybody likes.
"""

from __future__ import annotations

from dataclasses import replace

from core.debate import Debate
from core.material import Coverage
from core.template import Option
from core.verdict.consensus import Consensus

_NAMED = 3


def unread(debate: Debate) -> tuple[Coverage, ...]:
    """The changed files with code that was not read, or not all of it."""
    return tuple(one for one in debate.open.material.coverage if one.unread)


def unread_line(debate: Debate) -> str:
    """A sentence that names them; empty where all was read."""
    left = unread(debate)
    if not left:
        return ""
    named = ", ".join(f"{one.path} ({one.reason})" for one in left[:_NAMED])
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return f"Code was changed that nobody read: {named}{more}."


def mildest(options: tuple[Option, ...]) -> frozenset[str]:
    """The options that approve: the mildest of an ordered ballot, none of any other."""
    strict = [option.strict for option in options]
    if not strict or min(strict) == max(strict):
        return frozenset()
    return frozenset(o.option for o in options if o.strict == min(strict))


def capped(debate: Debate, by: Consensus) -> Consensus:
    """What the seats' votes came to, which approves nothing that nobody read: it is not reached."""
    if by.option in mildest(debate.open.template.ballot) and unread(debate):
        return replace(by, reached=False)
    return by


def capped_rule(debate: Debate, chosen: Option) -> Option:
    """What the rule over findings came to, or the next stricter option where it approves what
    nobody read.
    """
    ballot = debate.open.template.ballot
    if chosen.option not in mildest(ballot) or not unread(debate):
        return chosen
    return min((o for o in ballot if o.strict > chosen.strict), key=lambda o: o.strict)
