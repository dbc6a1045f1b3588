"""A neutral post as Slack messages: the block for each field, and the cuts of a long post.

Pure: the same post always gives the same parts, so an interrupted delivery is found again and
continues.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from adapters.ports.chat import PAGE_LINK, Post, Shape, signature, title_spans
from adapters.slack.outgoing.markup import Json, block, defuse, escape, render, run, section, spans
from adapters.slack.outgoing.tables import is_table, tables
from adapters.text.links import HOSTS
from adapters.text.markdown import aligned, pieces, plain
from adapters.text.pieces import Piece, coded
from adapters.text.splitting import SMALLEST, split
from core.application.desk import Button
from core.debate.material.plaintext import cut
from core.languages import say
from core.words.views.course.invitations import MORE_BELOW

_PAYLOAD = 9_000  # characters of JSON in one message; Slack refuses somewhere above 10,000
_FALLBACK = 700  # characters of the text that stands for the blocks
_SAID = frozenset({Shape.STATEMENT, Shape.FINDING, Shape.CHALLENGE, Shape.NOTICE})
_MENU = 5  # choices of one overflow menu
_CONTROLS = 4  # buttons and menus of one post, at most
_CHUNK = 2_400  # characters of Markdown that are laid out at once
_RATES = "useful"
"""The action of the two buttons that Slack shows as thumbs."""


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """One message: ``text`` for notifications and screen readers, ``blocks`` for eyes."""

    text: str
    blocks: list[Json]


def plainer(message: SlackMessage) -> SlackMessage:
    """Return a message without tables and thumbs, for a workspace whose Slack refuses them: tables
    as aligned text, thumbs as buttons.
    """
    return replace(message, blocks=[_plainer(each) for each in message.blocks])


def _plainer(laid_out: Json) -> Json:
    match laid_out["type"]:
        case "table":
            rows = [[_text_of(cell) for cell in row] for row in laid_out["rows"]]
            return block({"type": "rich_text_preformatted", "elements": [run(aligned(rows))]})
        case "context_actions":
            (thumbs,) = laid_out["elements"]
            sides = (thumbs["positive_button"], thumbs["negative_button"])
            return {
                "type": "actions",
                "elements": [
                    {"type": "button", "action_id": f"debate.press.{_RATES}.{n}", **side}
                    for n, side in enumerate(sides)
                ],
            }
        case _:
            return laid_out


def _text_of(cell: Json) -> str:
    if "text" in cell:
        return str(cell["text"])
    return "".join(each["text"] for part in cell["elements"] for each in part["elements"])


def _size(blocks: list[Json]) -> int:
    return len(json.dumps(blocks, ensure_ascii=False))


def layout(post: Post, hosts: Collection[str] = HOSTS) -> list[SlackMessage]:
    """Returns the messages of ``post``.

    Small print and buttons are on the first. The root is one message always, since it is edited in
    place.
    """
    thumbs, others = _feedback(post.buttons)
    tail: list[Json] = []
    if post.small:
        tail.append({"type": "context", "elements": [plain_text(post.small, 1500)]})
    if url := post.facts.get("page", ""):
        tail.append(_line({"type": "link", "url": url, "text": say(PAGE_LINK)}))
    tail += [*_actions(_in_few(others)), *thumbs]
    lines = [_line(*spans(line)) for line in post.lines if line]
    chunks = [*_chunks(_body(post), hosts), *lines, *_fields(post), *_code(post.patch)]
    pages = _pages(_head(post), chunks, tail)
    if post.shape is Shape.ROOT and len(pages) > 1:
        pages = [[*pages[0], _line(run(say(MORE_BELOW), italic=True))]]
    if len(pages) == 1:
        return [
            SlackMessage(
                _fallback(post), pages[0] or [_line(run(post.fallback or post.title or "…"))]
            )
        ]
    return [_numbered(post, page, n, len(pages)) for n, page in enumerate(pages, start=1)]


def _numbered(post: Post, page: list[Json], number: int, total: int) -> SlackMessage:
    label = f"({number}/{total})"
    if number == 1:
        blocks = [*page, _line(run(f"{label}, goes on below", italic=True))]
    else:
        blocks = [
            _line(run(f"{signature(post) or post.title} {label}".strip(), italic=True)),
            *page,
        ]
    return SlackMessage(f"{_fallback(post)} {label}", blocks)


def answer_parts(
    markdown: str, buttons: Iterable[Button] = (), hosts: Collection[str] = HOSTS
) -> list[SlackMessage]:
    """Returns one of our answers as messages; a button is on the last."""
    chunks = list(_chunks(markdown, hosts))
    tail = _actions(tuple(buttons))
    pages = _pages([], chunks, [])
    pages[-1] = [*pages[-1], *tail]
    text = escape(cut(plain(pieces(markdown, hosts)).strip(), _FALLBACK)) or "…"
    return [SlackMessage(text, page or [_line(run("…"))]) for page in pages]


def _actions(buttons: tuple[Button, ...]) -> list[Json]:
    """Returns a row of buttons.

    The action id encodes the press, so that buttons of messages from before a restart still work.
    """
    if not buttons:
        return []
    visible = [_button(b, n) for n, b in enumerate(b for b in buttons if not b.more)]
    more = [b for b in buttons if b.more]
    menus = [_menu(more[at : at + _MENU], at) for at in range(0, len(more), _MENU)]
    return [{"type": "actions", "elements": [*visible, *menus][:25]}]


def _feedback(buttons: tuple[Button, ...]) -> tuple[list[Json], tuple[Button, ...]]:
    """Return the block that asks whether the verdict was useful, and the other buttons."""
    pair = [button for button in buttons if button.action == _RATES]
    if len(pair) != 2:
        return [], buttons
    yes, no = ({"text": plain_text(b.label, 75), "value": b.value} for b in pair)
    thumbs = {"positive_button": yes, "negative_button": no}
    element = {"type": "feedback_buttons", "action_id": f"debate.press.{_RATES}.0", **thumbs}
    others = tuple(button for button in buttons if button.action != _RATES)
    return [{"type": "context_actions", "elements": [element]}], others


def _in_few(buttons: tuple[Button, ...]) -> tuple[Button, ...]:
    """Returns the buttons of a post as at most ``_CONTROLS`` controls: those at the end go into the
    menu.
    """
    few = list(buttons)
    while True:
        visible = [n for n, button in enumerate(few) if not button.more]
        menus = -(-(len(few) - len(visible)) // _MENU)
        if len(visible) + menus <= _CONTROLS or not visible:
            return tuple(few)
        few[visible[-1]] = replace(few[visible[-1]], more=True)


def _menu(specs: list[Button], n: int) -> Json:
    """Returns buttons as the choices of a menu; the value of each choice is the id that the button
    would have.
    """
    options = [
        {"text": plain_text(spec.label, 75), "value": f"{_kind(spec)}.{spec.action}.{spec.value}"}
        for spec in specs
    ]
    return {"type": "overflow", "action_id": f"debate.more.menu.{n}", "options": options}


def _kind(spec: Button) -> str:
    """Returns the kind of a press: it acts at once, or it opens a form."""
    return "form" if spec.form else "press"


def _button(spec: Button, n: int) -> Json:
    out: Json = {
        "type": "button",
        "action_id": f"debate.{_kind(spec)}.{spec.action}.{n}",
        "text": plain_text(spec.label, 75),
    }
    if spec.value:
        out["value"] = spec.value[:2000]
    if spec.danger:
        out["style"] = "danger"
    if spec.confirm:
        out["confirm"] = {
            "title": plain_text(spec.label, 100),
            "text": plain_text(spec.confirm, 300),
            "confirm": plain_text(say("Yes"), 30),
            "deny": plain_text(say("No"), 30),
        }
    return out


def plain_text(text: str, limit: int) -> Json:
    """Returns a plain text object: no markup, no emoji codes; cut at ``limit`` characters."""
    return {"type": "plain_text", "text": cut(defuse(text).strip() or "…", limit), "emoji": False}


def _line(*elements: Json) -> Json:
    return block(section(*elements))


def _lines(lines: list[list[Json]]) -> Json:
    elements = list(lines[0])
    for line in lines[1:]:
        elements += [run("\n"), *line]
    return _line(*elements)


def _head(post: Post) -> list[Json]:
    out: list[Json] = []
    title = " ".join(post.title.split())
    if title and not post.url and post.shape in (Shape.ROOT, Shape.ROUND, Shape.VERDICT):
        out.append({"type": "header", "text": plain_text(title, 150)})
        title = title if len(title) > 150 else ""
    lead = []
    if post.who:
        lead.append([run(cut(signature(post), 600), bold=True)])
    if title:
        lead.append(spans(title_spans(replace(post, title=cut(title, 600)))))
    if post.who and post.subtitle:  # a speaker and where they stand are one line
        lead[0] += [run(" · "), *spans(post.subtitle)]
    elif post.subtitle:
        lead.append(spans(post.subtitle))
    if lead:
        out.append(_lines(lead))
    return [*out, *_code(post.quote)]


def _code(text: str) -> list[Json]:
    if not text:
        return []
    return [block({"type": "rich_text_preformatted", "elements": [run(cut(text, 2000))]})]


def _fields(post: Post) -> Iterable[Json]:
    """Label and text, a line each, in blocks small enough to be moved to a next message; a long
    text continues in the next block.
    """
    lines: list[list[Json]] = []
    for label, value in post.fields:
        for n, text in enumerate(split(value, _CHUNK) or ["–"]):
            named = run(f"{cut(label, 80)}{' (continued)' * bool(n)}: ", bold=True)
            lines.append([named, *spans(coded(text))])
    group: list[list[Json]] = []
    for line in lines:
        if group and _size([_lines([*group, line])]) > _PAYLOAD // 3:
            yield _lines(group)
            group = []
        group.append(line)
    if group:
        yield _lines(group)


def _body(post: Post) -> str:
    if post.shape is Shape.CHALLENGE and post.body:
        return "\n".join("> " + line for line in post.body.splitlines())
    return post.body


def _chunks(markdown: str, hosts: Collection[str], limit: int = _CHUNK) -> Iterable[Json]:
    """Yield the blocks that together show ``markdown``, each small enough for a message with a head
    and a tail.
    """
    for text in split(markdown, limit):
        laid_out = list(_blocks(pieces(text, hosts), hosts))
        largest = max((_size([b]) for b in laid_out if not is_table(b)), default=0)
        if largest > _PAYLOAD // 2 and limit // 2 >= SMALLEST:
            yield from _chunks(text, hosts, limit // 2)
        else:
            yield from laid_out


def _blocks(text: Iterable[Piece], hosts: Collection[str]) -> Iterable[Json]:
    """Yield a table block for each table that Slack can show, and rich text for the rest."""
    for _, group in groupby(text, key=lambda piece: id(piece) if piece.rows else 0):
        parts = list(group)
        made = list(tables(parts[0].rows, _PAYLOAD // 2, hosts))
        if not made and (elements := render(parts)):
            made = [block(*elements)]
        yield from made


def _pages(head: list[Json], chunks: list[Json], tail: list[Json]) -> list[list[Json]]:
    """Return the blocks of each message, with one table at most; ``tail`` closes the first."""
    pages: list[list[Json]] = []
    page, closing = list(head), tail
    for chunk in chunks:
        second = is_table(chunk) and any(map(is_table, page))
        if page and (second or _size([*page, chunk, *closing]) > _PAYLOAD or len(page) > 40):
            pages.append([*page, *closing])
            page, closing = [], []
        page.append(chunk)
    return [*pages, [*page, *closing]]


def _fallback(post: Post) -> str:
    """Returns the plain text for notifications and screen readers: the statement if there is one,
    else the post's own sentence.
    """
    text = post.fallback or ": ".join(t for t in (post.who, post.title) if t)
    if post.shape in _SAID and post.body:
        body = plain(pieces(post.body[:_FALLBACK], ()))
        text = ": ".join(t for t in (post.who, post.title, body) if t)
    return escape(cut(" ".join(text.split()) or "Debate", _FALLBACK))
