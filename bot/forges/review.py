"""A review on its way to its pull request: shown as it would be posted, approved by a person,
stored to be sent.

The approval is a digest of the very text; if votes changed the text meanwhile, the person sees the
new one. The author of a change does not approve its review.
"""

from __future__ import annotations

from adapters.forges.writing import NewTest
from adapters.review import Review
from adapters.review.amendment import (
    amendment,
    amendment_lines,
    answered_objections,
    objectors,
)
from adapters.review.text import compose, needs_maintainer, review_mark
from bot.forges.bound import require_bound
from bot.forges.context import ForgeContext
from bot.forges.write import Amendment, amendment_post, issue_post, review_posts, test_post
from core.application.desk import Button, ChatFile, DeskAnswer
from core.debate.errors import BadInput, Refused
from core.debate.log import ForgePostKind
from core.debate.material.plaintext import cut, one_line
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.action_items import action_items
from core.debate.verdict.condition import is_what_if
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.gate import gated
from core.languages import msgid, say, speaking
from core.words.views.documents.forge import (
    APPROVED_REVIEW,
    CHOSEN_ISSUE,
    CHOSEN_TEST,
    ISSUE_OPENED,
    TEST_ADDED,
    not_posted_line,
    posted_line,
    waiting_line,
)
from core.words.views.language.people import with_names
from core.words.views.proofs import kept_test
from core.words.views.verdict.objection import objections
from storage.leases import RowState
from storage.work import Work, WorkRow

_WOULD_POST = msgid("This is what would be posted to {link} ({digest})")
_SHOWN = 4000
"""The most characters of a review that an answer in a chat shows; a longer one is sent as a file.
"""


async def preview_review(context: ForgeContext, id: str) -> tuple[Debate, Review]:
    """Returns the exact text. Raises ``Refused`` if a review is never posted."""
    debate = await context.service.load(id)
    link, rules = context.page_of(debate.id), await context.rules(debate)
    with speaking(rules.language):
        return debate, compose(
            debate,
            request_changes=rules.request_changes,
            link=link,
            objections=await _objection_lines(context, debate),
        )


async def _objection_lines(context: ForgeContext, debate: Debate) -> tuple[str, ...]:
    """Returns what people's objections to the review before, and to this one, came to."""
    debates = [debate]
    if debate.request.after:
        debates.insert(0, await context.service.load(debate.request.after))
    debates = [one for one in debates if one.opened is not None]
    names = await context.names_of([person for one in debates for person in objectors(one)])
    return tuple(
        say(
            "On the objection “{text_}”: {result}.",
            text_=cut(view.challenge.text, 120),
            result=with_names(view.line, names),
        )
        for one in debates
        for view in objections(one)
        if view.now
    )


async def show_review(context: ForgeContext, id: str) -> DeskAnswer:
    """Returns the exact text with the button that posts it, also after it could not be
    posted.
    """
    debate, review = await preview_review(context, id)
    done = await context.work.find(_review_key(debate))
    if done is not None and done.state != RowState.DEAD:
        return DeskAnswer(_state_line(done), debate=debate.id)
    button = Button("approve", say("Post exactly this"), f"{debate.id}:{review.digest}")
    source = debate.open.material.source
    what = say(_WOULD_POST, link=source, digest=review.digest)
    if done is not None:
        what = f"{not_posted_line(done.reason)} {what}"
    exact = review.render()
    if len(exact) <= _SHOWN:
        return DeskAnswer(f"{what}:\n\n{exact}", debate=debate.id, buttons=(button,))
    file = ChatFile(f"review-{debate.id}.md", exact)
    whole = say("{what}, whole in the file {file}. It begins:", what=what, file=file.name)
    text = f"{whole}\n\n{review.body[:_SHOWN]}"
    return DeskAnswer(text, debate=debate.id, buttons=(button,), files=(file,))


async def approve_review(
    context: ForgeContext,
    id: str,
    digest: str,
    by: str,
    *,
    author: bool,
    maintainer: bool,
) -> DeskAnswer:
    """Stores the review to be posted, in the name of the person who approved this very text.

    ``author`` is True if they wrote the change, ``maintainer`` if they are configured to moderate.
    Raises ``Refused`` for the author, if a maintainer is needed, and for a text that differs from
    the text that would be posted now.
    """
    debate, review = await preview_review(context, id)
    await require_bound(context.places, debate)
    if author:
        raise Refused("You wrote this change, so somebody else must approve its review.")
    if needs_maintainer(debate) and not maintainer:
        raise Refused(
            "People dispute a severe security finding: only a named maintainer "
            "(DEBATE_MODERATORS) may post this review."
        )
    if digest != review.digest:
        raise Refused(
            "The text has changed since you saw it (it is {digest} now): look at it again and "
            "approve that.",
            digest=review.digest,
        )
    key = _review_key(debate)
    done = await context.work.find(key)
    if done is not None and done.state != RowState.DEAD:
        return DeskAnswer(_state_line(done), debate=debate.id)
    link, place = debate.open.material.source, debate.request.place
    answered = len(answered_objections(debate))
    posts = review_posts(
        debate.id, link, place, review, by, key, answered=answered, verdict=_verdict(debate)
    )
    await context.work.add(*posts)
    return DeskAnswer(say(APPROVED_REVIEW), debate=debate.id)


async def list_issues(context: ForgeContext, id: str) -> DeskAnswer:
    """Returns the action items, each with the button that makes it an issue."""
    debate = await context.service.load(id)
    items = action_items(debate)
    if not items:
        raise BadInput("This verdict has no action items.")
    buttons = tuple(
        Button("issue", say("Open {n}", n=n), f"{debate.id}:{n}") for n, _ in enumerate(items, 1)
    )
    listed = "\n".join(f"{n}. {one_line(item)}" for n, item in enumerate(items, 1))
    which = say("Which of these becomes an issue? Each is opened once.")
    text = f"{which}\n{listed}"
    return DeskAnswer(text, debate=debate.id, buttons=buttons[:20])


async def open_issue(context: ForgeContext, id: str, number: int, by: str) -> DeskAnswer:
    debate = await context.service.load(id)
    if debate.opened is None or debate.open.terms.demo:
        raise Refused("A demonstration opens no issues.")
    if is_what_if(debate):
        raise Refused("A what-if opens no issues: its verdict holds only under its condition.")
    await require_bound(context.places, debate)
    items = action_items(debate)
    if not 1 <= number <= len(items):
        raise BadInput("There is no action item {number}.", number=number)
    material, place = debate.open.material, debate.request.place
    post = issue_post(debate.id, number, material.source, place, items[number - 1], by)
    text = ISSUE_OPENED
    if await context.work.add(post):
        text = CHOSEN_ISSUE
    return DeskAnswer(say(text), debate=debate.id)


async def amend_reviews(context: ForgeContext, debate: Debate) -> None:
    """Stores the line that posted reviews get after an objection to their verdict was answered, or
    their verdict was changed by votes or a proof.
    """
    if debate.opened is None or not debate.over or debate.deleted is not None:
        return
    answered = answered_objections(debate)
    older = [
        row.work
        for row in await context.work.of(debate.id)
        if row.work.kind == ForgePostKind.REVIEW and row.state != RowState.DEAD
        if _is_older(row.work, debate, len(answered))
    ]
    if not older:
        return
    names = await context.names_of(objectors(debate))
    link = context.page_of(debate.id)
    named_in = {id for view in answered for id in view.challenge.findings}
    dismissal = ""
    if not gated(debate).blocks:
        dismissal = " ".join(amendment_lines(debate, names))
    line = Amendment(
        line=amendment(debate, names, link),
        reviews=tuple(post.key for post in older),
        marks=tuple(m.mark for m in merge_findings(debate) if named_in & set(m.ids)),
        dismissal=dismissal,
    )
    await context.work.add(amendment_post(older[0], line))


def _is_older(review: Work, debate: Debate, answered: int) -> bool:
    """True if the debate has said more since a review of it was approved. Votes say nothing until
    they are closed.
    """
    now = _verdict(debate)
    changed = debate.final and review.payload.get("verdict", now) != now
    return changed or int(review.payload.get("answered", 0)) < answered


def _verdict(debate: Debate) -> str:
    now = verdict(debate)
    return f"{now.decision}:{now.reached}"


async def keep_test(context: ForgeContext, id: str, turn: str, by: str) -> DeskAnswer:
    """Stores the test of a turn, which the person has seen, to be added to the change's branch.
    Raises ``Refused`` if it proves nothing now.
    """
    debate = await context.service.load(id)
    test = kept_test(debate, turn)
    if test is None:
        raise Refused("No finding of a pull request is proven by that test now.")
    await require_bound(context.places, debate, public=True)
    link, place = debate.open.material.source, debate.request.place
    post = test_post(debate.id, turn, link, place, NewTest(test.path, test.text), by)
    text = TEST_ADDED
    if await context.work.add(post):
        text = CHOSEN_TEST
    return DeskAnswer(say(text), debate=debate.id)


def _review_key(debate: Debate) -> str:
    """Returns the key of the review's post: one for each verdict that objections and proofs led
    to.
    """
    return f"review:{review_mark(debate)}"


def _state_line(state: WorkRow) -> str:
    if state.state == RowState.DONE:
        return posted_line(review_url(state))
    return waiting_line(state.work.debate, state.reason)


def review_url(state: WorkRow) -> str:
    """Returns the address of a posted review, or the pull request's if the forge gave none."""
    return str(state.result.get("url") or state.work.target)
