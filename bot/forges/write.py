"""Writes stored reviews, answers, checks and issues to forges, each of them once, whatever crashes
in between.

An approved review is sent only while its head is the pull request's. A post that may have arrived
is looked up before it is sent again; comments whose lines a forge refuses are put into the body,
once.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from adapters.forges.links import ChangeLink, parse_change
from adapters.forges.refusals import NotAllowed, OutcomeUnknown, RateLimited
from adapters.forges.writing import (
    LinesRefused,
    NewIssue,
    NewTest,
    PostedReviews,
    ReviewPoster,
    TakesTests,
    Written,
)
from adapters.review import Review, ThreadAnswer
from adapters.review.amendment import amended
from adapters.review.check import CommitCheck
from adapters.review.text import foreign_line, reply_answer
from adapters.tracing import names, span
from bot.forges.access.connect import ForgeConnections
from bot.keep import IDLE, keep
from core import commands as c
from core.errors import BadInput, CouldNotFinish
from core.events import ForgeNote
from core.log import ForgePostKind
from core.material import ChangeState
from core.ports import Clock
from storage.commands import CommandQueue
from storage.forges.posts import ClaimedPost, ForgePost, ForgePosts
from storage.leases import LONGEST_WAIT, RowState, wait_before

logger = logging.getLogger(__name__)
TRIES = 12
_REFUSALS = 2
"""The most tries of a post that the forge refuses by name, before a person gets a message."""
_LIMITED = 60.0
"""Seconds of the first wait for a limit whose end the forge does not give."""
SETTLING = 2.0
"""Seconds until a post that may have arrived can be expected in the forge's lists."""


_NOTED: Mapping[str, tuple[ForgeNote, ForgeNote]] = {
    ForgePostKind.REVIEW: (ForgeNote.POSTED, ForgeNote.NOT_POSTED),
    ForgePostKind.ISSUE: (ForgeNote.ISSUE, ForgeNote.NO_ISSUE),
    ForgePostKind.TEST: (ForgeNote.TEST, ForgeNote.NO_TEST),
}
"""What the thread says of posts that people requested: that they were written, or not."""


class NotPosted(Exception):
    """A post must not be written any more; the thread shows the reason. ``what`` is as in
    ``ForgeNoted``.
    """

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(reason)
        self.what = what


@dataclass(frozen=True, slots=True)
class Amendment:
    """What posted reviews get after an objection: ``reviews`` are the keys of their posts,
    ``marks`` the findings that it is about. ``dismissal`` is the reason for which they no longer
    request changes, "" if they still do.
    """

    line: str
    reviews: tuple[str, ...]
    marks: tuple[str, ...]
    dismissal: str = ""


@dataclass(frozen=True, slots=True)
class ForgeWriter:
    """Writes posts; ``place_of`` a post is its debate's place, which decides whose credential is
    used.
    """

    posts: ForgePosts
    queue: CommandQueue
    connections: ForgeConnections
    clock: Clock
    owner: str

    async def run(self, idle: float = IDLE) -> None:
        """Writes until it is cancelled."""
        await keep("write", self.write_due, idle, self.posts.wake_event)

    async def write_due(self) -> int:
        """Writes the posts that may be written now and returns how many were tried."""
        claimed = await self.posts.claim(self.owner)
        await asyncio.gather(*map(self._write, claimed))
        return len(claimed)

    async def _write(self, claimed: ClaimedPost) -> None:
        facts = {"action": "write", "key": claimed.post.key, "debate": claimed.post.debate}
        noted = {names.CONVERSATION: claimed.post.debate}
        try:
            with span(names.WRITE, noted, debate=claimed.post.debate, client=True):
                written = await self._send(claimed)
        except NotPosted as refusal:
            await self._give_up(claimed, refusal.what, str(refusal))
        except OutcomeUnknown as error:
            await self.posts.retry(claimed, SETTLING, str(error), unconfirmed=True)
        except RateLimited as error:
            wait = self._until(error, claimed.attempt)
            await self.posts.retry(claimed, wait, str(error), unconfirmed=claimed.unconfirmed)
        except BadInput as error:
            await self._give_up(claimed, ForgeNote.NOT_POSTED, str(error))
        except CouldNotFinish as error:
            tries = _REFUSALS if isinstance(error, NotAllowed) else TRIES
            pause = wait_before(claimed.attempt, tries)
            if pause is None:
                await self._give_up(claimed, ForgeNote.NOT_POSTED, str(error))
            else:
                await self.posts.retry(claimed, pause, str(error), unconfirmed=claimed.unconfirmed)
        except Exception:  # a defect costs this post a try, not the writer its life
            logger.exception("writing to a forge broke", extra=facts)
            await self.posts.retry(claimed, 30.0, "a defect", unconfirmed=True)
        else:
            if written is not None:
                await self._note(claimed, written)
                await self.posts.sent(claimed, msgspec.to_builtins(written))

    def _until(self, limited: RateLimited, attempt: int) -> float:
        """Returns the seconds until the next request to the forge."""
        if limited.free_at is None:
            return min(LONGEST_WAIT, _LIMITED * 2.0 ** (attempt - 1))
        return max(1.0, (limited.free_at - self.clock.now()).total_seconds())

    async def _send(self, claimed: ClaimedPost) -> Written | None:
        post = claimed.post
        hosts = {name: host.forge for name, host in self.connections.library.hosts.items()}
        link = parse_change(post.link, hosts)
        place = str(post.body.get("place", ""))
        async with self.connections.poster(link.host, link.repo, place) as poster:
            match post.kind:
                case ForgePostKind.REVIEW:
                    return await self._review(poster, link, claimed)
                case ForgePostKind.ANSWER:
                    answer = msgspec.convert(post.body["answer"], ThreadAnswer)
                    return await poster.answer(link, answer) or Written("")
                case ForgePostKind.CHECK:
                    return await self._check(poster, link, claimed)
                case ForgePostKind.ISSUE:
                    issue = msgspec.convert(post.body["issue"], NewIssue)
                    issue_id = await poster.find_issue(link, issue) if claimed.unconfirmed else None
                    return issue_id or await _held(claimed, poster.open_issue(link, issue))
                case ForgePostKind.AMENDMENT:
                    return await self._amend(poster, link, claimed)
                case ForgePostKind.TEST:
                    return await self._test(poster, link, claimed)
                case other:
                    raise NotPosted(ForgeNote.NOT_POSTED, f"nobody knows how to write a {other}")

    async def _review(
        self, poster: ReviewPoster, link: ChangeLink, claimed: ClaimedPost
    ) -> Written | None:
        review = msgspec.convert(claimed.post.body["review"], Review)
        if claimed.unconfirmed and (posted := await poster.find_review(link, review)) is not None:
            return posted
        change = await poster.change(link)
        if change.state != ChangeState.OPEN:
            raise NotPosted(ForgeNote.NOT_POSTED, f"{link.short} was {change.state} meanwhile.")
        if change.head != review.head:
            was, now = review.head[:7], change.head[:7]
            raise NotPosted(ForgeNote.MOVED, f"the branch was at {was} and is at {now} now")
        try:
            return await _held(claimed, poster.post_review(link, review))
        except LinesRefused:
            body = msgspec.to_builtins(review.in_body())
            await self.posts.note(claimed, {**claimed.post.body, "review": body})
            return None

    async def _amend(self, poster: ReviewPoster, link: ChangeLink, claimed: ClaimedPost) -> Written:
        """Puts a line into the posted reviews of a debate. A forge whose reviews don't change gets
        it as an answer under the comments that it is about.
        """
        post = claimed.post
        made = msgspec.convert(post.body["amendment"], Amendment)
        for one in await self.posts.of(post.debate):
            if one.post.key not in made.reviews or one.state != RowState.SENT:
                continue
            if isinstance(poster, PostedReviews):
                change = partial(amended, debate=post.debate, line=made.line)
                await poster.amend(link, str(one.ref.get("id", "")), change, made.dismissal)
            else:
                for mark in made.marks:
                    answer = reply_answer(post.debate, post.key, mark, made.line)
                    await poster.answer(link, answer)
        return Written("")

    async def _test(self, poster: ReviewPoster, link: ChangeLink, claimed: ClaimedPost) -> Written:
        if not isinstance(poster, TakesTests):  # a plugin's
            raise BadInput("This forge takes no files from here. Copy the test from the review.")
        test = msgspec.convert(claimed.post.body["test"], NewTest)
        return await _held(claimed, poster.add_test(link, test))

    async def _check(self, poster: ReviewPoster, link: ChangeLink, claimed: ClaimedPost) -> Written:
        check = msgspec.convert(claimed.post.body["check"], CommitCheck)
        known = str(claimed.post.body.get("known", ""))
        if not known and (claimed.unconfirmed or claimed.post.body.get("look")):
            posted = await poster.find_check(link, check)
            known = posted.id if posted is not None else ""
        return await _held(claimed, poster.put_check(link, check, known))

    async def _note(self, claimed: ClaimedPost, written: Written) -> None:
        """Tells the thread what happened to the post that a person requested."""
        post = claimed.post
        if post.kind not in _NOTED:
            return
        what, _ = _NOTED[post.kind]
        text = post.body.get("issue", {}).get("title") or post.body.get("test", {}).get("path", "")
        note = c.NoteForge(what, str(text), self.clock.now(), post.by, written.url)
        await self.queue.enqueue(post.debate, note, f"forge_post:{post.key}")

    async def _give_up(self, claimed: ClaimedPost, what: str, reason: str) -> None:
        post = claimed.post
        if post.kind in _NOTED:
            title = what if post.kind == ForgePostKind.REVIEW else _NOTED[post.kind][1]
            note = c.NoteForge(title, reason, self.clock.now(), post.by)
            key = f"forge_post:{post.key}:{claimed.attempt}:{self.clock.now().isoformat()}"
            await self.queue.enqueue(post.debate, note, key)
        await self.posts.dead(claimed, reason)
        logger.warning(
            "not written to the forge",
            extra={"action": "write", "key": post.key, "reason": reason},
        )


async def _held(claimed: ClaimedPost, sending: Any) -> Written:
    """Sends the post unless this process slept until another one had claimed it."""
    if not claimed.held:
        sending.close()
        raise OutcomeUnknown("the claim ran out before it was sent")
    written: Written = await sending
    return written


def review_posts(
    debate: str, link: str, place: str, review: Review, by: str, key: str = "", answered: int = 0
) -> tuple[ForgePost, ...]:
    """Returns an approved review and the replies below earlier comments as posts to be written;
    ``key`` is the review's if it is not the debate's first, ``answered`` the number of objections
    that it tells of.
    """
    body: dict[str, Any] = {"place": place, "answered": answered}
    body["review"] = msgspec.to_builtins(replace(review, answers=()))
    posts = [ForgePost(key or f"review:{debate}", debate, ForgePostKind.REVIEW, link, body, by)]
    for answer in review.answers:
        fields: Mapping[str, Any] = {"place": place, "answer": msgspec.to_builtins(answer)}
        key = f"answer:{debate}:{answer.mark}"
        posts.append(ForgePost(key, debate, ForgePostKind.ANSWER, link, fields, by))
    return tuple(posts)


def amendment_post(review: ForgePost, made: Amendment) -> ForgePost:
    digest = hashlib.sha256(made.line.encode("utf-8", "replace")).hexdigest()[:12]
    body = {"place": review.body["place"], "amendment": msgspec.to_builtins(made)}
    key = f"amendment:{review.debate}:{digest}"
    return ForgePost(key, review.debate, ForgePostKind.AMENDMENT, review.link, body)


def reply_post(debate: str, about: str, link: str, place: str, answer: ThreadAnswer) -> ForgePost:
    """Returns the answer to a person's reply under one of our comments."""
    body = {"place": place, "answer": msgspec.to_builtins(answer)}
    return ForgePost(f"reply:{debate}:{about}", debate, ForgePostKind.ANSWER, link, body)


def check_post(check: CommitCheck, link: str, place: str, text: str) -> ForgePost:
    body = {"place": place, "check": msgspec.to_builtins(check), "look": True}
    return ForgePost(f"check:{text}", check.mark, ForgePostKind.CHECK, link, body)


def issue_post(debate: str, number: int, link: str, place: str, title: str, by: str) -> ForgePost:
    """Returns an action item as an issue that links back. A fixed sentence precedes the item,
    because a line that begins with a slash is an order on GitLab, and to bots on GitHub.
    """
    mark = f"{debate}:{number}"
    line = foreign_line(title, 2000)
    issue = NewIssue(mark, line[:200], f"To do: {line}\n\nFrom the debate about {link}.")
    body = {"place": place, "issue": msgspec.to_builtins(issue)}
    return ForgePost(f"issue:{mark}", debate, ForgePostKind.ISSUE, link, body, by)


def test_post(debate: str, turn: str, link: str, place: str, test: NewTest, by: str) -> ForgePost:
    """Returns the test that a turn wrote as a post to be written."""
    body = {"place": place, "test": msgspec.to_builtins(test)}
    return ForgePost(f"test:{debate}:{turn}", debate, ForgePostKind.TEST, link, body, by)
