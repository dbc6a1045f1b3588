"""Reads requests and holds each to its row; nothing else reads one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from aiohttp import web
from aiohttp.helpers import parse_mimetype
from aiohttp.multipart import parse_content_disposition

from adapters.routes import Media, Route, RouteField
from adapters.routes.bodies import BodyShare, BodyTooLarge, BodyTooSlow, NoRoomForBody
from core.debate.errors import BadInput
from core.debate.stored import stored

ROUTE: web.RequestKey[Route] = web.RequestKey("route", Route)
_HEAD = 2_000
"""Most bytes of the headers of one part."""
_LONGEST_BOUNDARY = 70
_AT_ONCE = 8_000
"""Bytes of a form that is read on the loop; a longer one, whose escapes are read one by one for
tens of milliseconds, is read in a thread.
"""
_AS_IT_IS = (b"", b"binary", b"8bit", b"7bit")


class RequestRefused(BadInput):
    """The error for a request that is not answered; ``status`` is HTTP's."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as the browser sent it."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class FormEntries:
    """The entries of a form, by the row's fields; an entry that was not sent is empty."""

    texts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Returns the text of a field without the blanks around it."""
        return self.texts.get(name, "").strip()

    def material(self, name: str) -> str:
        """Returns the text of a field without empty lines around it. A diff may end in a line that
        is one blank, so only a single line loses the blanks around it.
        """
        text = self.texts.get(name, "").strip("\r\n")
        return text if "\n" in text else text.strip()

    def file(self, name: str) -> Upload | None:
        """Returns the file of a field, None if the person chose none."""
        file = self.files.get(name)
        if file is not None and file.name:
            return file
        return None

    def document(self) -> str:
        """Returns the text of the field "file", else of the field "text"."""
        file = self.file("file")
        if file is not None:
            return file.data.decode("utf-8", "replace")
        return self.text("text")


SHARE: web.RequestKey[BodyShare] = web.RequestKey("share", BodyShare)
_BODY: web.RequestKey[bytes] = web.RequestKey("body", bytes)
_FORM: web.RequestKey[FormEntries] = web.RequestKey("form", FormEntries)


def query_of(request: web.Request) -> dict[str, str]:
    """Returns the row's fields in the query. Others are ignored: sign-in services and mail programs
    add their own. Raises ``RequestRefused``.
    """
    query = request.rel_url.query
    fields = [each for each in request[ROUTE].query if each.name in query]
    for each in fields:
        if len(query.getall(each.name)) > 1:
            raise RequestRefused(
                stored("“{name}” is in the address twice: send one.", name=each.name)
            )
    return {each.name: _held(each, query[each.name]) for each in fields}


def names_in_query(request: web.Request) -> tuple[str, ...]:
    """Returns the names of everything in the query, those that the row does not know too; a name
    for each time that it is there.
    """
    return tuple(name for name, _ in request.rel_url.query.items())


async def body_of(request: web.Request) -> bytes:
    """Return the whole body as it was sent, read once.

    Raises ``RequestRefused``, before anything is read if the row takes no body of that kind, and
    for a packed one: a megabyte can unpack to a thousand, and no honest client packs.
    """
    route, media = request[ROUTE], request.content_type
    if request.can_read_body:
        if request.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity"):
            raise RequestRefused("Send the body as it is, not packed.", 415)
        if media not in route.takes:
            raise RequestRefused(f"Send it as {' or '.join(route.takes) or 'nothing'}.", 415)
        if (request.content_length or 0) > route.largest(media):
            raise _too_large(route, media)
    if _BODY in request:
        return request[_BODY]
    try:
        request[_BODY] = await request[SHARE].read(request, route.largest(media))
        return request[_BODY]
    except BodyTooSlow:
        raise RequestRefused("That took too long to arrive. Send it again.", 408) from None
    except BodyTooLarge:
        raise _too_large(route, media) from None
    except NoRoomForBody:
        raise RequestRefused("The bot is busy. Send it again in a few seconds.", 503) from None
    except (web.RequestPayloadError, ConnectionError) as error:
        raise RequestRefused("That arrived incomplete. Send it again.") from error


async def form_of(request: web.Request) -> FormEntries:
    """Returns the form, read once. Raises ``RequestRefused``, also for a field that is not in the
    row.
    """
    if _FORM not in request:
        route = request[ROUTE]
        raw = await body_of(request)
        if request.content_type == Media.PARTS:
            parts = _parts(raw, request.headers.get("Content-Type", ""), route)
        else:
            parts = _line(raw, route)
        if len(raw) <= _AT_ONCE:
            request[_FORM] = _entered(route, parts)
        else:
            request[_FORM] = await asyncio.to_thread(_entered, route, parts)
    return request[_FORM]


def _too_large(route: Route, media: str) -> RequestRefused:
    return RequestRefused(f"That is too large: at most {_size(route.largest(media))} here.", 413)


_FormField = tuple[str, bytes, str | None]
"""One field as it came: its name, its data, and the name of its file, None if it is no file's."""


def _line(raw: bytes, route: Route) -> Iterator[_FormField]:
    try:
        pairs = parse_qsl(
            raw.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=len(route.form)
        )
    except ValueError:
        raise _foreign() from None
    for name, value in pairs:
        yield name, value.encode("utf-8", "replace"), None


def _parts(raw: bytes, content_type: str, route: Route) -> Iterator[_FormField]:
    """Yields the parts of a body, cut in one go; headers of a part are read, never obeyed."""
    boundary = parse_mimetype(content_type).parameters.get("boundary", "")
    if not 0 < len(boundary) <= _LONGEST_BOUNDARY:
        raise RequestRefused("This form is broken: load the page again.")
    mark = b"\r\n--" + boundary.encode("utf-8", "replace")
    first, *pieces = (b"\r\n" + raw).split(mark, len(route.form) + 2)
    if first.strip() or not pieces or not pieces[-1].startswith(b"--"):
        if len(pieces) > len(route.form):
            raise _foreign()
        raise RequestRefused("This form is cut short.")
    for piece in pieces[:-1]:
        end = piece.find(b"\r\n\r\n", 0, _HEAD)
        if end < 0:
            raise RequestRefused("This form is broken: load the page again.")
        yield _part(piece[:end], piece[end + 4 :])


def _part(head: bytes, data: bytes) -> _FormField:
    headers: dict[bytes, bytes] = {}
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
    if headers.get(b"content-transfer-encoding", b"").lower() not in _AS_IT_IS or (
        b"content-encoding" in headers
    ):
        raise RequestRefused("Send each part as it is, not packed or encoded.", 415)
    kind, parameters = parse_content_disposition(
        headers.get(b"content-disposition", b"").decode("utf-8", "replace")
    )
    if kind != "form-data" or "name" not in parameters:
        raise RequestRefused("This form is broken: load the page again.")
    return parameters["name"], data, parameters.get("filename")


def _entered(route: Route, parts: Iterable[_FormField]) -> FormEntries:
    texts: dict[str, str] = {}
    files: dict[str, Upload] = {}
    for name, data, filename in parts:
        known = route.fields.get(name)
        if known is None or name in texts or name in files:
            raise _foreign()
        if known.file and filename is not None:
            if len(data) > known.most:
                about = f"{storable(filename)[:80]} is too large: at most {_size(known.most)}."
                raise RequestRefused(about, 413)
            files[name] = Upload(storable(filename)[:120], data)
        else:
            texts[name] = _held(known, data.decode("utf-8", "replace"))
    return FormEntries(texts, files)


def _held(field: RouteField, text: str) -> str:
    """Returns the text, if it is no longer than its field allows."""
    text = storable(text)
    if field.large:
        if len(text.encode()) > field.most:
            raise RequestRefused(f"“{field.name}” is too long: at most {_size(field.most)}.", 413)
    elif len(text) - text.count("\r\n") > field.most:
        raise RequestRefused(f"“{field.name}” is too long: at most {field.most:,} characters.", 413)
    return text


def storable(text: str) -> str:
    """Returns the text without characters that no database keeps: zero characters and halves of
    surrogate pairs.
    """
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _foreign() -> RequestRefused:
    return RequestRefused(
        "This form belongs to an older page, or to another one: load the page again."
    )


def _size(count: int) -> str:
    if count >= 1_000_000:
        return f"{count / 1_000_000:.3g} MB"
    return f"{max(1, count // 1_000)} kB"


def token_of(request: web.Request) -> str:
    """Returns the token that a program sent, "" for none and for a text that cannot be one."""
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer" and secret.isascii() and 20 < len(secret) < 100:
        return secret
    return ""


def describe_no_token(request: web.Request) -> str:
    """Explains why a request has no valid token, in the same words for a wrong token and an expired
    one.
    """
    if request.headers.get("Authorization"):
        return "This token is none here, or has ended: `debate tokens add NAME` makes another."
    return "Give a token: `debate tokens add NAME` makes one."
