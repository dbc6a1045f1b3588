"""The desk's part for searching debates by their texts, their subjects and their endings, anywhere
in the caller's workspace, as far as the caller may see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from adapters.templates.catalogue import read_catalogue
from bot.desk.handlers import handles
from bot.desk.lookup import places_of
from bot.desk.parts import DeskParts
from core.application.commands import SearchRequest
from core.application.desk import Caller, DeskAnswer, json_file
from core.application.listing import Filter, Hit
from core.debate.errors import BadInput
from core.debate.material.plaintext import neutral
from core.languages import say
from core.words.views.course.progress import STATUS
from core.words.views.language.grammar import ago, option_words, uncapital
from core.words.views.verdict.labels import stored_label
from storage.word_index import asked_words

_MOST = 20
"""The most debates in one answer; a JSON document holds five times as many."""


@handles(SearchRequest)
async def answer_search(desk: DeskParts, request: SearchRequest, caller: Caller) -> DeskAnswer:
    """Answers a search, the newest debate first."""
    most = _MOST * 5 if caller.shell else _MOST
    hits = await find_hits(desk, _wanted(desk, request), caller, most + 1)
    file = json_file("found.json", [_row(one) for one in hits[:most]])
    lines = [_line(one) for one in hits[:_MOST]]
    if len(hits) > _MOST:
        lines.append(say("... and more: narrow it with --since 30d, --repository or --decision"))
    if not lines:
        query = neutral(" ".join(request.words.split())[:80])
        lines = [
            say(
                "No debate that you may see says “{query}”. All words must be there, each at "
                "least with its beginning; what was debated itself is not searched.",
                query=query,
            )
        ]
    return DeskAnswer("\n".join(lines), files=(file,))


async def find_hits(desk: DeskParts, wanted: Filter, caller: Caller, most: int) -> Sequence[Hit]:
    """Returns matching debates of the caller's workspace and their own; debates that they may
    not see are passed over. For a shell it first updates the search texts, since maybe no
    process keeps them up to date. Raises ``BadInput`` if the words asked for are only signs.
    """
    if wanted.words and not asked_words(wanted.words):
        raise BadInput("There is no word to search for: a word has a letter or a digit.")
    while caller.shell and await desk.history.keeper.keep():
        pass
    within = places_of(caller)
    own = desk.permissions.person(caller.person)
    decided = _blocking(desk) if wanted.blocked else ()
    now, hits = desk.clock.now(), list[Hit]()
    while len(hits) < most:
        page = await desk.stores.search.find_page(
            wanted, most, within=within, own=own, decided=decided
        )
        seen = await desk.permissions.visible(caller, [one.line for one in page])
        visible = {line.id for line in seen}
        hits += [
            replace(one, ago=ago(one.line.created_at, now))
            for one in page
            if one.line.id in visible
        ]
        if len(page) < most:
            break
        last = page[-1].line
        wanted = replace(wanted, before=(last.created_at, last.id))
    return hits[:most]


def _blocking(desk: DeskParts) -> Sequence[tuple[str, str]]:
    """Returns each template's options that keep a change from going in."""
    templates = read_catalogue(desk.sources)
    return [(one.id, o.option) for one in templates for o in one.ballot if o.blocks]


def _wanted(desk: DeskParts, request: SearchRequest) -> Filter:
    since: datetime | None = None
    if request.since is not None:
        since = desk.clock.now() - timedelta(seconds=request.since)
    return Filter(
        words=request.words,
        template=request.template.replace("-", "_"),
        mine=request.mine,
        person=request.by,
        repository=request.repository,
        decision=request.decision.replace(" ", "_").replace("-", "_"),
        since=since,
    )


def _line(hit: Hit) -> str:
    line = hit.line
    kind = option_words(line.template)
    ended = say(STATUS[line.status])
    if hit.decision:
        ended = uncapital(stored_label(hit.decision, hit.mechanism, reached=hit.reached))
    day = f"{line.created_at:%Y-%m-%d}"
    title = neutral(line.title or kind)
    plain = neutral(hit.text)
    text = f"- `{line.id}` {day}, {kind}, {ended}: {title}"
    if plain and not plain.startswith(title) and plain not in title:
        text += f"\n  {plain}"
    return text


def _row(hit: Hit) -> dict[str, object]:
    line = hit.line
    return {
        "id": line.id,
        "status": line.status,
        "template": line.template,
        "title": line.title,
        "decision": hit.decision,
        "reached": hit.decided,
        "place": line.place,
        "excerpt": hit.text,
        "created_at": line.created_at.isoformat(),
    }
