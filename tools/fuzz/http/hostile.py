"""Hostile requests as bytes, made from the rows that a server is served from: a new address or
field is attacked without further work.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote, quote_plus

from core.application.commands.actions import TYPED
from core.application.commands.row import commands
from tools.fuzz import inputs
from tools.fuzz.http import programs

Row = Mapping[str, Any]
SECRET = "fuzz-s3cret-fuzz-s3cret"
_BOUNDARY = b"----fuzz"
_BOMB = gzip.compress(bytes(20_000_000), 9)
_PACKED = (("gzip", _BOMB), ("deflate", zlib.compress(bytes(5_000_000))), ("br", b"\x1b" * 900))

TEXTS = (
    "", " ", "x", "\0", "\ud7ff", "\u202e", "\ufeff", "‘’“”", "é" * 50, "💥" * 30, "../../etc/passwd", "%00", "%", "&=&",
    "<script>alert(1)</script>", "{{7*7}}", "{%", "'; DROP TABLE debate;--", "*_*", "\\", '"', "\r\n\r\n", "\n" * 300,
    "-1", "0", "1", "9" * 25, "9" * 300, "1e999", "NaN", "Infinity", "0x10", "true", "null", "None", "[]", "{}",
    "9999-12-31", "0001-01-01", "2026-02-30", "2026-11-23", "99999-01-01", "-0001-01-01", "2026-W01-1",
    "* * * * *", "0 0 30 2 *", "*/0 * * * *", "0-59/1 * * * *", "59 23 31 12 *", "every second", "weekdays at 25", "daily",
    "every 15 minutes", "1,2,3 * * * *", "@reboot", "Europe/Helsinki", "/etc/localtime", "../UTC", "UTC" * 90,
    "slack:T1/C1", "discord:1", "shell:fuzz", "github:o/r", "https://github.com/o/r/pull/1", "file:///etc/passwd",
    "https://127.0.0.1/", "http://[::1]/", "git:HEAD", "-", ".", "path:src/", "code_review", "panel", "triad", "nothing",
    "off", "agree", "price", "set", "yes", "no", "10m", "1d", "70%", "$5", "a,b,c", "," * 99, "scripted", "openai/gpt-4.1",
    "pause", "resume", "stop", "challenge", "vote", "held", "rerun", "approve", "issue", "recheck", "run", "remove", "post",
    "::approve", ":yes", ":x:real", "abc:yes", "abcdefg2", "x" * 40, "x" * 199, "x" * 201, "x" * 299, "x" * 300, "x" * 301,
)  # fmt: skip
"""Values for a field, in addition to values made of the pieces of ``tools.fuzz.inputs``."""
UNITS = ("[a](", 'password="', "--x ", "--x=", '="', "'", '"', "&#9;", "<!--", ">", "*a_", "`", "{", "[", "ab", "0f",
         "a.", "@", "://", "#\n", "é", "💥", "\r\n", "=", " ", "|a", "- ", "1. ", "http://a.b/ ", "${", "\\u0000")  # fmt: skip
"""Texts that are repeated until a field is full."""
PATHS = ("abc", "abcdefg2", "..", "%2e%2e", "%00", "%ff%fe", "a" * 199, "a" * 201, "💥", "md", "json", "x.y", "room.css", "slack",
         "discord", "code_review", "a%2fb", "'", "%0d%0aX:y", "*", "~")  # fmt: skip
HEADERS = (
    "Cookie: room=x", "Cookie: room=" + "x" * 4_000, "Cookie: notice=eyJ9.x", "Cookie: sign-in=W10=.x; link-abc=a.b",
    "Cookie: invited=" + "é" * 20, "Cookie: " + ";" * 3_000, "Accept: application/json", "Origin: null", "Origin: http://[",
    "Sec-Fetch-Site: cross-site", "X-Token: é", "Authorization: Bearer é", "Host: [", "Host: a:b:c", "Range: bytes=0-0",
    "If-None-Match: *", "Expect: 100-continue", "Upgrade: websocket\r\nConnection: upgrade", "X-Forwarded-For: é",
    "Accept-Encoding: " + "gzip," * 500, "Accept-Language: x", "Last-Event-ID: " + "9" * 50, "User-Agent: " + "(" * 2_000,
    "Content-Type: text/plain", "Content-Type: multipart/form-data; boundary=" + "b" * 200, "Transfer-Encoding: gzip",
    "Content-Type: ;;;charset=utf-7", "X-Slack-Request-Timestamp: " + "9" * 300, "X-Hub-Signature-256: sha256=é",
)  # fmt: skip
RAW = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 9_000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"GET " + b"/" * 9_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 400 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 60_000 + b"\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"POST /press HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /press HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /press HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n", b"CONNECT a:1 HTTP/1.1\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n", b"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n" * 5_000,
    b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 150,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attack:
    """Bytes to send; ``slowly`` a few at a time, and the last of them never."""

    name: str
    data: bytes
    slowly: bool = False


@dataclass(frozen=True, slots=True)
class Attacker:
    """``cookie`` and ``token`` are a signed-in browser's, ``debate`` is an existing debate. With
    ``other`` another browser of the same person is signed out, and it stays so. ``bearer`` is a
    program's token with all permissions, and ``theirs`` a debate of that program.
    """

    rows: Sequence[Row]
    cookie: str
    token: str
    debate: str
    other: str
    host: str
    bearer: str
    theirs: str

    def attack(self, random: Random) -> Attack:
        chosen = random.random()
        if chosen < 0.03:
            return Attack("raw", random.choice(RAW), slowly=random.random() < 0.02)
        row = random.choice(self.rows)
        if chosen < 0.06:
            return self._packed(row, random)
        if row["path"].endswith("/events"):
            return self._signed(row, random)
        if row["path"].startswith(("/api/v1/", "/mcp")):
            return self._programmed(row, random)
        if row["form"]:
            chosen = random.random() if row["path"] == "/new" else 1.0
            if chosen < 0.4:
                return self._form(row, random, {"target": command(random).encode()})
            if chosen < 0.8:
                return self._form(row, random, started(random))
            return self._form(row, random, {})
        return self._asked(row, random)

    def _asked(self, row: Row, random: Random) -> Attack:
        pairs = [(each["name"], text(random, each["most"])) for each in row["query"]]
        pairs = [pair for pair in pairs if random.random() < 0.6]
        if random.random() < 0.1:
            pairs += [(text(random, 50), text(random, 50))] * random.choice((1, 2, 100))
        query = "&".join(f"{quote_plus(n)}={quote_plus(v)}" for n, v in pairs)[:7_000]
        method = random.choice(("GET", "GET", "GET", "HEAD", "POST", "PUT"))
        path = self._path(row, random)
        return Attack(path, self._request(method, f"{path}?{query}" if query else path, random))

    def _form(self, row: Row, random: Random, given: Mapping[str, bytes]) -> Attack:
        pairs: list[tuple[str, bytes, bool]] = []
        for each in row["form"]:
            if each["name"] == "token":
                value = self.token if random.random() < 0.95 else text(random, 64)
                pairs.append(("token", value.encode(), False))
            elif each["name"] in given:
                pairs.append((each["name"], given[each["name"]], bool(each["file"])))
            elif random.random() < 0.5 and not (given and random.random() < 0.9):
                most = each["most"]
                over = most + random.randint(1, 50) if random.random() < 0.02 else most
                content = self._value(random, over, large=each["file"] or each["pasted"])
                pairs.append((each["name"], content, bool(each["file"])))
        if random.random() < 0.03:
            pairs += random.choice(([("zzz", b"x", False)], pairs[:1], [("a", b"b", False)] * 300))
        if not given and any(n == "do" for n, *_ in pairs):
            pairs = [(n, b"price" if n == "do" else v, f) for n, v, f in pairs]
        large = sum(len(value) for _, value, _ in pairs) > 60_000
        if large or random.random() < 0.5:
            kind, body = parts(pairs)
        else:
            kind = "application/x-www-form-urlencoded"
            body = b"&".join(f"{quote_plus(n)}=".encode() + _escaped(v) for n, v, _ in pairs)
        if random.random() < 0.03:
            body = body[: random.randint(0, len(body))] + bytes(random.randbytes(20))
        path = self._path(row, random)
        return Attack(f"POST {path}", self._request("POST", path, random, kind, body))

    def _value(self, random: Random, most: int, *, large: bool) -> bytes:
        if random.random() < 0.2:
            return f"{self.debate}{random.choice(('', ':yes', '::approve', ':p1', ' x'))}".encode()
        if large and random.random() < 0.9:
            return pasted(random, most)
        return text(random, most).encode("utf-8", "surrogatepass")

    def _packed(self, row: Row, random: Random) -> Attack:
        encoding, body = random.choice(_PACKED)
        head = f"Content-Encoding: {encoding}\r\nContent-Type: {_MEDIA[1]}\r\n"
        path = self._path(row, random)
        return Attack(f"packed {path}", self._request("POST", path, random, head=head, body=body))

    def _signed(self, row: Row, random: Random) -> Attack:
        body = nested(random, 200_000) if random.random() < 0.5 else payload(random)
        media = random.choice(row["takes"])
        if "slack" in row["path"] and random.random() < 0.5:
            media = _MEDIA[0]
            word = random.choice((b"text", b"payload", b"ssl_check", b"command"))
            text = command(random) if word == b"text" else body.decode("utf-8", "replace")
            body = b"team_id=T1&channel_id=C1&user_id=U1&command=%2Fdebate&trigger_id=1.2.3&"
            body += word + b"=" + quote_plus(text[:30_000]).encode()
        now, secret = str(int(time.time())), SECRET.encode()
        stamped = b"v0:" + now.encode() + b":" + body
        head = (
            f"Content-Type: {media}\r\nX-Slack-Request-Timestamp: {now}\r\n"
            f"X-Slack-Signature: v0={hmac.new(secret, stamped, hashlib.sha256).hexdigest()}\r\n"
            f"X-Hub-Signature-256: sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}\r\n"
            f"X-Gitlab-Token: {SECRET}\r\nX-GitHub-Event: {random.choice(_EVENTS)}\r\n"
            f"X-Gitlab-Event: {random.choice(_HOOKS)}\r\n"
        )
        path = str(row["path"])
        return Attack(f"signed {path}", self._request("POST", path, random, head=head, body=body))

    def _programmed(self, row: Row, random: Random) -> Attack:
        """Returns a request with a token, at the interface for programs or in an assistant's
        protocol.
        """
        method, path = str(row["method"]), str(row["path"])
        head = f"Authorization: Bearer {self.bearer if random.random() < 0.97 else 'x' * 50}\r\n"
        sent, kind = b"", ""
        if row["body"]:
            kind, most = _MEDIA[1], min(int(row["body"]), 900_000)
            given = pasted(random, most)
            if path == "/mcp":
                sent, more = programs.message(random, self.theirs, text, given)
                head += more.encode("utf-8", "replace").decode()
            else:
                sent = programs.body(method, path, random, text, given)
        if random.random() < 0.1 and method == "POST":
            head += f"Idempotency-Key: {random.choice(('same', 'x' * 101, 'é', ' '))}\r\n"
        query = programs.query(method, path, random, text)
        value = self.theirs if random.random() < 0.8 else random.choice(PATHS)
        there = path.replace("{id}", value).replace("{name}", random.choice(PATHS))
        there = quote(there, safe="/%:.-_~") + (f"?{query}" if query else "")
        request = self._request(method, there, random, kind, sent, head)
        return Attack(f"program {method} {path}", request)

    def _path(self, row: Row, random: Random) -> str:
        path = str(row["path"]).replace("{rest:.*}", text(random, 30).replace("\r", ""))
        for name in ("id", "name", "form", "key", "secret", "provider"):
            value = self.debate if name == "id" and random.random() < 0.7 else random.choice(PATHS)
            path = path.replace("{" + name + "}", value)
        return quote(path, safe="/%:.-_~")

    def _request(
        self,
        method: str,
        path: str,
        random: Random,
        kind: str = "",
        body: bytes = b"",
        head: str = "",
    ) -> bytes:
        lines = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n"
        if random.random() < 0.93:
            lines += f"Cookie: {self.other if path == '/sign-out' else self.cookie}\r\n"
        lines += f"Content-Type: {kind}\r\n" if kind else ""
        if random.random() < 0.1:
            lines += random.choice(HEADERS) + "\r\n"
        lines += head
        if body and random.random() < 0.05:
            pieces = (body[at : at + 7] for at in range(0, min(len(body), 20_000), 7))
            body = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"
            lines += "Transfer-Encoding: chunked\r\n"
        elif body:
            lines += f"Content-Length: {len(body)}\r\n"
        return f"{lines}\r\n".encode("utf-8", "replace") + body


_MEDIA = ("application/x-www-form-urlencoded", "application/json")
_EVENTS = (
    "pull_request",
    "issue_comment",
    "pull_request_review_comment",
    "push",
    "ping",
    "installation",
    "é",
)
_HOOKS = ("Merge Request Hook", "Note Hook", "Push Hook", "x")


def text(random: Random, most: int) -> str:
    """Returns a value for a field that takes ``most`` characters."""
    chosen = random.random()
    if chosen < 0.6:
        return random.choice(TEXTS)[: most + 2]
    if chosen < 0.8:
        unit = random.choice(UNITS)
        return (unit * (most // len(unit) + 1))[:most]
    made = random.choice(_MAKERS)(random).encode("utf-8", "replace").decode()
    return made[:most]


def command(random: Random) -> str:
    """Returns a typed line of an existing command."""
    name = random.choice((*commands(), "code_review", "panel", "nothing"))
    rest = " ".join(random.choices((*inputs.COMMAND, *TEXTS), k=random.randint(0, 6)))
    if random.random() < 0.2:
        rest = text(random, TYPED - 40)
    return f"/debate {name} {rest}".encode("utf-8", "replace").decode()[:TYPED]


def started(random: Random) -> dict[str, bytes]:
    """Returns a form that starts a debate, or requests its price, on a hostile text."""
    where = random.choice(("target", "file", "attached"))
    most = TYPED if where == "target" else 2_000_000
    given = {
        "template": random.choice((b"code_review", b"design_doc", b"panel", b"")),
        "do": random.choice((b"price", b"price", b"agree", b"")),
    }
    return given | {where: pasted(random, most)}


def pasted(random: Random, most: int) -> bytes:
    """Returns a whole file."""
    chosen = random.random()
    if chosen < 0.25:
        return nested(random, most)
    if chosen < 0.5:
        unit = random.choice((*UNITS, *inputs.DIFF, *inputs.SECRET)).encode("utf-8", "replace")
        size = random.choice((100, 3_000, 50_000, most))
        return (unit * (size // len(unit) + 1))[: min(size, most)]
    if chosen < 0.7:
        return random.choice(_TEMPLATES)(random)[:most].encode()
    if chosen < 0.85:
        head = "diff --git a/big.py b/big.py\n--- a/big.py\n+++ b/big.py\n"
        hunk = "".join(f"@@ -{n * 9},0 +{n * 10 + 1},1 @@\n+line {n}\n" for n in range(3_000))
        return (head + random.choice((hunk, f"@@ -0,0 +1,1 @@\n+{'x' * 900_000}\n"))).encode()
    return random.randbytes(random.choice((10, 5_000, 200_000)))


def nested(random: Random, most: int) -> bytes:
    """Returns JSON, or a text that begins like it, deep or malformed."""
    deep = min(most // 8, random.choice((3, 900, 50_000, 200_000)))
    return random.choice(
        (
            b"[" * deep,
            b'{"a":' * deep,
            b"[" * deep + b"]" * deep,
            b'{"claim":' + b"[" * deep + b"]" * deep + b"}",
            b"9" * min(most, 100_000),
            b'"' + b"\\u0000" * (min(most, 60_000) // 6) + b'"',
            b"[" + b"1e9999," * (min(most, 300_000) // 7) + b"1]",
        )
    )[:most]


def payload(random: Random) -> bytes:
    """Returns a platform's message with values of wrong kinds."""
    odd: tuple[Any, ...] = (None, 0, -1, True, [], {}, "x", "é" * 100, [[]], {"id": 1}, 10**30)
    names = (
        *("action", "pull_request", "repository", "sender", "comment", "issue", "installation"),
        *("event", "type", "team_id", "challenge", "user", "view", "actions", "container"),
        *("object_kind", "object_attributes", "project", "merge_request", "full_name", "login"),
    )

    def made(depth: int) -> Any:
        if depth == 0 or random.random() < 0.3:
            return random.choice(odd)
        return {name: made(depth - 1) for name in random.sample(names, random.randint(0, 8))}

    whole = {name: made(3) for name in random.sample(names, random.randint(1, 15))}
    whole["type"] = random.choice(("event_callback", "block_actions", "view_submission", "x"))
    return json.dumps(whole).encode()


def parts(pairs: Sequence[tuple[str, bytes, bool]]) -> tuple[str, bytes]:
    """Returns a form in parts, as browsers send one with files."""
    made = [
        b'--%b\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n%b\r\n'
        % (_BOUNDARY, name.encode(), b'; filename="f.diff"' if file else b"", value)
        for name, value, file in pairs
    ]
    whole = b"".join(made) + b"--%b--\r\n" % _BOUNDARY
    return f"multipart/form-data; boundary={_BOUNDARY.decode()}", whole


def _escaped(value: bytes) -> bytes:
    return quote_plus(value).encode()


_MAKERS: tuple[Callable[[Random], str], ...] = tuple(
    inputs.spliced(pieces) for pieces in (inputs.MARKDOWN, inputs.HTML, inputs.SECRET, inputs.REPLY)
)
_TEMPLATES: tuple[Callable[[Random], str], ...] = (
    lambda _: "".join(f"field_{n} = {n}\n" for n in range(15_000)),
    lambda _: "a = " + "[" * 100_000,
    lambda _: "a = " + "{a = " * 30_000,
    lambda _: "a." * 3_000 + "a = 1",
    lambda _: '[[roles]]\nname = "A B"\n' * 9_000,
    lambda _: '[[phases]]\nname = "p"\nduration_rounds = 99999999\n' * 200,
    lambda _: 'id = "x"\nmax_rounds = 99999999999999999999999\n' + "[rubric]\na = nan\n",
    lambda _: "\n" * 200_000,
)
