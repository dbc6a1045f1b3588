"""From events to posts: what a thread is told, and when. A pure projection; the same events give the same posts with the same keys.

One root message per debate is edited in place as its status; everything else is said once, in its thread. A round is shown statement by
statement as they settle; findings get a message each when their round is complete, because people vote on them; the rest of what happened
(a seat is gone, a pause, a stop) is one line. The verdict is built from the outcome document and says nothing of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from adapters.posts import Button, File, Post, Seed, Shape
from core import events as e
from core.account import hidden
from core.budget import dollars
from core.debate import Debate
from core.evidence import marks
from core.findings import Merged, State, merged
from core.outcome import outcome
from core.report import report
from core.script import Duty, SeatId, Turn, TurnId
from core.votes import FINDING_BALLOT

MOST_FINDINGS = 7
"""Findings with a message of their own; the others stand in the verdict."""
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
FINDING_SEEDS = tuple(
    Seed(o.emoji, o.option, label) for o, label in zip(FINDING_BALLOT, ("real", "not real", "more severe", "less severe"), strict=True)
)


def tell(before: Debate | None, event: e.Event, after: Debate) -> tuple[Post, ...]:  # noqa: C901  one arm per event
    """The posts that ``event`` leads to, in order; keys hold the debate, the event's position and the part."""
    at = after.count - 1
    match event:
        case e.DebateRequested():
            return (_root(after, at, first=True),)
        case e.DebateOpened():
            return (_root(after, at), *_proven(after, at))
        case e.OpeningFailed(reason):
            return (_root(after, at), _notice(after, at, "This debate could not start", reason))
        case e.TurnStarted(turn):
            return (_root(after, at),) if _first_of_round(before, after, turn) else ()
        case e.TurnFinished(turn):
            return (*_statement(after, at, after.script.turn(turn)), *_found(after, at, turn))
        case e.TurnFailed(turn, reason):
            if reason == "stopped":
                return ()
            told = "" if hidden(after) else reason  # it names the model
            return (_notice(after, at, f"{_who(after, after.script.turn(turn).seat)} gave no answer", told), *_found(after, at, turn))
        case e.ChallengeRaised():
            return (_challenge(after, at, event),)
        case e.DebatePaused(by, reason):
            return (_root(after, at), _notice(after, at, f"Paused by {name_of(by)}", reason, by=by))
        case e.DebateResumed(by):
            return (_root(after, at), _notice(after, at, f"Resumed by {name_of(by)}", by=by))
        case e.StopOrdered(reason, by, detail):
            why = f"Stopped by {name_of(by)}" if reason is e.Because.HUMAN else f"Ending early: {reason.value.replace('_', ' ')}"
            return (_root(after, at), _notice(after, at, why, detail, by=by))
        case e.DebateConcluded():
            return (_verdict(after, at), _root(after, at))
        case e.VotesClosed(decision, _, changed):
            closed = (_verdict_edit(after, at), _root(after, at))
            if changed and before is not None and before.concluded is not None:
                return (*closed, _changed(after, at, before.concluded.decision, decision))
            return closed if after.open.terms.vote_window else (_root(after, at),)
        case e.OutcomeResolved(held, by):
            return (_notice(after, at, f"{name_of(by)} says the verdict {'held' if held else 'did not hold'}", by=by),)
        case _:
            return ()


def root_key(debate: str) -> str:
    return f"{debate}:root"


def verdict_key(debate: str) -> str:
    return f"{debate}:verdict"


def name_of(person: str) -> str:
    """The platform's own id of a person, without the platform."""
    return person.rpartition("/")[2].rpartition(":")[2] or "somebody"


def _key(debate: Debate, at: int, part: str) -> str:
    return f"{debate.id}:{at}:{part}"


def _notice(debate: Debate, at: int, title: str, body: str = "", *, by: str = "") -> Post:
    line = f"{title}: {body}" if body else title
    facts = {"person": by} if by else {}
    return Post(_key(debate, at, "notice"), debate.id, Shape.NOTICE, title=title, body=body, fallback=line, facts=facts)


def _first_of_round(before: Debate | None, after: Debate, turn: str) -> bool:
    number = after.script.turn(TurnId(turn)).round
    return before is None or not any(t.round == number and t.id in before.begun for t in before.turns)


def current_round(debate: Debate) -> int:
    """1-based number of the latest round with a turn that has begun; 0 before the first."""
    begun = [t.round + 1 for t in debate.turns if t.id in debate.begun]
    return max(begun, default=0)


def title_of(debate: Debate) -> str:
    if debate.opened is not None:
        return debate.opened.material.title or debate.request.target
    return debate.request.target or debate.request.template


def coverage_line(debate: Debate) -> str:
    """How much of the material was read, in one line."""
    states = [c.state.value for c in debate.open.material.coverage]
    if not states:
        return ""
    parts = [f"{states.count('full')} of {len(states)} files read"]
    if n := states.count("partial"):
        parts.append(f"{n} in part")
    if n := states.count("left_out"):
        gone = [f"{c.path} ({c.reason})" for c in debate.open.material.coverage if c.state.value == "left_out"]
        parts.append(f"{n} left out: {', '.join(gone[:3])}{' ...' if n > 3 else ''}")
    return ", ".join(parts)


def seats_line(debate: Debate) -> str:
    """Who sits at the table; models are named unless the format hides them until the end."""
    opened = debate.open
    seats = [s for s in opened.script.seats if s.duty is not Duty.AUDIENCE and s.id in opened.cast]
    if hidden(debate):
        return ", ".join(sorted(opened.script.alias(s.id) for s in seats))
    spoke = {t.seat: debate.spoke[t.id] for t in debate.turns if debate.spoke.get(t.id)}
    models = {s.id: spoke.get(s.id) or opened.cast[s.id][0] for s in seats}
    names = {s.id: s.role.replace("_", " ") for s in seats}
    if opened.script.blind:
        names = {s.id: opened.script.alias(s.id) for s in seats}
    return ", ".join(f"{names[s.id]} ({models[s.id]})" for s in sorted(seats, key=lambda s: names[s.id] if opened.script.blind else ""))


def _root(debate: Debate, at: int, *, first: bool = False) -> Post:
    fields: list[tuple[str, str]] = [("Debate", f"{debate.id} - {debate.request.template}"), ("State", state_line(debate))]
    if debate.opened is not None:
        material, terms = debate.opened.material, debate.opened.terms
        fields += [("Revision", material.revision[:12])] if material.revision else []
        fields += [("Read", line)] if (line := coverage_line(debate)) else []
        fields += [("Seats", seats_line(debate))]
        limit = f", limit {dollars(terms.budget)}" if terms.budget is not None else ""
        fields += [("Price", f"estimated {dollars(terms.estimate)}{limit}, so far {dollars(debate.spent)}")]
        fields += [("Note", note) for note in material.notes]
        if terms.demo:
            fields.append(("Note", "demonstration: nobody should rely on the judgement of the models that speak here"))
    title = title_of(debate)
    return Post(
        key=root_key(debate.id) if first else _key(debate, at, "root"),
        debate=debate.id,
        shape=Shape.ROOT,
        title=title,
        fields=tuple(fields),
        buttons=root_buttons(debate),
        seeds=_ballot_seeds(debate) if debate.opened is not None and not debate.final else (),
        subject="",
        edits="" if first else root_key(debate.id),
        fallback=f"Debate {debate.id}: {title} - {state_line(debate)}",
    )


def state_line(debate: Debate) -> str:
    if debate.failure:
        return f"failed: {debate.failure}"
    if debate.concluded is not None:
        ending = debate.closed or debate.concluded
        decision = ending.decision.replace("_", " ") if debate.status != "failed" else "no verdict"
        return f"{debate.status}: {decision}" + ("" if debate.closed else " (votes still count)")
    if debate.opened is None:
        return "reading the material"
    rounds = debate.open.script.rounds
    number = current_round(debate)
    where = f"round {number} of {len(rounds)}: {rounds[number - 1].title}" if number else "starting"
    return f"paused, {where}" if debate.paused is not None else where


def root_buttons(debate: Debate) -> tuple[Button, ...]:
    if debate.over:
        return (
            Button("rerun", "Re-run", debate.id),
            Button("fork", "Fork", debate.id, form=True),
            Button("export", "Export", debate.id),
        )
    pause = Button("resume", "Resume", debate.id) if debate.paused is not None else Button("pause", "Pause", debate.id)
    stop = Button(
        "stop", "Stop", debate.id, danger=True, confirm="Stop this debate? What was said so far is kept and closed with a report."
    )
    return (stop, pause, Button("challenge", "Challenge", debate.id, form=True))


def _ballot_seeds(debate: Debate) -> tuple[Seed, ...]:
    ballot = debate.open.template.ballot
    return tuple(Seed(o.emoji or NUMBERS[n % 9], o.option, o.option.replace("_", " ")) for n, o in enumerate(ballot))


def _poll(debate: Debate) -> tuple[str, ...]:
    """The answers of a native poll where the template asks for one and people have time to vote; its emoji are the seeds'."""
    opened = debate.open
    asked = opened.template.poll and opened.terms.vote_window > 0
    return tuple(o.option.replace("_", " ") for o in opened.template.ballot) if asked else ()


def _who(debate: Debate, seat_id: SeatId) -> str:
    seat = debate.open.script.seat(seat_id)
    role = seat.role.replace("_", " ")
    alias = debate.open.script.alias(seat_id)
    if hidden(debate):
        return alias
    return f"{role} ({alias})" if alias != seat_id and seat.duty is Duty.DEBATER else role


def _statement(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    said = debate.said[turn.id]
    if turn.closing and not said.text:
        return ()
    rounds = debate.open.script.rounds
    fields: list[tuple[str, str]] = []
    if said.stance is not None:
        moved = f", moved by {said.stance.moved_by}" if said.stance.moved_by else ""
        fields.append(("Stance", f"{said.stance.option.replace('_', ' ')} ({said.stance.confidence:.0%} sure{moved})"))
    wrong = marks(debate, (turn,))
    fields += [(c.id, f"{c.text} [{wrong[c.id]}]" if c.id in wrong else c.text) for c in said.claims]
    fields += [(f"on {a.to}", f"{a.position.value}: {a.because}" if a.because else a.position.value) for a in said.answers]
    fields += [("source", f"{s.title} - {s.url}") for s in said.sources]
    title = f"Round {turn.round + 1}: {rounds[turn.round].title}"
    if turn.about.startswith("x"):
        title = f"Answer to challenge {turn.about}"
    who = _who(debate, turn.seat)
    if not debate.open.script.blind:
        who = f"{who}, {debate.spoke[turn.id]}"
    post = Post(
        key=_key(debate, at, "statement"),
        debate=debate.id,
        shape=Shape.STATEMENT,
        title=title,
        body=said.text,
        who=who,
        fields=tuple(fields),
        subject=turn.id,
        fallback=f"{who}: {said.text[:140]}",
    )
    return (post,)


def _found(debate: Debate, at: int, turn_id: str) -> tuple[Post, ...]:
    """A message per finding that was raised in this round, once all of the round's turns are settled."""
    number = debate.script.turn(TurnId(turn_id)).round
    same = [t.id for t in debate.turns if t.round == number]
    if not debate.settled.issuperset(same):
        return ()
    shown = _leads(debate, before=number)
    fresh = [m for m in merged(debate) if m.id.rpartition(".f")[0] in same]
    return tuple(_finding(debate, at, m) for m in fresh[: max(0, MOST_FINDINGS - shown)])


def _leads(debate: Debate, before: int) -> int:
    """How many findings have a message from earlier rounds."""
    rounds = {t.id: t.round for t in debate.turns}
    earlier = [m for m in merged(debate) if rounds.get(TurnId(m.id.rpartition(".f")[0]), -1) < before]
    return min(len(earlier), MOST_FINDINGS)


def _proven(debate: Debate, at: int) -> tuple[Post, ...]:
    return tuple(_finding(debate, at, m) for m in merged(debate)[:MOST_FINDINGS])


def finding_key(debate: str, finding: str) -> str:
    return f"{debate}:finding:{finding}"


def _finding(debate: Debate, at: int, m: Merged) -> Post:
    f = m.shown
    place = f"{f.path}:{f.line}" if f.path and f.line else f.path or "no place named"
    head = f"{f.severity.value.upper()} {f.confidence:.2f}  {place}"
    fields = [("Trigger", f.trigger), ("Fix", f.fix), ("Raised by", ", ".join(_holder(debate, s) for s in m.by))]
    if not f.anchored:
        fields.append(("Note", "not anchored: the quote does not stand on that line, so it counts for nothing"))
    return Post(
        key=finding_key(debate.id, m.id),
        debate=debate.id,
        shape=Shape.FINDING,
        title=f"{head}  {f.title}",
        quote=f.quote,
        fields=tuple((k, v) for k, v in fields if v),
        buttons=_finding_buttons(debate.id, m.id),
        seeds=FINDING_SEEDS,
        subject=m.id,
        fallback=f"Finding {m.id}, {head}: {f.title}",
        facts={"finding": m.id, "at": str(at)},
    )


def _finding_buttons(debate: str, finding: str) -> tuple[Button, ...]:
    """For those who can't or won't react: the two common votes and a challenge of this very finding."""
    return (
        Button("vote", "Real", f"{debate}:{finding}:real"),
        Button("vote", "Not real", f"{debate}:{finding}:not_real"),
        Button("challenge", "Challenge", f"{debate}:{finding}", form=True),
    )


def _holder(debate: Debate, seat: SeatId) -> str:
    return "code" if seat == "code" else _who(debate, seat)


def _challenge(debate: Debate, at: int, event: e.ChallengeRaised) -> Post:
    asked = ", ".join(_who(debate, s) for s in event.to)
    return Post(
        key=_key(debate, at, "challenge"),
        debate=debate.id,
        shape=Shape.CHALLENGE,
        title=f"Challenge {event.id} by {name_of(event.author)}",
        body=event.text,
        fields=(("To be answered by", asked),),
        fallback=f"{name_of(event.author)} challenges: {event.text[:140]}",
        facts={"person": event.author},
    )


def _verdict(debate: Debate, at: int) -> Post:
    document = outcome(debate)
    return Post(
        key=verdict_key(debate.id),
        debate=debate.id,
        shape=Shape.VERDICT,
        title=_verdict_title(debate, document),
        body=str(document["verdict"]["summary"]),
        fields=tuple(verdict_fields(debate, document)),
        buttons=(
            Button("transcript", "Transcript", debate.id),
            Button("rerun", "Re-run", debate.id),
            Button("export", "Export", debate.id),
            Button("fork", "Fork", debate.id, form=True),
        ),
        seeds=_ballot_seeds(debate),
        poll=_poll(debate),
        subject="",
        files=(File(f"debate-{debate.id}.md", report(debate)),),
        broadcast=not debate.open.terms.quiet,
        facts={"question": "Your vote on this verdict", "poll_hours": str(ceil(debate.open.terms.vote_window / 3600))},
        fallback=_verdict_title(debate, document),
    )


def _verdict_edit(debate: Debate, at: int) -> Post:
    shown = _verdict(debate, at)
    return Post(
        key=_key(debate, at, "verdict"),
        debate=shown.debate,
        shape=shown.shape,
        title=shown.title,
        body=shown.body,
        fields=shown.fields,
        buttons=shown.buttons,
        subject="",
        edits=shown.key,
        fallback=shown.fallback,
    )


def _changed(debate: Debate, at: int, was: str, now: str) -> Post:
    was, now = was.replace("_", " "), now.replace("_", " ")
    return _notice(debate, at, "The votes changed the verdict", f"it was {was}, it is {now}")


def _verdict_title(debate: Debate, document: Mapping[str, Any]) -> str:
    if document["status"] == "failed":
        return "NO VERDICT: the debate failed"
    decision = str(document["verdict"]["decision"]).replace("_", " ").upper()
    reached = "" if document["verdict"]["reached"] else " (not reached)"
    demo = "DEMONSTRATION, NOT A REVIEW: " if debate.open.terms.demo else ""
    return f"{demo}VERDICT: {decision}{reached}"


def verdict_fields(debate: Debate, document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The verdict's facts as label and text, in the order people ask for them."""
    v = document["verdict"]
    fields = [
        ("Agreement", f"{v['agreement']:.0%} of {sum(document['votes']['final'].values())} entitled seats, by {v['mechanism']}"),
        ("Seats' vote", f"{_counts(document['votes']['independent'])} before the debate, {_counts(document['votes']['final'])} after it"),
        ("People's vote", _counts(document["votes"]["people"]) or "nobody voted"),
    ]
    fields += [("People on a statement", line) for line in _opinions(debate, document)]
    if debate.stop is not None and debate.stop.reason is e.Because.CONSENSUS and debate.stop.detail:
        fields.append(("Ended early", debate.stop.detail))
    moved = [
        f"{_who(debate, SeatId(d['seat']))}: {d['from']} to {d['to']} ({d['moved_by'] or 'named no reason'})"
        for d in document.get("delta", ())
    ]
    fields += [("What the debate changed", "; ".join(moved) or "nobody changed their mind")]
    fields += _finding_lines(merged(debate))
    for d in document["dissent"]:
        resolve = f" It would be resolved if: {d['would_resolve_if']}" if d["would_resolve_if"] else ""
        fields.append(("Dissent", f"{_who(debate, SeatId(d['seat']))} holds {d['stance']}: {d['because']}{resolve}"))
    fields += [("To do", item) for item in v["action_items"]]
    fields += [("Warning", w) for w in document.get("warnings", ())]
    cost = document["cost"]
    fields.append(("Cost", f"{dollars(cost['usd'])}, {cost['calls']} calls, {cost['prompt_tokens']} + {cost['completion_tokens']} tokens"))
    if debate.open.script.blind:
        fields.append(("Revealed", seats_line(debate)))
    return fields


def _opinions(debate: Debate, document: Mapping[str, Any]) -> list[str]:
    """What people think of single statements, where they said so."""
    spoken = [(r["title"], t) for r in document["rounds"] for t in r["turns"]]
    return [f"{_who(debate, SeatId(t['seat']))}, {title}: {_counts(t['people'])}" for title, t in spoken if any(t["people"].values())]


def _counts(votes: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {option.replace('_', ' ')}" for option, n in votes.items() if n)


def _finding_lines(found: Sequence[Merged]) -> list[tuple[str, str]]:
    lines = []
    for m in found:
        f = m.shown
        place = f"{f.path}:{f.line} " if f.path else ""
        state = "" if m.state is State.OPEN else f" [{m.state.value}]"
        lines.append(("Finding", f"{f.severity.value} {place}{f.title}{state}"))
    return lines[:20]
