"""The desk's part for writing to a pull request: reviews that a person sees, approves and posts,
issues, and checks of new commits.
"""

from __future__ import annotations

from bot.desk.handlers import handles
from bot.desk.lookup import find, find_copy
from bot.desk.parts import DeskParts
from bot.desk.reading.readings import note_reading
from bot.forges.review import approve_review, keep_test, list_issues, open_issue, show_review
from core.application.commands import PostReview
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput
from core.debate.state import Debate


async def press_review(
    desk: DeskParts, action: str, id: str, rest: str, caller: Caller
) -> DeskAnswer:
    """Does the action of a button below the verdict or below one of its reviews."""
    match action:
        case "post":
            return await post_review(desk, PostReview(id), caller)
        case "approve":
            return await post_review(desk, PostReview(id, rest), caller)
        case "issues":
            debate, _ = await _known(desk, id, caller, Action.SEE)
            return await list_issues(desk.forges, debate.id)
        case "issue" if rest.isdecimal():
            debate, person = await _known(desk, id, caller, Action.APPROVE)
            return await open_issue(desk.forges, debate.id, int(rest), person)
        case "keep":
            debate, person = await _known(desk, id, caller, Action.APPROVE)
            return await keep_test(desk.forges, debate.id, rest, person)
        case "recheck":
            copy = await find_copy(desk, id, caller, Action.RERUN, back=True)
            person = desk.permissions.person_in(copy.debate, caller)
            reply = await desk.runs.recheck(copy, person)
            return DeskAnswer(reply, debate=copy.debate.id)
        case _:
            raise BadInput("This button belongs to another version of me.")


@handles(PostReview)
async def post_review(desk: DeskParts, request: PostReview, caller: Caller) -> DeskAnswer:
    """Shows the exact text, or posts the one with this digest. Raises ``Refused``."""
    digest = request.approve
    if not digest:
        debate, _ = await _known(desk, request.debate, caller, Action.SEE)
        return await show_review(desk.forges, debate.id)
    debate, person = await _known(desk, request.debate, caller, Action.APPROVE)
    author = bool(desk.permissions.role_in(debate, person, caller.name))
    maintainer = person in desk.permissions.policy.moderators or caller.shell
    return await approve_review(
        desk.forges, debate.id, digest, person, author=author, maintainer=maintainer
    )


async def _known(desk: DeskParts, id: str, caller: Caller, action: Action) -> tuple[Debate, str]:
    """Returns the debate, and the person's name in it."""
    debate = await find(desk, id, caller, action)
    if action is Action.SEE:
        await note_reading(desk, caller, debate.id)
    return debate, desk.permissions.person_in(debate, caller)
