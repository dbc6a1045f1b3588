"""A debate's decision on its way into the repository: the record is shown as it would be proposed,
approved by a person, stored to be sent.

The approval is a digest of the text with its place. Without a repository, or if it can't be
reached, people get the file.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.forges.writing import NewRecord, TakesRecords
from adapters.repository.decision_records import FOLDERS, next_file
from adapters.review.text import foreign_title, review_mark
from bot.forges.bound import require_bound
from bot.forges.context import ForgeContext
from bot.forges.names import host_and_repo
from bot.forges.write import NO_RECORDS, record_post
from core.application.commands import RECORD
from core.application.desk import Button, ChatFile, DeskAnswer
from core.application.place import SHELL, platform_of
from core.debate.errors import BadInput, CouldNotFinish, Refused
from core.debate.state import Debate
from core.languages import msgid, say, say_error
from core.words.outcome.record import decision_record, record_slug, record_title
from core.words.views.documents.forge import CHOSEN_RECORD, PROPOSE, RECORD_PROPOSED
from storage.leases import RowState
from storage.places import Binding
from storage.work import WorkRow

_NO_REPOSITORY = msgid(
    "It is about no repository, and its place is bound to none, so the file is all there is."
)
_SEVERAL = msgid(
    "It is about no repository, and its place is bound to several, so the file is all there is."
)


async def show_record(context: ForgeContext, debate: Debate) -> DeskAnswer:
    """Returns the record as a file, with the button that proposes it to the repository, or the
    reason why it can't be proposed. Raises ``Refused`` for a debate without a decision.
    """
    text = decision_record(debate, context.page_of(debate.id))
    file = ChatFile(f"debate-{debate.id}-{RECORD}.md", text)
    done = await context.work.find(f"record:{_mark(debate)}")
    if done is not None and done.state != RowState.DEAD:
        return DeskAnswer(_state_line(done), files=(file,), debate=debate.id)
    try:
        _, repo, record = await _proposal(context, debate)
    except (Refused, BadInput, CouldNotFinish) as error:
        line = say("Decision record of debate `{id}`. {why}", id=debate.id, why=say_error(error))
        return DeskAnswer(line, files=(file,), debate=debate.id)
    line = say(
        "Decision record of debate `{id}`. It would be proposed to {repo} as {path}, by a pull "
        "request into {base} ({digest}).",
        id=debate.id,
        repo=repo,
        path=record.path,
        base=record.base,
        digest=record.digest,
    )
    button = Button("propose", say(PROPOSE), f"{debate.id}:{record.digest}")
    return DeskAnswer(line, files=(file,), debate=debate.id, buttons=(button,))


async def approve_record(context: ForgeContext, debate: Debate, digest: str, by: str) -> DeskAnswer:
    """Stores the record to be proposed, in the name of the person who approved this very text.
    Raises ``Refused`` if it would be another one now.
    """
    done = await context.work.find(f"record:{_mark(debate)}")
    if done is not None and done.state != RowState.DEAD:
        return DeskAnswer(_state_line(done), debate=debate.id)
    host, repo, record = await _proposal(context, debate)
    if digest != record.digest:
        raise Refused(
            "The record or its number has changed since you saw it (it is {digest} now): look "
            "at it again and approve that.",
            digest=record.digest,
        )
    target = debate.open.material.source or f"https://{host}/{repo}"
    place = debate.request.place
    await context.work.add(record_post(debate.id, target, place, (host, repo), record, by))
    return DeskAnswer(say(CHOSEN_RECORD), debate=debate.id)


async def _proposal(context: ForgeContext, debate: Debate) -> tuple[str, str, NewRecord]:
    """Returns the host and the name of the repository, and the record with its path: in the
    folder of the base branch's records, with the next free number.
    """
    text = decision_record(debate, context.page_of(debate.id))
    host, repo, base = await _repository(context, debate)
    async with context.connections.poster(host, repo, debate.request.place) as poster:
        if not isinstance(poster, TakesRecords):
            raise BadInput(NO_RECORDS)
        base = base or await poster.default_branch(repo)
        names = [(folder, await poster.names_in(repo, base, folder)) for folder in FOLDERS]
    title = foreign_title(f"Decision record: {record_title(debate)}", 200)
    path = next_file(names, record_slug(debate))
    return host, repo, NewRecord(_mark(debate), path, title, text, base)


async def _repository(context: ForgeContext, debate: Debate) -> tuple[str, str, str]:
    """Returns the host, the name and the base branch of the debate's repository: the repository of
    its change, otherwise the repository that its place is bound to. Raises ``Refused`` if there is
    none.
    """
    facts, place = debate.open.material.facts, debate.request.place
    if facts.get("repo"):
        await require_bound(context.places, debate, public=True)
        return facts["host"], facts["repo"], facts.get("base_branch", "")
    bound: Sequence[Binding] = ()
    if platform_of(place) not in (SHELL, ""):
        bound = await context.places.bindings(place=place)
    if not bound:
        raise Refused(_NO_REPOSITORY)
    if len(bound) > 1:
        raise Refused(_SEVERAL)
    return (*host_and_repo(bound[0].repository, context.connections.kinds), "")


def _mark(debate: Debate) -> str:
    """Returns the name of the debate and its verdict, as a part of a branch's name."""
    return review_mark(debate).replace(":", "-")


def _state_line(row: WorkRow) -> str:
    if row.state == RowState.DONE:
        return f"{say(RECORD_PROPOSED)}: {row.result.get('url') or row.work.target}"
    return say(CHOSEN_RECORD)
