"""Turns commands into events, or refuses them with a reason that the person can read.

The rules are the same for people on every surface and for code (the clock closing a vote), and they
look only at the folded state.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.challenges import challenge, refuse_reopened
from core.debate.commands.holders import end_waiting, speak
from core.debate.commands.hot_seat import ask_seat
from core.debate.commands.prove import prove
from core.debate.due import wake_time
from core.debate.errors import Refused
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.follow_up import pending_follow_up
from core.debate.verdict.votes import ballot_of, find_option

_TIMED = c.Wake | e.FollowUpDue | e.ForgeNoted | e.WaitNoted | e.FindingJudged
"""The commands that come from a date or the process itself."""
_STATES = (e.ForgeNote.CLOSED, e.ForgeNote.REOPENED)
"""Notes of the state that a change has."""


def decide(  # noqa: C901  one arm per command, exhaustive
    debate: Debate, command: c.Command
) -> tuple[e.Event, ...]:
    """Returns the events that ``command`` leads to.

    Raises ``Refused`` when it is not allowed now; repeating a command gives no events.
    """
    if debate.deleted is not None:
        if isinstance(command, _TIMED):
            return ()
        raise Refused(debate.nothing_because)
    match command:
        case c.RaiseChallenge():
            return challenge(debate, command)
        case c.AskSeat():
            return ask_seat(debate, command)
        case c.Prove():
            return prove(debate, command)
        case c.Speak():
            return speak(debate, command)
        case c.CastVote():
            return _vote(debate, command)
        case c.WithdrawVote():
            return _withdraw(debate, command)
        case c.Pause() | c.Resume() | c.Stop():
            return _control(debate, command)
        case c.AddPlace(place, by, language):
            return _unless(place in debate.places, e.PlaceAdded(place, by, language))
        case c.ShowWhole(by):
            return _unless(not debate.quiet, e.WholeShown(by))
        case c.Wake(at):
            return _wake(debate, at)
        case e.FollowUpDue():
            known = debate.resolved is not None or not debate.final or debate.lost
            return _unless(known, command)
        case e.ForgeNoted():
            return _note(debate, command)
        case e.WaitNoted(text):
            return _unless(text in debate.waits, command)
        case e.OutcomeResolved():
            return _resolve(debate, command)
        case e.FindingJudged():
            return _judge(debate, command)
        case e.VerdictRated():
            return _rate(debate, command)
        case _:
            assert_never(command)


def _unless(known: bool, event: e.Event) -> tuple[e.Event, ...]:
    """Returns the event, or none if it would change nothing."""
    if known:
        return ()
    return (event,)


def _note(debate: Debate, command: e.ForgeNoted) -> tuple[e.Event, ...]:
    """Returns the note unless the debate has it. A change can be closed and opened again several
    times: of these notes only the last one counts.
    """
    known = debate.noted
    if command.what in _STATES:
        known = tuple(n for n in known if n.what in _STATES)[-1:]
    same = (command.what, command.text, command.by, command.url)
    return _unless(any((n.what, n.text, n.by, n.url) == same for n in known), command)


def _resolve(debate: Debate, command: e.OutcomeResolved) -> tuple[e.Event, ...]:
    if not debate.final:
        raise Refused("Only the verdict of a finished debate can have held or not.")
    if debate.lost:
        raise Refused("This debate came to no verdict, so there is none that could hold.")
    return (command,)


def _judge(debate: Debate, command: e.FindingJudged) -> tuple[e.Event, ...]:
    """Returns the judgement of a finding; code never judges again what a person has judged, unless
    they took it back.
    """
    if debate.concluded is None:
        refuse_reopened(debate)
        raise Refused("There is no verdict yet, so nothing became of its findings.")
    known = debate.judged.get(command.mark)
    if known is None:
        return _unless(not command.became, command)
    overruled = bool(known.by and known.became and not command.by)
    return _unless(overruled or command.became == known.became, command)


def _rate(debate: Debate, command: e.VerdictRated) -> tuple[e.Event, ...]:
    if not debate.over:
        refuse_reopened(debate)
        raise Refused("There is no verdict yet that could be useful or not.")
    if debate.lost:
        raise Refused("This debate came to no verdict, so there is none to judge.")
    known = debate.rated.get(command.by)
    return _unless(known is not None and known.useful is command.useful, command)


def _control(debate: Debate, command: c.Pause | c.Resume | c.Stop) -> tuple[e.Event, ...]:
    match command:
        case c.Pause() if debate.over:
            raise Refused("The debate is over; there is nothing to pause.")
        case c.Resume() if debate.over:
            raise Refused("The debate is over; there is nothing to resume.")
        case c.Stop() if debate.over:
            raise Refused("The debate is over already.")
        case c.Pause(by, "") if by and debate.stop is not None:
            raise Refused("The debate is stopping; its closing report still comes.")
        case c.Pause(by, reason) if debate.paused is None:
            return (e.DebatePaused(by, reason),)
        case c.Resume(by) if debate.paused is not None:
            return (e.DebateResumed(by),)
        case c.Stop(by, reason, detail) if debate.stop is None:
            return (e.StopOrdered(e.EndReason(reason), by, detail),)
        case _:
            return ()


def _wake(debate: Debate, at: datetime) -> tuple[e.Event, ...]:
    """Returns the events of the time that has come, if the debate waited for it."""
    if debate.concluded is None:
        return end_waiting(debate, at)
    if debate.closed is not None:
        return _follow_up(debate, at)
    ends = wake_time(debate)
    return _close(debate, debate.concluded, at) if ends is not None and ends <= at else ()


def _follow_up(debate: Debate, at: datetime) -> tuple[e.Event, ...]:
    pending = pending_follow_up(debate)
    if pending is None or at < pending.at:
        return ()
    return (replace(pending, at=at),)


def _option(debate: Debate, option: str, subject: str) -> str:
    """Returns the ballot's own name for a typed option. Raises ``Refused`` with the choices."""
    ballot = ballot_of(debate, subject)
    name = find_option(option, ballot)
    if name is None:
        raise Refused(
            "{option} is not on the ballot. Options: {options}.",
            option=repr(option),
            options=", ".join(o.option for o in ballot),
        )
    return name


def _vote(debate: Debate, command: c.CastVote) -> tuple[e.Event, ...]:
    if debate.opened is None:
        raise Refused("The debate has not opened yet.")
    if debate.final:
        raise Refused("The vote is closed.")
    if (
        command.subject
        and command.subject not in debate.finished
        and command.subject not in {id for x in merge_findings(debate) for id in x.ids}
    ):
        raise Refused("There is no finding {subject}.", subject=command.subject)
    name = _option(debate, command.option, command.subject)
    kept = debate.votes.get((command.subject, command.voter))
    cast = e.VoteCast(command.voter, name, command.subject, command.role)
    return _unless(kept is not None and kept.option == name, cast)


def _withdraw(debate: Debate, command: c.WithdrawVote) -> tuple[e.Event, ...]:
    if debate.final:
        raise Refused("The vote is closed.")
    name = _option(debate, command.option, command.subject) if command.option else ""
    voted = (command.subject, command.voter) in debate.votes
    return _unless(not voted, e.VoteWithdrawn(command.voter, name, command.subject))


def _close(debate: Debate, before: e.DebateConcluded, at: datetime) -> tuple[e.Event, ...]:
    now = verdict(debate)
    changed = (now.decision, now.reached) != (before.decision, before.reached)
    return (e.VotesClosed(now.decision, now.reached, changed, at),)
