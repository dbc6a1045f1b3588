"""Writes stored reviews, answers, checks and issues to forges, each of them once, whatever crashes
in between.

An approved review is sent only while its head is the pull request's. A post that may have arrived
is looked up before it is sent again; comments whose lines a forge refuses are put into the body,
once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from adapters.forges.links import ChangeLink
from adapters.forges.refusals import OutcomeUnknown
from adapters.forges.writing import (
    LinesRefused,
    NewIssue,
    NewRecord,
    NewTest,
    PostedReviews,
    ReviewPoster,
    TakesRecords,
    TakesTests,
    Written,
)
from adapters.repository.decision_records import is_free
from adapters.review import Review, ThreadAnswer
from adapters.review.amendment import amended
from adapters.review.check import CommitCheck
from adapters.review.text import foreign_line, foreign_title, reply_answer
from adapters.tracing import names, span
from bot.forges.context import ForgeContext
from bot.work import GivenUp
from core.debate import events as e
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.events import ForgeNote
from core.debate.log import ForgePostKind
from core.debate.material import ChangeState
from core.debate.material.plaintext import one_line
from core.debate.stored import stored
from storage.leases import RowState
from storage.work import POSTS, Work, WorkRow

NOTED: Mapping[str, tuple[ForgeNote, ForgeNote]] = {
    ForgePostKind.REVIEW: (ForgeNote.POSTED, ForgeNote.NOT_POSTED),
    ForgePostKind.ISSUE: (ForgeNote.ISSUE, ForgeNote.NO_ISSUE),
    ForgePostKind.TEST: (ForgeNote.TEST, ForgeNote.NO_TEST),
    ForgePostKind.RECORD: (ForgeNote.RECORD, ForgeNote.NO_RECORD),
}
"""The thread's texts about posts that people requested: that they were written, or not."""


NO_RECORDS = "This forge takes no decision records from here: add the file yourself."


class NotPosted(GivenUp):
    """A post must not be written any more. ``what`` is as in ``ForgeNoted``."""

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
    """Writes posts. The place of a post's debate decides whose credential is used."""

    context: ForgeContext

    @property
    def kinds(self) -> Collection[str]:
        return POSTS

    async def do(self, row: WorkRow) -> None:
        """Writes a post and tells its thread."""
        if not row.work.payload:
            raise GivenUp("its texts were deleted")
        noted = {names.CONVERSATION: row.work.debate}
        with span(names.WRITE, noted, debate=row.work.debate, client=True):
            written = await self._send(row)
        if written is not None:
            await self._note(row.work, written)
            await self.context.work.done(row, result=msgspec.to_builtins(written))

    async def give_up(self, row: WorkRow, error: Exception, reason: str) -> None:
        post = row.work
        if post.kind not in NOTED:
            return
        title: str = NOTED[post.kind][1]
        if isinstance(error, NotPosted):
            title = error.what
        note = e.ForgeNoted(title, reason, self.context.clock.now(), post.by)
        key = f"forge_post:{post.key}:{row.attempt}:{self.context.clock.now().isoformat()}"
        await self.context.queue.enqueue(post.debate, note, key)

    async def _send(self, row: WorkRow) -> Written | None:
        post = row.work
        if post.kind == ForgePostKind.RECORD:
            return await self._record(row)
        place = str(post.payload.get("place", ""))
        async with self.context.connections.change(post.target, place) as (poster, link):
            match post.kind:
                case ForgePostKind.REVIEW:
                    return await self._review(poster, link, row)
                case ForgePostKind.ANSWER:
                    answer = msgspec.convert(post.payload["answer"], ThreadAnswer)
                    return await poster.answer(link, answer) or Written("")
                case ForgePostKind.CHECK:
                    return await self._check(poster, link, row)
                case ForgePostKind.AMENDMENT:
                    return await self._amend(poster, link, row.work)
                case ForgePostKind.TEST:
                    return await self._test(poster, link, row)
                case _:
                    issue = msgspec.convert(post.payload["issue"], NewIssue)
                    if row.unconfirmed and (known := await poster.find_issue(link, issue)):
                        return known
                    return await _held(row, poster.open_issue(link, issue))

    async def _review(self, poster: ReviewPoster, link: ChangeLink, row: WorkRow) -> Written | None:
        payload = row.work.payload
        review = msgspec.convert(payload["review"], Review)
        if row.unconfirmed and (posted := await poster.find_review(link, review)) is not None:
            return posted
        change = await poster.change(link)
        if change.state != ChangeState.OPEN:
            raise GivenUp(f"{link.short} was {change.state} meanwhile.")
        if change.head != review.head:
            was, now = review.head[:7], change.head[:7]
            raise NotPosted(
                ForgeNote.MOVED,
                stored("the branch was at {was} and is at {now} now", was=was, now=now),
            )
        try:
            return await _held(row, poster.post_review(link, review))
        except LinesRefused:
            body = msgspec.to_builtins(review.in_body())
            await self.context.work.change(row, {**payload, "review": body})
            return None

    async def _amend(self, poster: ReviewPoster, link: ChangeLink, post: Work) -> Written:
        """Puts a line into the posted reviews of a debate. A forge whose reviews don't change gets
        it as an answer under the comments that it is about.
        """
        made = msgspec.convert(post.payload["amendment"], Amendment)
        for row in await self.context.work.of(post.debate):
            if row.work.key not in made.reviews or row.state == RowState.DEAD:
                continue
            if row.state != RowState.DONE:
                raise CouldNotFinish("The review that it changes is not posted yet.")
            if isinstance(poster, PostedReviews):
                change = partial(amended, debate=post.debate, line=made.line)
                await poster.amend(link, str(row.result.get("id", "")), change, made.dismissal)
            else:
                for mark in made.marks:
                    answer = reply_answer(post.debate, post.key, mark, made.line)
                    await poster.answer(link, answer)
        return Written("")

    async def _test(self, poster: ReviewPoster, link: ChangeLink, row: WorkRow) -> Written:
        if not isinstance(poster, TakesTests):  # a plugin's
            raise BadInput("This forge takes no files from here. Copy the test from the review.")
        test = msgspec.convert(row.work.payload["test"], NewTest)
        return await _held(row, poster.add_test(link, test))

    async def _record(self, row: WorkRow) -> Written:
        """Proposes a decision record, unless another one has taken its number meanwhile."""
        host, repo = row.work.payload["host"], row.work.payload["repo"]
        record = msgspec.convert(row.work.payload["record"], NewRecord)
        async with self.context.connections.poster(host, repo, row.work.payload["place"]) as poster:
            if not isinstance(poster, TakesRecords):
                raise BadInput(NO_RECORDS)
            if known := await poster.find_record(repo, record):
                return known
            folder, _, name = record.path.rpartition("/")
            if not is_free(name, folder, await poster.names_in(repo, record.base, folder)):
                raise GivenUp(
                    f"{repo} has another record of that number now. Look at it again: export "
                    f"{row.work.debate} adr"
                )
            return await _held(row, poster.propose_record(repo, record))

    async def _check(self, poster: ReviewPoster, link: ChangeLink, row: WorkRow) -> Written:
        check = msgspec.convert(row.work.payload["check"], CommitCheck)
        posted = await poster.find_check(link, check) or Written("")
        return await _held(row, poster.put_check(link, check, posted.id))

    async def _note(self, post: Work, written: Written) -> None:
        if post.kind not in NOTED:
            return
        what, _ = NOTED[post.kind]
        given = post.payload
        text = given.get("issue", {}).get("title") or given.get("test", {}).get("path", "")
        text = text or given.get("record", {}).get("path", "")
        note = e.ForgeNoted(what, str(text), self.context.clock.now(), post.by, written.url)
        await self.context.queue.enqueue(post.debate, note, f"forge_post:{post.key}")


async def _held(row: WorkRow, sending: Coroutine[Any, Any, Written]) -> Written:
    """Sends the post unless this process slept until another one had claimed it."""
    if not row.held:
        sending.close()
        raise OutcomeUnknown("the claim ran out before it was sent")
    return await sending


def review_posts(
    debate: str,
    link: str,
    place: str,
    review: Review,
    by: str,
    key: str,
    *,
    answered: int,
    verdict: str,
) -> tuple[Work, ...]:
    """Returns an approved review and the replies below earlier comments as posts to be written;
    ``key`` is the review's, ``answered`` the number of objections that it tells of, ``verdict``
    the decision.
    """
    body: dict[str, Any] = {"place": place, "answered": answered, "verdict": verdict}
    body["review"] = msgspec.to_builtins(replace(review, answers=()))
    posts = [Work(key, ForgePostKind.REVIEW, body, debate, link, by)]
    for answer in review.answers:
        fields: Mapping[str, Any] = {"place": place, "answer": msgspec.to_builtins(answer)}
        key = f"answer:{debate}:{answer.mark}"
        posts.append(Work(key, ForgePostKind.ANSWER, fields, debate, link, by))
    return tuple(posts)


def amendment_post(review: Work, made: Amendment) -> Work:
    digest = hashlib.sha256(made.line.encode("utf-8", "replace")).hexdigest()[:12]
    body = {"place": review.payload["place"], "amendment": msgspec.to_builtins(made)}
    key = f"amendment:{review.debate}:{digest}"
    return Work(key, ForgePostKind.AMENDMENT, body, review.debate, review.target)


def reply_post(debate: str, about: str, link: str, place: str, answer: ThreadAnswer) -> Work:
    """Returns the answer to a person's reply under one of our comments."""
    body = {"place": place, "answer": msgspec.to_builtins(answer)}
    return Work(f"reply:{debate}:{about}", ForgePostKind.ANSWER, body, debate, link)


def command_post(about: str, link: str, place: str, answer: ThreadAnswer) -> Work:
    """Returns the answer to a command in the conversation that starts no debate."""
    body = {"place": place, "answer": msgspec.to_builtins(answer)}
    return Work(f"command:{link}:{about}", ForgePostKind.ANSWER, body, "", link)


def check_post(check: CommitCheck, link: str, place: str, text: str) -> Work:
    body = {"place": place, "check": msgspec.to_builtins(check)}
    return Work(f"check:{text}", ForgePostKind.CHECK, body, check.mark, link)


def issue_post(debate: str, number: int, link: str, place: str, item: str, by: str) -> Work:
    """Returns an action item, plain text, as an issue that links back. A fixed sentence precedes
    it, because a line that begins with a slash is an order on GitLab, and to bots on GitHub.
    """
    mark = f"{debate}:{number}"
    line = foreign_line(item, 2000)
    whole = f"To do: {line}\n\nFrom the debate about {link}."
    issue = NewIssue(mark, foreign_title(one_line(item), 200), whole)
    body = {"place": place, "issue": msgspec.to_builtins(issue)}
    return Work(f"issue:{mark}", ForgePostKind.ISSUE, body, debate, link, by)


def test_post(debate: str, turn: str, link: str, place: str, test: NewTest, by: str) -> Work:
    """Returns the test that a turn wrote as a post to be written."""
    body = {"place": place, "test": msgspec.to_builtins(test)}
    return Work(f"test:{debate}:{turn}", ForgePostKind.TEST, body, debate, link, by)


def record_post(
    debate: str, target: str, place: str, repository: tuple[str, str], record: NewRecord, by: str
) -> Work:
    """Returns an approved decision record as a post to be written; ``repository`` is its host and
    name.
    """
    host, repo = repository
    body = {"place": place, "host": host, "repo": repo, "record": msgspec.to_builtins(record)}
    return Work(f"record:{record.mark}", ForgePostKind.RECORD, body, debate, target, by)
