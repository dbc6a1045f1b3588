"""Handles each event of a forge for every place that follows the repository.

Handling the same event twice, late or out of order does no harm: an event only means that a run may
be needed, and the run itself requests the present state from the forge.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from adapters.forges.events import ForgeEvent, ForgeEventKind, is_dependency_bot
from adapters.forges.links import ChangeLink, ForgeKind
from adapters.review.text import command_answer, foreign_line, not_now, reply_answer
from adapters.templates.catalogue import find
from bot.forges.bound import hears
from bot.forges.checks import answer_queue
from bot.forges.context import ForgeContext
from bot.forges.names import host_and_repo, other_repository, person_on
from bot.forges.reactions import read_reactions
from bot.forges.rules import Rules, rules_of
from bot.forges.write import command_post, reply_post
from bot.quotas import Quotas, TooMany
from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.challenges import MAX_CHALLENGE
from core.debate.commands.decisions import decide
from core.debate.errors import BadInput, Refused
from core.debate.events import ForgeNote
from core.debate.material import ChangeState
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import rejection
from core.debate.verdict.findings.merged import MergedFinding
from core.words.views.language.grammar import plural
from core.words.views.language.references import finding_title
from storage.forges.followed import ANY, ChangeKey, Followed
from storage.places import Binding, repository_id, repository_key

logger = logging.getLogger(__name__)
_REJECTS = re.compile(
    r"\b(?:won'?t fix|wontfix|not a (?:bug|defect|problem)|(?:by|as) design(?:ed)?|intended|"
    r"intentional|false positive|not an issue|rejected)\b",
    re.IGNORECASE,
)
"""What a maintainer writes who does not want a finding fixed."""
_NEGATED = re.compile(r"\b(?:not|never|cannot)\b|n't\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]?")
_CLAUSE = re.compile(r"[,;]|\bbut\b", re.IGNORECASE)
_COMMAND = re.compile(r"\s*/debate(?:[ \t]+([\w-]+))?\s*(?:\n|$)")
_ALIKE = re.compile(r"\s*/debate(?!\S)")
"""Matches what begins like a command."""
_ALONE = (
    "Not taken: in a comment, `/debate` is alone on the first line, or only the name of a template "
    "is next to it, as in `/debate code_review`. Options are for the channel."
)


@dataclass(frozen=True, slots=True)
class EventDesk:
    context: ForgeContext
    quotas: Quotas

    async def take(self, event: ForgeEvent) -> str:
        """Handles an event and returns the result in a few words for the journal. Raises
        ``CouldNotFinish`` if it may be handled later.
        """
        if event.repo:
            try:
                event = await self._named(event)
            except BadInput as error:
                logger.warning(str(error), extra={"action": "forge_event", "repo": event.repo})
                return str(error)
        match event.happened:
            case ForgeEventKind.INSTALLED:
                return "the App was installed; an admin links it with setup github"
            case ForgeEventKind.UNINSTALLED:
                gone = await self.context.connections.installations.forget(
                    event.host, event.installation
                )
                self.context.connections.tokens.forget(event.installation)
                if gone:
                    return "the installation is gone"
                return "it was not known"
            case ForgeEventKind.GUIDELINES:
                return f"new guidelines ({event.text}); every run reads those of its base"
            case (
                ForgeEventKind.CLOSED
                | ForgeEventKind.OPENED
                | ForgeEventKind.PUSHED
                | ForgeEventKind.RETARGETED
            ):
                return await self._moved(event)
            case ForgeEventKind.LABELED:
                if is_dependency_bot(event.actor):
                    return "a dependency bot put its own label on"
                return await self._wanted(event, lambda rules, _place: event.label in rules.labels)
            case ForgeEventKind.QUEUED:
                return await answer_queue(self.context, _link(event), event.head)
            case ForgeEventKind.COMMENTED:
                return await self._commented(event)
            case ForgeEventKind.REPLIED if _COMMAND.match(event.text):
                return await self._commented(event)
            case ForgeEventKind.REPLIED:
                return await self._replied(event)
            case ForgeEventKind.REACTED:
                return await self._reacted(event)

    async def _named(self, event: ForgeEvent) -> ForgeEvent:
        """Returns an event with the name under which its repository is known here: an event may
        tell of a rename, or be older than one. Raises ``BadInput`` if only another repository is
        known under it.
        """
        await self.context.see(event.host, event.repo, event.repo_id, event.at)
        key = repository_key(event.host, event.repo)
        bound = await self._bindings(event)
        if not bound and await self.context.places.bindings(repository=key):
            raise other_repository(event.repo)
        if bound and bound[0].repository != key:
            _, known = host_and_repo(bound[0].repository, self.context.connections.kinds)
            return replace(event, repo=known)
        return event

    async def _moved(self, event: ForgeEvent) -> str:
        link = _link(event)
        rows = await self.context.followed.of(link.host, link.repo, link.number)
        if event.happened is ForgeEventKind.CLOSED:
            if rows and not event.merged and await self._is_open(link, rows[0]):
                return "it is open again"
            for row in rows:
                await self.closed(row, event.merged, event.at, event.merge_commit)
            return f"{len(rows)} followed"
        for row in rows:
            if row.state != ChangeState.OPEN and event.happened is ForgeEventKind.OPENED:
                await self._note(row, ForgeNote.REOPENED, "", f"{event.at}", event.actor)
                await self.context.followed.ended(row, ChangeState.OPEN)
        # a push asks only for what was debated in a place before
        debated = {row.key.place for row in rows if row.debate}
        pushed = await self._wanted(
            event,
            lambda rules, place: (
                place in debated and rules.pushes and (rules.drafts or not event.draft)
            ),
        )
        if event.happened is not ForgeEventKind.OPENED:
            return pushed
        if is_dependency_bot(event.author):
            return "a dependency bot's pull request, which somebody has to ask for"
        return await self._wanted(
            event, lambda rules, _place: rules.opened and (rules.drafts or not event.draft)
        )

    async def _is_open(self, link: ChangeLink, row: Followed) -> bool:
        async with self.context.connections.poster(link.host, link.repo, row.key.place) as poster:
            return (await poster.change(link)).state is ChangeState.OPEN

    async def _wanted(self, event: ForgeEvent, when: Callable[[Rules, str], bool]) -> str:
        """Requests a run in each place that follows the repository and wants it by its rules."""
        wanted = 0
        for binding in await self._bindings(event):
            rules = rules_of(binding.rules)
            if when(rules, binding.place):
                await self._want(binding, event, rules.template)
                wanted += 1
        return f"wanted in {plural(wanted, 'place')}"

    async def _commented(self, event: ForgeEvent) -> str:
        match = _COMMAND.match(event.text)
        if _ALIKE.match(event.text) is None:
            return "no command"
        bindings = [b for b in await self._bindings(event) if rules_of(b.rules).comments]
        if not bindings:
            return "no place takes commands from there"
        async with self.context.connections.poster(
            event.host, event.repo, bindings[0].place
        ) as poster:
            if not await poster.may_write(event.repo, event.actor):
                return "its author may not write to the repository"
            if match is None:
                return await self._decline(event, bindings[0], "options", _ALONE)
            link = _link(event)
            if (state := (await poster.change(link)).state) != ChangeState.OPEN:
                why = f"Not taken: {link.short} is {state}, and a comment starts a debate only of "
                return await self._decline(event, bindings[0], state, f"{why}what is open.")
        for binding in bindings:
            template = match[1] or rules_of(binding.rules).template
            await self._want(binding, event, template, forced=True)
        return f"wanted in {plural(len(bindings), 'place')}"

    async def _decline(self, event: ForgeEvent, binding: Binding, reason: str, why: str) -> str:
        """Answers a command that starts nothing, once a day for each person and reason."""
        about = f"{event.actor}:{self.context.clock.now():%Y-%m-%d}:{reason}"
        answer, link = command_answer(about, why), _link(event).url
        await self.context.work.add(command_post(about, link, binding.place, answer))
        return why

    async def _replied(self, event: ForgeEvent) -> str:
        """Turns a reply to one of the bot's comments into a challenge of the seats that hold the
        finding; when no seat is left to answer, it is stored for the next run.
        """
        link = _link(event)
        rows = await self._hearing(
            await self.context.followed.of(link.host, link.repo, link.number)
        )
        if not rows:
            return "not followed"
        async with self.context.connections.poster(
            event.host, event.repo, rows[0].key.place
        ) as poster:
            mark = await poster.finding_of(link, event.reply_to)
            if not mark:
                return "not under one of the bot's comments"
            rejects = _rejects(event.text) and await poster.may_write(event.repo, event.actor)
        taken = 0
        for row in rows:
            if rejects and await self._reject(row, event, mark):
                continue
            taken += await self._challenge(row, event, mark)
        return f"a challenge in {plural(taken, 'debate')}"

    async def _reacted(self, event: ForgeEvent) -> str:
        link = _link(event)
        rows = await self._hearing(
            await self.context.followed.of(link.host, link.repo, link.number)
        )
        count = [await read_reactions(self.context, row) for row in rows]
        return f"{sum(count)} judgements"

    async def _reject(self, row: Followed, event: ForgeEvent, mark: str) -> bool:
        """Records that a maintainer rejected a finding; False if they wrote the change themselves,
        or it is not known.
        """
        debate = await self.context.service.load(row.debate)
        if debate.opened is None or debate.open.material.author == event.actor:
            return False
        finding = _finding(debate, mark)
        if finding is None:
            return False
        who = person_on(event.forge, event.host, event.actor)
        note = e.ForgeNoted(ForgeNote.REJECTED, rejection(finding), self.context.clock.now(), who)
        key = f"{event.forge}:{event.host}:comment:{event.comment}:{row.debate}"
        return await self.context.queue.enqueue(row.debate, note, key)

    async def _hearing(self, rows: Sequence[Followed]) -> Sequence[Followed]:
        """Returns the rows whose places have debated the change and may still hear of it."""
        return [
            row
            for row in rows
            if row.debate
            and await hears(self.context.places, row, await self.context.service.load(row.debate))
        ]

    async def _challenge(self, row: Followed, event: ForgeEvent, mark: str) -> bool:
        debate = await self.context.service.load(row.debate)
        finding = _finding(debate, mark)
        author = person_on(event.forge, event.host, event.actor)
        about = ""
        if finding is not None:
            about = f"On “{finding_title(finding.wording)}” ({finding.id}): "
        text = f"{about}{event.text.strip()}"
        source = f"{event.forge}:{event.host}:comment:{event.comment}"
        if not event.text.strip() or len(text) > MAX_CHALLENGE:
            why = f"Not taken: an objection has words, {MAX_CHALLENGE} characters at most."
            await self._refuse(row, event.comment, mark, why)
            return False
        command = c.RaiseChallenge(author, text, (), source)
        waiting = sum(one["author"] == author for one in row.objections if "debate" not in one)
        try:
            async with self.quotas.challenge_on_forge(author, row.key.place, waiting):
                return await self._raise(row, debate, command, mark)
        except TooMany as error:
            logger.info(str(error), extra={"action": "forge_challenge", "debate": row.debate})
            limited = foreign_line(f"{error}", 600)
            await self._refuse(row, f"limit:{author}", mark, limited)  # once, however many
            return False

    async def _refuse(self, row: Followed, about: str, mark: str, why: str) -> None:
        answer = reply_answer(row.debate, about, mark, why)
        await self.context.work.add(reply_post(row.debate, about, row.link, row.key.place, answer))

    async def _raise(
        self, row: Followed, debate: Debate, command: c.RaiseChallenge, mark: str
    ) -> bool:
        """Challenges the debate, or stores the challenge for the next one. Returns False for a
        challenge that is stored already.
        """
        key = f"{command.source}:{row.debate}"
        kept = {"author": command.author, "text": command.text, "source": command.source}
        try:
            decide(debate, command)
        except Refused as refused:
            about = command.source.rpartition(":")[2]
            await self._refuse(row, about, mark, not_now(f"{refused}"))
            fresh = await self.context.followed.objected(row, kept)
            if fresh:
                now = self.context.clock.now()
                note = e.ForgeNoted(ForgeNote.OBJECTION, command.text, now, command.author)
                await self.context.queue.enqueue(row.debate, note, key)
            return fresh
        await self.context.followed.objected(row, {**kept, "debate": row.debate, "mark": mark})
        return await self.context.queue.enqueue(row.debate, command, key)

    async def closed(
        self, row: Followed, merged: bool, at: datetime | None, merge_commit: str
    ) -> None:
        """Posts in the thread that a change was merged or closed, and then records it, once, and
        when to ask about it: if the database is away in between, both are done again.
        """
        state, what = ChangeState.CLOSED, ForgeNote.CLOSED
        if merged:
            state, what = ChangeState.MERGED, ForgeNote.MERGED
        if row.state == state:
            return
        when = at or self.context.clock.now()
        if row.debate:
            await self._note(row, what, merge_commit[:12], f"{when}", "")
        await self.context.followed.ended(row, state, when, merge_commit)

    async def _note(self, row: Followed, what: str, text: str, key: str, by: str) -> None:
        note = e.ForgeNoted(what, text, self.context.clock.now(), by)
        if await self._hearing((row,)):
            await self.context.queue.enqueue(row.debate, note, f"{what}:{row.debate}:{key}")

    async def _want(
        self, binding: Binding, event: ForgeEvent, template: str, *, forced: bool = False
    ) -> None:
        link = _link(event)
        key = ChangeKey(binding.place, link.host, link.repo, link.number)
        asker = ""
        if event.actor:
            asker = person_on(event.forge, event.host, event.actor)
        request = {
            "template": template if _known(template) else rules_of(binding.rules).template,
            "asker": asker,
            "why": event.happened.value,
            "again": event.comment if forced else "",
        }
        await self.context.followed.want(key, link.url, event.head or ANY, request)

    async def _bindings(self, event: ForgeEvent) -> Sequence[Binding]:
        return await self.context.places.bindings(
            repository=repository_key(event.host, event.repo),
            id=repository_id(event.host, event.repo_id),
        )


def _rejects(text: str) -> bool:
    """True if a reply rejects the finding in words that it does not quote, ask or negate."""
    own = [line for line in text.replace("’", "'").split("\n") if not line.lstrip().startswith(">")]
    sentences = (s for s in _SENTENCE.findall("\n".join(own)) if not s.endswith("?"))
    clauses = (clause for sentence in sentences for clause in _CLAUSE.split(sentence))
    matches = ((clause, _REJECTS.search(clause)) for clause in clauses)
    return any(match and not _NEGATED.search(clause[: match.start()]) for clause, match in matches)


def _link(event: ForgeEvent) -> ChangeLink:
    kind: ForgeKind = "gitlab"
    if event.forge == "github":
        kind = "github"
    return ChangeLink(kind, event.host, event.repo, event.number)


def _finding(debate: Debate, mark: str) -> MergedFinding | None:
    if debate.opened is None:
        return None
    return next((one for one in merge_findings(debate) if one.mark == mark), None)


def _known(template: str) -> bool:
    try:
        find(template)
    except BadInput:
        return False
    return True
