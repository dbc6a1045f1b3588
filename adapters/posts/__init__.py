"""Turns events into posts: it decides which messages a thread gets, and when. It is a pure
projection; the same events give the same posts with the same keys.

One root message per debate, which comes when it has opened, is edited in place as its status;
everything else is posted once, in its thread. Only the asker gets a message about a debate that
could not open. A round is shown statement by statement as they settle, or as one message if threads
show rounds; a cross-examination is one message. Findings get a message each when their round is
complete, because people vote on them; the rest of what happened (a seat is gone, a pause, a stop)
is one line. The verdict is built from the outcome document and adds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import fitted, sentences
from adapters.posts.finding import is_of_a_proof, proof_posts, proof_read_posts
from adapters.posts.findings import code_findings, round_findings, voted_finding
from adapters.posts.keys import challenge_key, post_key
from adapters.posts.refused import unopened
from adapters.posts.root import roots
from adapters.posts.round import by_rounds, plan_of, round_post
from adapters.posts.statement import due_turn, statement
from adapters.posts.verdict import held_buttons, objectors, verdict_edit, verdict_post, with_report
from core.application.desk import Button
from core.debate import events as e
from core.debate.script import TurnId
from core.debate.state import Debate
from core.languages import say
from core.languages.stored import say_stored
from core.words.views.course.happenings import (
    VOTES_CHANGED,
    challenge_title,
    changed_line,
    follow_up_line,
    held_title,
    missing,
    paused_title,
)
from core.words.views.course.hot_seat import asked_next, asked_title
from core.words.views.course.progress import is_begun
from core.words.views.documents.forge import ANSWER_NOW, CHECK_COMMITS, noted_text, noted_title
from core.words.views.language.grammar import capital, shortened
from core.words.views.language.people import person_name
from core.words.views.language.references import spelled_out
from core.words.views.language.seats import models_hidden, seat_name
from core.words.views.verdict.ending import why_ending
from core.words.views.verdict.objection import reopening_line, reopenings

_CHECKS: Mapping[str, str] = {
    e.ForgeNote.MOVED: CHECK_COMMITS,
    e.ForgeNote.OBJECTION: ANSWER_NOW,
}
"""The button under each kind of notice."""


_QUIET = (Shape.ROOT, Shape.VERDICT)
"""The shapes that a quiet debate posts until someone asks to read the whole."""


def posts_for(
    before: Debate | None, event: e.Event, after: Debate, *, grows: bool = True
) -> tuple[Post, ...]:
    """Returns the posts that ``event`` leads to, in order.

    Keys hold the debate, the event's position and the part. Without ``grows`` no post is edited to
    grow, so that each statement is a separate post.
    """
    posts = whole_posts(before, event, after, grows=grows)
    kept = tuple(p for p in posts if not (after.quiet and is_withheld(p)))
    if not kept or (plan := plan_of(after)) is None:
        return kept
    return tuple(replace(p, plan=plan) for p in kept)


def is_withheld(post: Post) -> bool:
    """True if a quiet debate leaves this post out; a post that asks people for something is never
    left out.
    """
    asks = post.shape is Shape.NOTICE and bool(post.buttons)
    return post.shape not in _QUIET and not asks and not post.to


def whole_posts(  # noqa: C901  one arm per event
    before: Debate | None, event: e.Event, after: Debate, *, grows: bool = True
) -> tuple[Post, ...]:
    """Returns the posts that ``event`` leads to, with those that a quiet debate withholds."""
    at = after.count - 1
    if after.opened is None and not isinstance(event, e.OpeningFailed):  # not yet, or deleted
        return ()
    match event:
        case e.DebateOpened():
            return (*roots(after, at, begins=True), *code_findings(after))
        case e.OpeningFailed(reason):
            return unopened(after, reason)
        case e.TurnStarted(turn):
            due = due_turn(after, at, turn)
            if before is not None and is_begun(before, after.script.turn(turn).round):
                return due
            return (*roots(after, at), *due)
        case e.TurnFinished(turn):
            return _answered(before, after, at, turn, grows=grows)
        case e.TurnFailed() | e.TurnSkipped():
            return _unanswered(before, after, at, event, grows=grows)
        case e.ProofsFramed() | e.ProofRun():
            return proof_posts(after, at, event)
        case e.ChallengeRaised():
            return (_challenge(after, event),)
        case e.SeatAsked(by=by):
            return (_notice(after, at, asked_title(after, event), asked_next(after, event), by=by),)
        case e.VoteCast(_, _, subject) | e.VoteWithdrawn(_, _, subject) if (
            subject and subject not in after.finished
        ):
            return voted_finding(after, at, subject)
        case e.DebatePaused(by, reason):
            why = say_stored(reason)
            return (*roots(after, at), _notice(after, at, paused_title(by), why, by=by))
        case e.DebateResumed(by):
            title = say("Resumed by {by}", by=person_name(by))
            return (*roots(after, at), _notice(after, at, title, by=by))
        case e.StopOrdered(reason, by, detail):
            title, why = why_ending(after, reason, by, detail), say_stored(detail)
            return (*roots(after, at), _notice(after, at, title, why, by=by))
        case e.WholeShown():
            return roots(after, at)
        case e.DebateReopened():
            return (verdict_edit(after, at), *roots(after, at))
        case e.DebateConcluded():
            return _concluded(after, at)
        case e.VotesClosed(changed=changed):
            return _votes_closed(before, after, at, changed=bool(changed))
        case e.OutcomeResolved(by=by, because=because):
            return (_notice(after, at, held_title(event), because, by=by),)
        case e.VerdictRated() if after.closed is not None:  # before, its closing shows them
            return (verdict_edit(after, at),)
        case e.FollowUpDue(question, _, because):
            return (_follow_up(after, at, say_stored(question), because),)
        case e.ForgeNoted():
            return (_forge_notice(after, at, event),)
        case e.WaitNoted(text):
            return (_notice(after, at, say_stored(text)),)
        case _:
            return ()


def _answered(
    before: Debate | None, after: Debate, at: int, turn: TurnId, *, grows: bool
) -> tuple[Post, ...]:
    spoken = after.script.turn(turn)
    if is_of_a_proof(spoken):
        return (*proof_read_posts(after, at, spoken), *round_findings(after, at, turn))
    if grows and by_rounds(after, spoken):
        posts = round_post(before, after, at, spoken.round)
    else:
        posts = statement(after, at, spoken)
    return (*posts, *round_findings(after, at, turn))


def _unanswered(
    before: Debate | None,
    after: Debate,
    at: int,
    event: e.TurnFailed | e.TurnSkipped,
    *,
    grows: bool,
) -> tuple[Post, ...]:
    posts = tuple[Post, ...]()
    if isinstance(event, e.TurnSkipped):
        posts = proof_posts(after, at, event)
    elif event.reason != e.STOPPED:
        posts = _failed(before, after, at, event, grows=grows)
    return (*posts, *round_findings(after, at, event.turn))


def _failed(
    before: Debate | None, after: Debate, at: int, event: e.TurnFailed, *, grows: bool
) -> tuple[Post, ...]:
    turn = after.script.turn(event.turn)
    if grows and by_rounds(after, turn):
        return round_post(before, after, at, turn.round)
    title, why = f"{seat_name(after, turn.seat)} {missing(after, turn)}", ""
    if not models_hidden(after):
        why = say_stored(event.reason)  # it names the model
    return (_notice(after, at, title, why),)


def _votes_closed(
    before: Debate | None, after: Debate, at: int, *, changed: bool
) -> tuple[Post, ...]:
    if changed and before is not None and before.concluded is not None:
        notice = _notice(after, at, say(VOTES_CHANGED), changed_line(before, after))
        return (verdict_edit(after, at), *roots(after, at), notice)
    if after.open.terms.vote_window:
        return (verdict_edit(after, at), *roots(after, at))
    return roots(after, at)


def _notice(debate: Debate, at: int, title: str, body: str = "", *, by: str = "") -> Post:
    body = shortened(body, 500)
    return Post(
        post_key(debate, at, "notice"),
        debate.id,
        Shape.NOTICE,
        title=title,
        body=body,
        fallback=": ".join(filter(None, (title, body))),
        facts={"person": by} if by else {},
    )


def _forge_notice(debate: Debate, at: int, event: e.ForgeNoted) -> Post:
    title, check, text = noted_title(event), _CHECKS.get(event.what, ""), noted_text(event)
    return Post(
        post_key(debate, at, "forge"),
        debate.id,
        Shape.NOTICE,
        title=title,
        body=text,
        fields=((say("At"), event.url),) if event.url else (),
        buttons=(Button("recheck", say(check), debate.id),) if check else (),
        fallback=": ".join(filter(None, (title, text))),
    )


def _challenge(debate: Debate, event: e.ChallengeRaised) -> Post:
    return fitted(
        Post(
            key=challenge_key(debate.id, event.id),
            debate=debate.id,
            shape=Shape.CHALLENGE,
            title=challenge_title(debate, event),
            body=spelled_out(debate, sentences(event.text, 900)),
            fallback=f"{challenge_title(debate, event)}: {spelled_out(debate, event.text[:140])}",
            facts={"person": event.author},
        )
    )


def _follow_up(debate: Debate, at: int, question: str, because: str) -> Post:
    line = follow_up_line(debate, because)
    return Post(
        post_key(debate, at, "follow_up"),
        debate.id,
        Shape.NOTICE,
        title=question,
        body=line,
        buttons=(*held_buttons(debate), Button("rerun", say("Debate it again"), debate.id)),
        broadcast=True,
        fallback=f"{question} {line}",
    )


def _concluded(debate: Debate, at: int) -> tuple[Post, ...]:
    if debate.endings:
        return (verdict_edit(debate, at), *roots(debate, at), _reopened(debate, at))
    return (verdict_post(debate), *roots(debate, at))


def _reopened(debate: Debate, at: int) -> Post:
    last = reopenings(debate)[-1]
    post = _notice(debate, at, capital(reopening_line(debate)), by=last.by)
    if last.by == objectors(debate)["person"]:
        post = replace(post, facts=objectors(debate))
    if last.changed:
        return with_report(post, debate)
    return post
