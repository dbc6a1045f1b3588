"""The page of a debate, its files, and everything that people press on it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from aiohttp import web
from cachetools import LRUCache
from markupsafe import Markup

from adapters.posts.compare import ShareBar, bars, measured
from adapters.processes.threads import make_in_thread
from adapters.room.incoming.guard import Identify, NotFound, wants_json
from adapters.room.incoming.links import DAYS
from adapters.room.live import LINKED, LONGEST, Live
from adapters.room.outgoing import parts as p
from adapters.room.outgoing.change import change_of
from adapters.room.outgoing.layout import TOKEN, piece
from adapters.room.outgoing.reply import (
    download,
    end_notice,
    render_page,
    rendered,
    see_other,
    streamed,
)
from adapters.room.outgoing.view import DebateView, view_of
from adapters.room.port import Links
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor
from adapters.routes import Who
from adapters.routes.reading import form_of
from adapters.routes.waiting import OpenRequests
from core.application import commands as g
from core.application.commands.actions import Action
from core.application.debates import Debates, RelatedDebate
from core.application.desk import Desk, DeskAnswer
from core.application.offers import (
    exact_text,
    readable,
    without_button,
    without_digest,
    without_words,
)
from core.debate.errors import BadInput, Refused
from core.debate.state import Debate
from core.languages import ENGLISH, msgid, say, say_error, speak, spoken
from core.words.views.course.invitations import RECORD
from core.words.views.documents.comparison import THIS_DEBATE, side_by_side
from core.words.views.language.grammar import capital

_READERS = 500
"""Browsers that follow one debate at a time by links to it."""
_PAGES = 32
"""Debates whose page is kept as it was made last; the longest take half a megabyte."""
_TOGETHER = 12_000
"""Characters of a transcript that are made and sent together: some milliseconds' work."""
FORMS = {
    "md": ("Markdown", "text/markdown"),
    "json": ("JSON", "application/json"),
    "html": ("HTML", "text/html"),
    "sarif": ("SARIF", "application/json"),
}
_ROUNDS = '<div id="rounds">'
"""The mark in a page before the transcript. Foreign text is escaped, so it can't hold this mark."""
_ID = re.compile(r"[0-9a-z][0-9a-z_-]{0,63}")
_ANCHOR = re.compile(r"[0-9A-Za-z-]{1,80}")
_ACTIONS = (
    "pause", "resume", "stop", "challenge", "hotseat", "vote", "held", "useful", "rerun", "approve",
    "issue", "recheck", "prove", "keep", "propose",
)  # fmt: skip
"""The actions that a form of a debate's page may ask the desk for."""
NOT_HERE = msgid(
    "No debate that you may see has this address. It may be mistyped, deleted, or of a place that "
    "you can't read."
)


@dataclass(slots=True)
class Made:
    """A page as everybody sees it, made once; ``transcript`` is None until its first reader has
    received it whole.
    """

    view: DebateView
    parts: Mapping[str, p.PagePart]
    transcript: str | None = None

    async def rounds(self) -> AsyncIterator[str]:
        """Yields the transcript, a few elements at a time, so that a long one keeps no other
        request waiting.
        """
        if self.transcript is not None:
            yield self.transcript
            return
        whole: list[str] = []
        piece: list[str] = []
        for element in p.transcript(self.view):
            piece.append(element)
            if sum(map(len, piece)) >= _TOGETHER:
                await asyncio.sleep(0)
                whole.append("".join(piece))
                yield whole[-1]
                piece = []
        whole.append("".join(piece))
        yield whole[-1]
        self.transcript = "".join(whole)


class DebatePages:
    def __init__(
        self,
        settings: RoomSettings,
        desk: Desk,
        debates: Debates,
        live: Live,
        links: Links,
        identify: Identify,
    ) -> None:
        self._identify = identify
        self._settings, self._desk, self._debates = settings, desk, debates
        self._live, self._links, self._waiting = live, links, OpenRequests()
        self._kept: LRUCache[tuple[str, int, int], asyncio.Future[Made]] = LRUCache(_PAGES)

    async def one(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        debate = await self._seen(request, visitor)
        if debate.id != request.match_info["id"]:
            return see_other(f"/d/{debate.id}", visitor)
        if not debate.final:
            self._live.opened(debate.id)
        view = await self._view(debate, visitor)
        made = await self._made(debate)
        token = visitor.token
        can = ["talk"] if visitor.signed_in else []
        if visitor.signed_in and await self._may(debate, visitor, Action.PAUSE):
            can.append("control")
        share = (
            self._settings.links
            and "control" in can
            and await self._may(debate, visitor, Action.SHARE)
        )
        values: dict[str, Any] = {
            "v": view,
            "part": {id: filled(made.parts[id].html, token) for id, _ in p.FIXED},
            "findings": filled(p.findings(made.parts), token),
            "finds": bool(view.document["findings"]),
            "live": not debate.final,
            "note": "" if debate.final else self._live.waiting(),
            "can": " ".join(can),
            "mine": "",
            "share": share,
            "links": await self._links.of(debate.id) if share else (),
            "address": self._settings.public_url,
            "days": DAYS,
            "forks": piece(p.PARTS, "forks", view),
            "later": _later(view, token),
        }
        page = rendered(request, visitor, "debate.html", values)
        return end_notice(request, visitor, streamed(request, whole(page, made, token)))

    async def live(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Streams one debate's events as they happen."""
        id = (await self._seen(request, visitor)).id  # the debate itself is not held for so long

        async def is_known() -> bool:
            now = await self._identify(request, Who.LINKED)
            return (now.person, now.session, now.link) == (
                visitor.person,
                visitor.session,
                visitor.link,
            )

        if visitor.link:
            with self._waiting.one(f"link:{id}", _READERS):
                return await self._live.stream(request, id, LINKED, is_known)
        with self._waiting.one(visitor.caller().person):
            return await self._live.stream(request, id, LONGEST, is_known)

    async def beside(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Shows this debate, its parent and its forks, side by side."""
        debate = await self._seen(request, visitor)
        view = await self._view(debate, visitor)
        own = RelatedDebate(debate.id, say(THIS_DEBATE), view.document)
        parents = [f for f in view.forks if debate.fork and f.id == debate.fork.parent]
        everybody = [*parents, own, *(f for f in view.forks if f not in parents)]
        rows = side_by_side([each.document for each in everybody])
        values = {"v": view, "all": everybody, "rows": rows, "shares": shares(everybody)}
        return render_page(request, visitor, "forks.html", values)

    async def change(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Shows the whole change with the findings at their lines."""
        debate = await self._seen(request, visitor)
        if debate.opened is None or not debate.open.material.hunks:
            raise NotFound(say("This debate is about no change of code."))
        view = (await self._made(debate)).view

        def made() -> web.Response:
            files, elsewhere = change_of(debate)
            placed = sum(file.findings for file in files)
            values = {"v": view, "files": files, "elsewhere": elsewhere, "placed": placed}
            return render_page(request, visitor, "change.html", values)

        return await make_in_thread(made)

    async def review(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Shows the review as it would be posted to the pull request, letter by letter, with the
        button that posts it, and the action items that can become issues.
        """
        debate = await self._seen(request, visitor)
        view, caller = await self._view(debate, visitor), visitor.caller()
        answer = await self._desk.press("post", debate.id, caller)
        text, exact = exact_text(answer)
        opening = await self._desk.press("issues", debate.id, caller)
        items = view.document["verdict"]["action_items"]
        values = {
            "v": view,
            "review": replace(answer, text=without_digest(answer, text)),
            "read": readable(exact),
            "exact": exact,
            "issues": list(zip(items, opening.buttons, strict=False)),
            "heading": "",
        }
        return render_page(request, visitor, "review.html", values)

    async def record(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Shows the decision record as it would be proposed to the repository, with the button that
        proposes it.
        """
        debate = await self._seen(request, visitor)
        view = await self._view(debate, visitor)
        answer = await self._desk.press("record", debate.id, visitor.caller())
        exact = "".join(file.text for file in answer.files)
        values = {
            "v": view,
            "review": replace(answer, text=without_digest(answer, answer.text)),
            "read": exact,
            "exact": exact,
            "issues": (),
            "heading": say(RECORD),
        }
        return render_page(request, visitor, "review.html", values)

    async def file(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Sends the whole debate as a file to download."""
        form = request.match_info["form"]
        if form not in FORMS:
            raise NotFound(say("There is no such file."))
        debate = await self._seen(request, visitor)
        text = await self._debates.document(debate, form, visitor.caller())
        return download(text, f"debate-{debate.id}.{form}", FORMS[form][1])

    async def pressed(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Takes a button of the page to the desk, with the text of its form if it has one."""
        form = await form_of(request)
        action, value = form.text("action"), form.text("value")
        text = form.text("text")
        if action not in _ACTIONS:
            raise BadInput(say("This button belongs to an older page: load it again."))
        caller = visitor.sends(form, text) if text else visitor.caller()
        answer = _here(without_button(await self._desk.press(action, value, caller, text)))
        if text:  # the form that was refused still holds it
            answer = without_words(answer)
        if wants_json(request):
            return _told_as_json(answer)
        if text and not answer.ok:
            values = {"why": answer.text, "action": action, "value": value, "text": text}
            return render_page(request, visitor, "again.html", values)
        debate = answer.debate or value.partition(":")[0]
        anchor = form.text("back")
        place = f"#{anchor}" if _ANCHOR.fullmatch(anchor) else ""
        return see_other(_page(debate) + place, visitor, answer)

    async def forked(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Forks a debate; above the price limit only for a person who has seen the price."""
        form = await form_of(request)
        fields = {name: form.text(name) for name in ("debate", "without", "assume", "branch")}
        debate = fields["debate"]
        ask = g.ForkRequest(
            debate,
            without=fields["without"],
            assume=fields["assume"],
            branch=tuple(line.strip() for line in fields["branch"].splitlines() if line.strip()),
            yes=form.text("do") == "agree",
        )
        answer = await self._desk.take(ask, visitor.sends(form, str(ask)))
        if answer.priced is not None:
            values = {"price": answer.text, "hidden": fields}
            return render_page(request, visitor, "agree.html", values)
        where = debate
        if answer.ok and answer.debate:
            where = answer.debate
        beside = "/forks" if answer.ok and ask.branch else ""
        return see_other(_page(where) + beside, visitor, answer)

    async def _may(self, debate: Debate, visitor: Visitor, action: Action) -> bool:
        try:
            await self._debates.require(visitor.caller(), action, debate)
        except Refused:
            return False
        return True

    async def _seen(self, request: web.Request, visitor: Visitor) -> Debate:
        """Returns the debate of the page, whose language the page has."""
        if visitor.link:
            try:
                debate = await self._debates.linked(visitor.link)
            except BadInput as error:
                raise NotFound(say_error(error)) from error
        else:
            try:
                debate = await self._debates.find(request.match_info["id"], visitor.caller())
            except BadInput as error:
                raise NotFound(say(NOT_HERE)) from error
        speak(debate.language)
        return debate

    async def _made(self, debate: Debate) -> Made:
        """Returns the view and the parts of a page, made once for all readers of the same state."""
        parent = await self._debates.parent(debate)
        key = (debate.id, debate.count, parent["events"] if parent else 0)
        made = self._kept.get(key)
        if made is None:
            making = make_in_thread(_make, self._settings, debate, parent)
            made = self._kept[key] = asyncio.ensure_future(making)
            made.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(made)

    def _forget(self, key: tuple[str, int, int], made: asyncio.Future[Made]) -> None:
        """Forgets a page that could not be made, so that the next request makes it anew."""
        if made.cancelled() or made.exception() is not None:
            self._kept.pop(key, None)

    async def _view(self, debate: Debate, visitor: Visitor) -> DebateView:
        related: Sequence[RelatedDebate] = ()
        if visitor.signed_in:
            related = await self._debates.related(debate, visitor.caller())
        made = await self._made(debate)
        return replace(made.view, forks=related)


def _make(settings: RoomSettings, debate: Debate, parent: Mapping[str, Any] | None) -> Made:
    view = view_of(settings, debate, parent)
    return Made(view, p.around_transcript(view))


def _later(view: DebateView, token: str) -> str:
    """Returns the form that asks if the verdict held, if the debate is old enough for people to
    know; else empty.
    """
    if view.asks_held() or not view.asks_held(datetime.now(UTC)):
        return ""
    return filled(piece(p.PARTS, "ask_held", view), token)


async def whole(page: str, made: Made, token: str) -> AsyncIterator[str]:
    """Yields a page with the transcript in its place."""
    begin, tag, end = page.partition(_ROUNDS)
    yield begin + tag
    async for elements in made.rounds():
        yield filled(elements, token)
    yield end


def filled(html: str, token: str) -> Markup:
    """Returns the shared HTML with this reader's own token in its forms."""
    return Markup(html.replace(TOKEN, token))  # noqa: S704 (made by our own pages)


def _here(answer: DeskAnswer) -> DeskAnswer:
    """Returns the desk's answer as a sentence on the page of the debate that it names; in other
    languages than English the id stays.
    """
    if spoken() != ENGLISH:
        return answer
    name = f"`{answer.debate}`"
    text = answer.text.replace(f"Debate {name}", "This debate").replace(name, "this debate")
    return replace(answer, text=text) if answer.debate else answer


def _page(debate: str) -> str:
    """Returns the address of a debate's page, or of the list if the text cannot be an id, because a
    form's text must not get into a header.
    """
    return f"/d/{debate}" if _ID.fullmatch(debate) else "/"


def _told_as_json(answer: DeskAnswer) -> web.Response:
    return web.json_response(
        {"ok": answer.ok, "text": answer.text, "debate": answer.debate},
        status=200 if answer.ok else 409,
    )


def shares(forks: Sequence[RelatedDebate]) -> list[tuple[str, list[tuple[str, ShareBar | None]]]]:
    """Returns the name and cells of every measure that can be drawn for at least one of them: the
    measure in words, and its bar if it has one.
    """
    measures = [measured(fork.document) for fork in forks]
    drawn = [bars(fork.document) for fork in forks]
    names = dict.fromkeys(name for each in drawn for name in each)
    return [
        (
            capital(say(name)),
            [(t[name], d.get(name)) for t, d in zip(measures, drawn, strict=True)],
        )
        for name in names
    ]
