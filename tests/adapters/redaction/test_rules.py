"""Every secret is found that a plain reading of the published rules finds, and no other."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from random import Random
from secrets import token_urlsafe
from typing import Any

import pytest

from adapters import redaction
from adapters.hooks.receiver import secret_of
from adapters.redaction import redact, redact_lines
from adapters.redaction.texts import cleaned
from core.debate.issued import link_key, new_invitation, new_link_id, new_secret
from core.words.receipt.signing import private_bytes
from tests.adapters.redaction.kinds import kinds, missed
from tests.adapters.redaction.test_redaction import KEY, SECRETS

FOLDER = Path(redaction.__file__).parent / "rules"
FILES = [
    {"rules": redaction._ISSUED},
    *(tomllib.loads((FOLDER / f"{n}.toml").read_text("utf-8")) for n in ("gitleaks", "own")),
    json.loads((FOLDER / "betterleaks.json").read_text("utf-8")),
]
BROAD = ("generic", "assigned", "url-", "bearer", "hashicorp-tf")
PARTS = (
    *SECRETS.values(), "password = ", "'hunter2x'", 'api_key: "', "client_secret", "=", "\n", "\n",
    "AKIAIOSFODNN7EXAMPLE", "aaaaaaaaaaaaaaaaaaaaaaaa", "abcdefghijkl1", "import { token } from '",
    "postgres://u:p4ss@h/d ", "redis://u:$PASS@h ", "redis://u:zzzzzzzz@h ",
    "https://x.example/?access_token=abcDEF123456 ",
    "Authorization: Bearer 4f9d8s7g6h5j4k3l2z1x ", "kind: Secret\ndata:\n  pass: aHVudGVyMnh4\n",
    f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----", "é",
    '"Tr0ub4dor&3"', "--mount=type=secret,", "heroku 12345678-ABCD-1234-abcd-1234567890AB ", ";",
    "sonar_token = 'abcdefabcdefabcdefabcdefabcdefabcdefabcd'", "xxxxxxxxxxxx",
    "your-token-here", "DB_TOKEN='12345678'", "api_key = \"8f3kd92mfk3l5n7q\"",
    "RUN --mount=type=secret,id=x api_key = \"8f3kd92mfk3l5n7q\"\n", "from '../api'",
    "\napi_key = \"8f3kd92mfk3l5n7q\" --mount=type=secret,", "\nimport { token } from './a",
)  # fmt: skip


def compiled(pattern: str) -> Any:
    return redaction._compiled(pattern)


def entropy(secret: bytes) -> float:
    shares = [secret.count(byte) / len(secret) for byte in set(secret)]
    return -math.fsum(share * math.log2(share) for share in shares)


def allowed(lists: list[dict[str, Any]], texts: dict[str, bytes]) -> bool:
    for one in lists:
        if one.get("condition") == "AND" or not (one.get("regexes") or one.get("stopwords")):
            continue
        target = texts[one.get("regexTarget", "secret")]
        if any(compiled(pattern).search(target) for pattern in one.get("regexes", ())):
            return True
        words = [word.lower().encode() for word in one.get("stopwords", ())]
        if any(word in texts["secret"].lower() for word in words):
            return True
    return False


def secrets_of(rule: dict[str, Any], data: bytes, path: str) -> list[tuple[int, int, str]]:
    if not any(word.lower().encode() in data.lower() for word in rule.get("keywords", ())):
        return []
    if path and "path" in rule and not compiled(rule["path"]).search(path.encode()):
        return []
    places = []
    for match in compiled(rule["regex"]).finditer(data):
        groups = [n for n, text in enumerate(match.groups(), 1) if text]
        start, end = match.span(rule.get("secretGroup") or [*groups, 0][0])
        secret = data[start:end]
        if "entropy" in rule and entropy(secret) <= rule["entropy"]:
            continue
        if rule["id"].startswith("generic") and not any(chr(byte).isdigit() for byte in secret):
            continue
        line = data[data[: match.start()].rfind(b"\n") + 1 : match.end()]
        line += data[match.end() :].partition(b"\n")[0]
        texts = {"secret": secret, "match": match.group(), "line": line}
        lists = [file["allowlist"] for file in FILES if "allowlist" in file]
        if not allowed([*lists, *rule.get("allowlists", ())], texts):
            places.append((start, end, rule["id"]))
    return places


def spelled_out(text: str, path: str) -> tuple[str, int]:
    """The redacted text by every rule in turn, written down a second time."""
    data = text.encode()
    if len(data) < 8:
        return text, 0
    rules = [rule for file in FILES for rule in file["rules"] if "regex" in rule]
    every = [one for rule in rules for one in secrets_of(rule, data, path)]
    merged: list[tuple[int, int, str]] = []
    for start, end, rule in sorted(every, key=lambda one: (one[0], -one[1])):
        if not merged or start >= merged[-1][1]:
            merged.append((start, end, rule))
            continue
        first, last, named = merged[-1]
        named = rule if named.startswith(BROAD) and not rule.startswith(BROAD) else named
        merged[-1] = first, max(last, end), named
    made, at = b"", 0
    for start, end, rule in merged:
        lines = data[start:end].count(b"\n")
        made += data[at:start] + b"\n".join([f"[redacted: {rule}]".encode()] * (lines + 1))
        at = end
    return (made + data[at:]).decode(), len(merged)


@pytest.mark.parametrize("number", range(4))
def test_all_that_a_plain_reading_of_the_rules_finds_is_replaced(number: int) -> None:
    rng = Random(f"rules {number}")
    for _ in range(25):
        text = "".join(
            rng.choice(PARTS) + rng.choice(("", " ", "")) for _ in range(rng.randint(1, 7))
        )
        path = rng.choice(("", "", "main.tf", "a.yaml", "a.php", "nuget.config", "a.py"))
        lines, secrets = redact_lines([text], path)
        assert ("\n".join(lines), len(secrets)) == spelled_out(text, path), (text, path)


def test_nothing_is_lost_at_the_ends_of_a_long_line() -> None:
    """Of a long line the part near a match decides, and the rest of it does not."""
    for before, after in ((600, 0), (0, 600), (600, 600), (10, 10)):
        text = f"{'x ' * before}DB_PASSWORD=hunter22{' y' * after}"
        assert redact(text)[1] == 1
    assert redact("password: '" + SECRETS["github-pat"])[0].endswith("[redacted: github-pat]")


def test_a_foreign_text_is_cut_only_where_it_is_too_long() -> None:
    room = cleaned("x" * 60, 20)
    assert not room.cut
    for tokens in (1, 20, 30):
        long = cleaned("word " * 400, tokens)
        kept, _, more = long.text.partition(" …[cut, ")
        assert len(kept) == len(("word " * 400)[: max(tokens, 20) * 3].rstrip())
        assert more == f"{1999 - max(tokens, 20) * 3:,} more characters]"
        assert long.cut
    assert cleaned(f"a\r\n{SECRETS['github-pat']}", 400).secrets == 1


def test_every_published_kind_is_caught() -> None:
    """``python -m tests.adapters.redaction.kinds`` prints them."""
    assert len(kinds()) >= 202
    assert list(missed(each=1)) == []


def test_what_the_bot_issues_is_known_by_its_making() -> None:
    for number in range(5):
        made = (
            new_secret(token_urlsafe),
            new_invitation(token_urlsafe),
            link_key(new_link_id(token_urlsafe), Random(number).randbytes(16)),
            secret_of("ab" * 32, f"h{number}", number),
        )
        for secret in made:
            for around in ("{}", "token: {}.", "https://debates.example/open/{}?x", "see ({}),\n"):
                assert secret not in redact(around.format(secret))[0]
    plain = "debate_is_told_in_another_channel_only_where_its_starter_may_write"
    assert redact(plain) == (plain, 0)


def test_the_names_of_keys_that_are_made_are_read_back() -> None:
    key = new_secret(token_urlsafe)
    assert len(private_bytes(key)) == 32
