"""The actions that a person can request: one word for each, and the action of every request, button
and stored command.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar, assert_never

from adapters import commands as requests
from core import commands as stored
from core.errors import Refused


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


class Makes(StrEnum):
    """The result that an action makes of a debate's texts, which decides who reads them then."""

    NOTHING = "nothing that holds them"
    ANSWER = "an answer to whoever asks, who may read them"
    COPY = "a debate or thread that holds them, in a place"
    LINK = "a page for whoever has the link"
    REVIEW = "the exact text that a person approved, on the pull request itself"


MAKES: Mapping[Action, Makes] = {
    Action.ASK: Makes.NOTHING,
    Action.START: Makes.NOTHING,
    Action.SEE: Makes.ANSWER,
    Action.CHALLENGE: Makes.NOTHING,
    Action.HOT_SEAT: Makes.NOTHING,
    Action.PROVE: Makes.NOTHING,
    Action.SPEAK: Makes.NOTHING,
    Action.VOTE: Makes.NOTHING,
    Action.PAUSE: Makes.NOTHING,
    Action.RESUME: Makes.NOTHING,
    Action.STOP: Makes.NOTHING,
    Action.MIRROR: Makes.COPY,
    Action.FORK: Makes.COPY,
    Action.RERUN: Makes.COPY,
    Action.SHARE: Makes.LINK,
    Action.RESOLVE: Makes.NOTHING,
    Action.RATE: Makes.NOTHING,
    Action.REPOST: Makes.NOTHING,
    Action.POST: Makes.NOTHING,
    Action.APPROVE: Makes.REVIEW,
    Action.BIND: Makes.NOTHING,
    Action.CHECK_FILE: Makes.NOTHING,
    Action.SCHEDULE: Makes.NOTHING,
    Action.SEE_SCHEDULE: Makes.ANSWER,
    Action.RUN_SCHEDULE: Makes.NOTHING,
    Action.PAUSE_SCHEDULE: Makes.NOTHING,
    Action.RESUME_SCHEDULE: Makes.NOTHING,
    Action.REMOVE_SCHEDULE: Makes.NOTHING,
    Action.LEND: Makes.NOTHING,
    Action.SERVICE: Makes.NOTHING,
}
"""The result of every action. An action that makes a copy or a link is checked only by
``Permissions.copy`` (``bot.permissions.audience``). A schedule's debates are about its target, in
its place.
"""
COPIES = frozenset({Makes.COPY, Makes.LINK})
"""The results that people can read who did not read the debate."""


CONTROLS: Mapping[str, Action] = {
    "pause": Action.PAUSE,
    "resume": Action.RESUME,
    "stop": Action.STOP,
}
_SCHEDULES: Mapping[str, Action] = {
    "list": Action.ASK,
    "run": Action.RUN_SCHEDULE,
    "pause": Action.PAUSE_SCHEDULE,
    "resume": Action.RESUME_SCHEDULE,
    "remove": Action.REMOVE_SCHEDULE,
}
PRESSES: Mapping[str, Action] = {
    **CONTROLS,
    "challenge": Action.CHALLENGE,
    "hotseat": Action.HOT_SEAT,
    "prove": Action.PROVE,
    "say": Action.SPEAK,
    "vote": Action.VOTE,
    "held": Action.RESOLVE,
    "useful": Action.RATE,
    "export": Action.SEE,
    "transcript": Action.SEE,
    "fork": Action.FORK,
    "rerun": Action.RERUN,
    "repost": Action.REPOST,
    "post": Action.SEE,
    "issues": Action.SEE,
    "approve": Action.APPROVE,
    "issue": Action.APPROVE,
    "keep": Action.APPROVE,
    "recheck": Action.RERUN,
}
"""The action of each button; a button that is not here does nothing."""


_REQUESTS: Mapping[type, Action] = {
    requests.Help: Action.ASK,
    requests.Listing: Action.ASK,
    requests.SearchRequest: Action.ASK,
    requests.Status: Action.ASK,
    requests.Leaderboard: Action.ASK,
    requests.Templates: Action.ASK,
    requests.Start: Action.START,
    requests.Compare: Action.SEE,
    requests.Show: Action.SEE,
    requests.Export: Action.SEE,
    requests.ReceiptRequest: Action.SEE,
    requests.ReplayRequest: Action.SEE,
    requests.PostReview: Action.SEE,
    requests.Challenge: Action.CHALLENGE,
    requests.HotSeat: Action.HOT_SEAT,
    requests.Prove: Action.PROVE,
    requests.Vote: Action.VOTE,
    requests.ForkRequest: Action.FORK,
    requests.Held: Action.RESOLVE,
    requests.Useful: Action.RATE,
    requests.Mirror: Action.MIRROR,
    requests.Setup: Action.BIND,
    requests.HookRequest: Action.BIND,
    requests.ScheduleAdd: Action.SCHEDULE,
}


def action_of(request: requests.Request) -> Action:
    """Returns the action of a request. Raises ``Refused`` for one without an entry."""
    match request:
        case requests.Templates(check=path) if path:
            return Action.CHECK_FILE
        case requests.Compare(start=start) if start is not None:
            return Action.START
        case requests.PostReview(approve=digest) if digest:
            return Action.APPROVE
        case requests.Control(verb):
            return _named(CONTROLS, verb)
        case requests.ScheduleDo(verb=verb):
            return _named(_SCHEDULES, verb)
        case _:
            return _named(_REQUESTS, type(request))


def press_of(action: str) -> Action:
    """Returns the action of a button. Raises ``Refused`` for a button that this program
    never made.
    """
    return _named(PRESSES, action)


def applied_as(command: stored.Command) -> tuple[Action, str] | None:
    """Returns the action of a stored command and the person who gave it; None for commands that
    come from a date or the process itself.
    """
    match command:
        case stored.RaiseChallenge(author):
            return Action.CHALLENGE, author
        case stored.AskSeat(by) | stored.Prove(by):
            return Action.PROVE if isinstance(command, stored.Prove) else Action.HOT_SEAT, by
        case stored.Speak(by):
            return None if by.startswith("token:") else (Action.SPEAK, by)
        case stored.CastVote(voter) | stored.WithdrawVote(voter):
            return Action.VOTE, voter
        case stored.Pause(by) | stored.Resume(by) | stored.Stop(by):
            return (CONTROLS[type(command).__name__.lower()], by) if by else None
        case stored.AddPlace(_, by):
            return Action.MIRROR, by
        case stored.ShowWhole(by):
            return Action.SEE, by
        case stored.ResolveOutcome(_, by):
            return Action.RESOLVE, by
        case stored.RateVerdict(_, by):
            return Action.RATE, by
        case (
            stored.JudgeFinding()
            | stored.CloseVotes()
            | stored.EndWaiting()
            | stored.FollowUp()
            | stored.AskHeld()
            | stored.NoteForge()
            | stored.NoteWait()
        ):
            return None
        case _:
            assert_never(command)


_Word = TypeVar("_Word")


def _named(known: Mapping[_Word, Action], word: _Word) -> Action:
    if word not in known:
        raise Refused("This belongs to another version of me; use the command instead.")
    return known[word]
