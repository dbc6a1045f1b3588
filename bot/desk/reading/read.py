"""The desk's part for one debate in all its forms: shown, exported, compared, with its receipt."""

from __future__ import annotations

import json

from adapters.posts.compare import comparison
from adapters.posts.export import export
from adapters.posts.export.play import play
from adapters.processes.threads import make_in_thread
from adapters.review.sarif import sarif
from bot.debates.receipts import issue_receipt
from bot.debates.replays import replay_stored
from bot.debates.service import parent_outcome
from bot.desk.handlers import handles
from bot.desk.lookup import find
from bot.desk.parts import DeskParts
from bot.desk.reading.readings import note_reading
from bot.forges.records import approve_record, show_record
from core.application.commands import RECORD, Compare, Export, ReceiptRequest, ReplayRequest, Show
from core.application.desk import Caller, ChatFile, DeskAnswer, json_file
from core.application.place import platform_of
from core.debate.errors import BadInput
from core.debate.state import Debate
from core.languages import say, speaking, spoken
from core.words.outcome import outcome
from core.words.outcome.record import decision_record
from core.words.views.language.people import people_in, with_names


@handles(Show)
async def show(desk: DeskParts, request: Show, caller: Caller) -> DeskAnswer:
    debate = await find(desk, request.debate, caller)
    await note_reading(desk, caller, debate.id)
    parent = await parent_outcome(desk.stores.debates, debate)
    text = await make_in_thread(export, debate, "json", parent)
    file = ChatFile(f"debate-{debate.id}.json", text)
    language = spoken()
    if caller.shell:
        language = debate.language or language
    with speaking(language):
        report = await make_in_thread(export, debate, "md", parent)
        text = await _named(desk, debate, caller, report)
    return DeskAnswer(text, files=(file,), debate=debate.id)


async def _named(desk: DeskParts, debate: Debate, caller: Caller, text: str) -> str:
    """Returns a text with people's names for a reader in a chat, as its threads have them."""
    if platform_of(caller.place) not in desk.chats:
        return text
    return with_names(text, await desk.forges.names_of(people_in(debate)))


@handles(Export)
async def export_debate(desk: DeskParts, request: Export, caller: Caller) -> DeskAnswer:
    """Exports a debate. Raises ``BadInput`` for an unknown form."""
    debate = await find(desk, request.debate, caller, request.asks_for())
    if request.form == RECORD:
        await note_reading(desk, caller, debate.id, request.form)
        if request.approve:
            person = desk.permissions.person_in(debate, caller)
            return await approve_record(desk.forges, debate, request.approve, person)
        return await show_record(desk.forges, debate)
    if request.approve:
        raise BadInput("Only a decision record is approved: export ID adr --approve HASH")
    text = await document(desk, debate, request.form)
    await note_reading(desk, caller, debate.id, request.form)
    if request.form == "md":
        text = await _named(desk, debate, caller, text)
    name = f"debate-{debate.id}.{request.form}"
    if request.form == "play":
        name = f"debate-{debate.id}-play.html"
    file = ChatFile(name, text)
    line = say("Debate {id} as {form}.", id=f"`{debate.id}`", form=request.form)
    return DeskAnswer(line, files=(file,), debate=debate.id)


async def document(desk: DeskParts, debate: Debate, form: str) -> str:
    """Returns a debate as md, json, html, play, sarif or adr. Raises ``BadInput`` for another
    form, ``Refused`` for the record of no decision.
    """
    if form == RECORD:
        return await make_in_thread(decision_record, debate, desk.forges.page_of(debate.id))
    if form == "sarif":
        return await make_in_thread(lambda: json.dumps(sarif(debate), ensure_ascii=False, indent=2))
    if form == "play":
        return await make_in_thread(play, await desk.service.debates.load(debate.id))
    parent = await parent_outcome(desk.stores.debates, debate)
    return await make_in_thread(export, debate, form, parent)


@handles(ReceiptRequest)
async def receipt(desk: DeskParts, request: ReceiptRequest, caller: Caller) -> DeskAnswer:
    """Returns a debate's receipt. Raises ``Refused`` or ``BadInput`` if none can be issued."""
    debate = await find(desk, request.debate, caller)
    document = await issue_receipt(desk.service, desk.settings.signing_key, debate)
    await note_reading(desk, caller, debate.id, "receipt")
    name = f"receipt-{debate.id}.json"
    file = json_file(name, document)
    where = "FILE" if caller.shell else name  # a shell says itself whether it wrote one
    text = say(
        "Receipt of debate {id}. Check it with: {command}",
        id=f"`{debate.id}`",
        command=f"debate verify {where}",
    )
    return DeskAnswer(text, files=(file,), debate=debate.id)


@handles(ReplayRequest)
async def replay(desk: DeskParts, request: ReplayRequest, caller: Caller) -> DeskAnswer:
    """Replays the debate on its stored answers; the exit code is 1 if the result differs."""
    debate = await find(desk, request.debate, caller)
    result = await replay_stored(desk.service.debates, desk.stores.outcomes, debate)
    await note_reading(desk, caller, debate.id, "replay")
    text = json.dumps(result.document, ensure_ascii=False, indent=2, default=str)
    file = ChatFile(f"replay-{debate.id}.json", text)
    code = 0 if result.same else 1
    return DeskAnswer("\n".join(result.lines), files=(file,), code=code, debate=debate.id)


@handles(Compare)
async def compare(desk: DeskParts, compare: Compare, caller: Caller) -> DeskAnswer:
    """Compares two debates by their ids. Raises ``BadInput`` for one debate twice, and for a
    question that is still to be debated in two forms: only a shell plays both.
    """
    if compare.start is not None:
        raise BadInput(
            "A comparison of two forms runs in the shell: debate compare QUESTION. In a "
            "chat, compare two debates by id."
        )
    first = await find(desk, compare.first, caller)
    second = await find(desk, compare.second, caller)
    if first.id == second.id:
        raise BadInput("Both ids are those of debate {id}: name another one.", id=first.id)
    for debate in (first, second):
        await note_reading(desk, caller, debate.id)
    return await make_in_thread(_compared, first, second)


def _compared(first: Debate, second: Debate) -> DeskAnswer:
    both = [outcome(first), outcome(second)]
    text = comparison(*both)
    file = json_file("comparison.json", {"debates": both, "comparison": text})
    return DeskAnswer(text, files=(file,))
