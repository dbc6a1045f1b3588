"""The desk's part for writing to a pull request: reviews that a person sees, approves and posts,
issues, and checks of new commits.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.desk.handlers import handles
from bot.desk.lookup import Lookup
from bot.desk.reading.readings import ReadingAudit
from bot.forges.review import Approver, Reviews
from bot.forges.runs import Runs
from core.application.commands import PostReview
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.application.permissions import Permissions
from core.debate.errors import BadInput
from core.debate.state import Debate


@dataclass(frozen=True, slots=True)
class ReviewDesk:
    reviews: Reviews
    runs: Runs
    lookup: Lookup
    permissions: Permissions
    readings: ReadingAudit

    async def press(self, action: str, id: str, rest: str, caller: Caller) -> DeskAnswer:
        """Does the action of a button below the verdict or below one of its reviews."""
        match action:
            case "post":
                return await self.post(PostReview(id), caller)
            case "approve":
                return await self.post(PostReview(id, rest), caller)
            case "issues":
                debate, _ = await self._known(id, caller, Action.SEE)
                return await self.reviews.issues(debate.id)
            case "issue" if rest.isdecimal():
                debate, approver = await self._known(id, caller, Action.APPROVE)
                return await self.reviews.open_issue(debate.id, int(rest), approver.person)
            case "keep":
                debate, approver = await self._known(id, caller, Action.APPROVE)
                return await self.reviews.keep_test(debate.id, rest, approver.person)
            case "recheck":
                copy = await self.lookup.find_copy(id, caller, Action.RERUN, back=True)
                person = self.permissions.person_in(copy.debate, caller)
                reply = await self.runs.recheck(copy, person)
                return DeskAnswer(reply, debate=copy.debate.id)
            case _:
                raise BadInput("This button belongs to another version of me.")

    @handles(PostReview)
    async def post(self, request: PostReview, caller: Caller) -> DeskAnswer:
        """Shows the exact text, or posts the one with this digest. Raises ``Refused``."""
        digest = request.approve
        action = Action.APPROVE if digest else Action.SEE
        debate, approver = await self._known(request.debate, caller, action)
        if not digest:
            return await self.reviews.show(debate.id)
        return await self.reviews.approve(debate.id, digest, approver)

    async def _known(self, id: str, caller: Caller, action: Action) -> tuple[Debate, Approver]:
        debate = await self.lookup.find(id, caller, action)
        if action is Action.SEE:
            await self.readings.note(caller, debate.id)
        person = self.permissions.person_in(debate, caller)
        author = bool(self.permissions.role_in(debate, person, caller.name))
        maintainer = person in self.permissions.policy.moderators or caller.shell
        return debate, Approver(person, author, maintainer)
