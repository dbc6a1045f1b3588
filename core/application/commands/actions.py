"""The actions that a person can request, one word for each; ``core.application.permissions`` rules
on them. With them the bounds of a request, and the part of the process that works on it.
"""

from __future__ import annotations

from enum import StrEnum

TYPED = 20_000
"""Characters of the longest text that a person types."""
SHORT = 300
"""Characters of a name, an id or a choice."""


class Makes(StrEnum):
    """The result that an action makes of a debate's texts, which decides who reads them then."""

    NOTHING = "nothing that holds them"
    ANSWER = "an answer to a reader with the right to read them"
    COPY = "a debate or thread that holds them, in a place"
    LINK = "a page for everybody with the link"
    REVIEW = "the exact text that a person approved, on the pull request itself"


class Action(StrEnum):
    """The actions: their words, which appear in refusals, and what each makes of a debate's texts.

    An action that makes a copy or a link is checked only by ``Permissions.copy``
    (``core.application.permissions.audience``). A schedule's debates are about its target, in
    its place.
    """

    makes: Makes

    def __new__(cls, words: str, makes: Makes) -> Action:
        member = str.__new__(cls, words)
        member._value_, member.makes = words, makes
        return member

    ASK = "ask me", Makes.NOTHING
    START = "start a debate", Makes.NOTHING
    SEE = "see this debate", Makes.ANSWER
    CHALLENGE = "challenge this debate", Makes.NOTHING
    PROVE = "have a finding of this debate proven by a test", Makes.NOTHING
    HOT_SEAT = "put a seat of this debate in the hot seat", Makes.NOTHING
    SPEAK = "speak for a seat of this debate", Makes.NOTHING
    VOTE = "vote on this debate", Makes.NOTHING
    PAUSE = "pause this debate", Makes.NOTHING
    RESUME = "resume this debate", Makes.NOTHING
    STOP = "stop this debate", Makes.NOTHING
    MIRROR = "mirror this debate", Makes.COPY
    FORK = "fork this debate", Makes.COPY
    RERUN = "start this debate again", Makes.COPY
    SHARE = "give out links to this debate", Makes.LINK
    RESOLVE = "say whether this verdict held", Makes.NOTHING
    RATE = "say whether this verdict was useful", Makes.NOTHING
    REPOST = "have this posted again", Makes.NOTHING
    APPROVE = "post to its pull request", Makes.REVIEW
    BIND = "bind this channel to a repository", Makes.NOTHING
    HOOKS = "manage the webhooks of this channel", Makes.NOTHING
    LANGUAGE = "set the language of this channel", Makes.NOTHING
    CHECK_FILE = "check a file: debate templates check FILE", Makes.NOTHING
    SCHEDULE = "add a schedule", Makes.NOTHING
    SEE_SCHEDULE = "see this schedule", Makes.ANSWER
    RUN_SCHEDULE = "run this schedule", Makes.NOTHING
    PAUSE_SCHEDULE = "pause this schedule", Makes.NOTHING
    RESUME_SCHEDULE = "resume this schedule", Makes.NOTHING
    REMOVE_SCHEDULE = "remove this schedule", Makes.NOTHING
    LEND = "have a program ask for you", Makes.NOTHING
    SERVICE = "make or take back a service's token", Makes.NOTHING


COPIES = frozenset({Makes.COPY, Makes.LINK})
"""The results that people can read who did not read the debate."""


class RouteWork(StrEnum):
    """The part of the process that works on a request."""

    LOOP = "on the loop"
    THREAD = "in a thread"
    PROCESS = "in a process that can be ended"
