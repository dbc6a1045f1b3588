"""The actions that a person can request, one word for each; ``bot.permissions`` rules on them."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """The actions; their words appear in refusals."""

    ASK = "ask me"
    START = "start a debate"
    SEE = "see this debate"
    CHALLENGE = "challenge this debate"
    PROVE = "have a finding of this debate proven by a test"
    HOT_SEAT = "put a seat of this debate in the hot seat"
    SPEAK = "speak for a seat of this debate"
    VOTE = "vote on this debate"
    PAUSE = "pause this debate"
    RESUME = "resume this debate"
    STOP = "stop this debate"
    MIRROR = "mirror this debate"
    FORK = "fork this debate"
    RERUN = "start this debate again"
    SHARE = "give out links to this debate"
    RESOLVE = "say whether this verdict held"
    RATE = "say whether this verdict was useful"
    REPOST = "have this posted again"
    POST = "post a debate there"
    APPROVE = "post to its pull request"
    BIND = "bind this channel to a repository or a webhook"
    CHECK_FILE = "check a file: debate templates check FILE"
    SCHEDULE = "add a schedule"
    SEE_SCHEDULE = "see this schedule"
    RUN_SCHEDULE = "run this schedule"
    PAUSE_SCHEDULE = "pause this schedule"
    RESUME_SCHEDULE = "resume this schedule"
    REMOVE_SCHEDULE = "remove this schedule"
    LEND = "have a program ask for you"
    SERVICE = "make or take back a service's token"
