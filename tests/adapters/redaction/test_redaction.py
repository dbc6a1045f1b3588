"""No secret leaves, whatever text it hides in. Every token here is made up."""

from __future__ import annotations

import random
import string
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.redaction import _loaded, _set_of, is_broad, redact, redact_lines

RNG = random.Random(20260504)
UPPER = string.ascii_uppercase + "234567"
MIXED = string.ascii_letters + string.digits


def made(alphabet: str, length: int) -> str:
    return "".join(RNG.choice(alphabet) for _ in range(length))


KEY = "\n".join(made(MIXED + "+/", 64) for _ in range(6))
SECRETS = {
    "aws-access-token": "AKIA" + made(UPPER, 16),
    "github-pat": "ghp_" + made(MIXED, 36),
    "github-fine-grained-pat": "github_pat_" + made(MIXED + "_", 82),
    "gitlab-pat": "glpat-" + made(MIXED, 20),
    "slack-bot-token": f"xoxb-{made(string.digits, 12)}-{made(string.digits, 12)}{made(MIXED, 24)}",
    "stripe-access-token": "sk_live_" + made(MIXED, 24),
    "openai-api-key": f"sk-proj-{made(MIXED, 74)}T3BlbkFJ{made(MIXED, 74)}",
    "anthropic-api-key": f"sk-ant-api03-{made(MIXED, 93)}AA",
    "gcp-api-key": "AIza" + made(MIXED, 35),
    "npm-access-token": "npm_" + made(string.ascii_lowercase + string.digits, 36),
    "sendgrid-api-token": "SG." + made(string.ascii_lowercase + string.digits, 66),
    "discord-bot-token": f"MTA{made(MIXED, 21)}.G{made(MIXED, 5)}.{made(MIXED + '_-', 37)}a",
    "openrouter-api-key": "sk-or-v1-" + made("0123456789abcdef", 64),
    "groq-api-key": "gsk_" + made(MIXED, 52),
    "xai-api-key": "xai-" + made(MIXED, 80),
    "provider-api-key": "csk-" + made(string.ascii_lowercase + string.digits, 48),
    "jwt": f"ey{made(MIXED, 20)}.ey{made(MIXED, 40)}.{made(MIXED, 43)}",
}


AROUND = (
    "{}", "a line with {} in it\nand another", "+    token = '{}'  # ü\u2028",
    '{{"message": "bad key {}"}}',
)  # fmt: skip


@pytest.mark.parametrize(("rule", "secret"), SECRETS.items())
def test_known_tokens_are_replaced_wherever_they_stand(rule: str, secret: str) -> None:
    for around in AROUND:
        text, count = redact(around.format(secret))
        assert secret not in text, around
        assert count == 1
        assert f"[redacted: {rule}]" in text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("DB_PASSWORD=hunter22", "DB_PASSWORD=[redacted: assigned-secret]"),
        ("export API_TOKEN='s3cr3t-value'", "export API_TOKEN='[redacted: assigned-secret]'"),
        (
            "url = postgres://user:pass@host/db",
            "url = postgres://user:[redacted: url-password]@host/db",
        ),
        ("redis://:p4ss@cache:6379", "redis://:[redacted: url-password]@cache:6379"),
        ("password: 'hunter2x'", "password: '[redacted: assigned-secret-lowercase]'"),
        (
            "https://x.example/plan?a=1&access_token=abcDEF123456&b=2#end",
            "https://x.example/plan?a=1&access_token=[redacted: url-query-secret]&b=2#end",
        ),
        (
            "https://s3.example/o?X-Amz-Credential=AKID%2F20261018%2Feu-north-1%2Fs3&X-Amz-Date=1",
            "https://s3.example/o?X-Amz-Credential=[redacted: url-query-key]&X-Amz-Date=1",
        ),
        (
            "https://discord.com/api/webhooks/1234567890123456789/" + "aB3-_" * 14,
            "https://discord.com/api/webhooks/[redacted: discord-webhook]",
        ),
        (
            "curl: Authorization: Bearer 4f9d8s7g6h5j4k3l2z1x",
            "curl: Authorization: Bearer [redacted: bearer-token]",
        ),
        (
            f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----\nafter",
            "\n".join(["[redacted: private-key]"] * 8 + ["after"]),
        ),
        (
            f"-----BEGIN PRIVATE KEY-----\n{KEY}\nand no end",
            "-----BEGIN PRIVATE KEY-----[redacted: private-key-open]\n"
            + "[redacted: private-key-open]\n" * 6
            + "and no end",
        ),
    ],
)
def test_places_of_secrets_and_keys_of_many_lines(text: str, redacted: str) -> None:
    assert redact(text) == (redacted, 1)


PLAIN = (Path(__file__).parent / "plain.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("text", PLAIN)
def test_code_that_only_talks_of_secrets_stays(text: str) -> None:
    assert redact(text) == (text, 0)


MOCK, PEM = "ghp_example" + made(MIXED, 29), "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "mock"),
    [
        (f"API_TOKEN='{MOCK}-1'", True),
        (f"API_TOKEN='{SECRETS['github-pat']}-example'", False),
        (f"API_KEY=s3cr3tvalue9-----BEGIN {PEM}\nexample{KEY}\n-----END {PEM}", False),
    ],
    ids=["a mock in a mock", "a secret in a mock", "a mock that begins in a secret"],
)
def test_secrets_that_overlap_are_a_mock_if_all_of_them_are(text: str, mock: bool) -> None:
    _, secrets = redact_lines(text.split("\n"))
    assert [one.mock for one in secrets] == [mock]


@given(st.text(max_size=60), st.sampled_from(sorted(SECRETS.values())), st.text(max_size=60))
def test_what_is_redacted_stays_so(before: str, secret: str, after: str) -> None:
    once, _ = redact(f"{before} {secret} {after}")
    assert secret not in once
    assert redact(once) == (once, 0)


KEYED = (SECRETS["github-pat"], "-----BEGIN EC PRIVATE KEY-----")


@given(
    st.lists(
        st.sampled_from(["plain", "x = 1", *KEYED, *KEY.split("\n"), "é"]),
        max_size=12,
    )
)
def test_lines_keep_their_number(lines: list[str]) -> None:
    redacted, secrets = redact_lines(lines)
    assert len(redacted) == len(lines)
    assert all(0 <= secret.line < len(lines) for secret in secrets)
    assert not any(SECRETS["github-pat"] in line for line in redacted)


def test_a_rule_bound_to_files_applies_there_and_where_no_file_is_known() -> None:
    text = 'password = "Tr0ub4dor&3"'
    for path in ("main.tf", ""):
        _, secrets = redact_lines([text], path)
        assert len(secrets) == 1


def test_specific_rules_name_the_secret() -> None:
    text, _ = redact(f"api_key = '{SECRETS['github-pat']}'")
    assert text == "api_key = '[redacted: github-pat]'"
    assert is_broad("generic-api-key")
    assert not is_broad("github-pat")


def test_all_rules_compile_and_the_file_is_the_published_one() -> None:
    from adapters import redaction

    folder = Path(redaction.__file__).parent / "rules"
    theirs = tomllib.loads((folder / "gitleaks.toml").read_text("utf-8"))["rules"]
    assert len(theirs) == 222
    assert "MIT License" in (folder / "gitleaks-LICENSE.txt").read_text("utf-8")
    patterns = [rule.pattern for rule in redaction._loaded().rules]
    assert len(patterns) > 600
    assert all(redaction._compiled(pattern) for pattern in patterns)


WORDS = sorted({word for rule in _loaded().rules for word in rule.keywords})


def keywords(text: bytes) -> set[bytes]:
    return {WORDS[number] for number in _set_of(WORDS).Match(text) or ()}


@given(st.lists(st.sampled_from(WORDS) | st.binary(max_size=9)))
def test_keywords_are_found_among_any_bytes_and_within_each_other(parts: list[bytes]) -> None:
    text = b"".join(parts)
    assert keywords(text) == {word for word in WORDS if word in text}


def test_keywords_are_found_where_nearly_all_of_each_stand() -> None:
    """For the set of words keeps what it saw in little memory, whatever that was."""
    chance, parts = random.Random(3), []
    begun = [word[:end] for word in WORDS for end in range(1, len(word))]
    for word in chance.sample(WORDS, 100):
        parts += [*chance.sample(begun, 300), word]
    text = b"\0".join(parts)
    assert keywords(text) == {word for word in WORDS if word in text}


def test_what_an_attacker_writes_is_read_to_its_end() -> None:
    text = "password key token secret api " + "a" * 300_000 + "=" * 50_000 + "curl -H 'x" * 3_000
    token = "ghp_" + made(MIXED, 36)
    read, count = redact(f"{text}\ntoken {token}")
    assert token not in read
    assert count >= 1
