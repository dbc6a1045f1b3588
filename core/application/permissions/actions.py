"""The actions that a person can request: one word for each, and the action of every request, button
and stored command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from core.application.commands.actions import Action
from core.application.commands.requests.taking_part import CONTROLS
from core.debate import commands as stored
from core.debate import events as e

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
    "record": Action.SEE,
    "propose": Action.APPROVE,
    "recheck": Action.RERUN,
}
"""The action of each button; a button that is not here does nothing."""


def applied_as(command: stored.Command) -> tuple[Action, str] | None:
    """Returns the action of a stored command and the person who gave it; None for commands that
    come from a date or the process itself.
    """
    match command:
        case stored.RaiseChallenge(author):
            return Action.CHALLENGE, author
        case stored.AskSeat(by):
            return Action.HOT_SEAT, by
        case stored.Prove(by):
            return Action.PROVE, by
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
        case e.OutcomeResolved(_, by):
            return Action.RESOLVE, by
        case e.VerdictRated(_, by):
            return Action.RATE, by
        case stored.Wake() | e.FindingJudged() | e.FollowUpDue() | e.ForgeNoted() | e.WaitNoted():
            return None
        case _:
            assert_never(command)
