"""What kind of failure a provider's refusal is, in whose words, and how long to wait."""

from __future__ import annotations

import json

import pytest

from adapters.models.faults import (
    address_step,
    cleaner,
    fault,
    kind_of,
    model_error,
    redirected,
    retry_after,
    seconds_in,
    words,
)
from core.debate.errors import ModelFailure as Kind

KINDS: list[tuple[int | None, str, Kind]] = [
    (401, "", Kind.BAD_KEY), (402, "", Kind.NO_CREDIT), (408, "", Kind.TIMEOUT),
    (413, "", Kind.CONTEXT_TOO_LONG), (429, "", Kind.RATE_LIMITED), (504, "", Kind.TIMEOUT),
    (529, "", Kind.RATE_LIMITED), (399, "rate limit", Kind.PROVIDER_DOWN),
    (400, "", Kind.BAD_REPLY), (400, "rate limit", Kind.RATE_LIMITED),
    (400, "unauthorized", Kind.BAD_KEY), (499, "timed out", Kind.TIMEOUT),
    (500, "", Kind.PROVIDER_DOWN), (500, "timed out", Kind.PROVIDER_DOWN),
    (500, "rate limit", Kind.PROVIDER_DOWN), (401, "rate limit", Kind.BAD_KEY),
    (429, "rate limit", Kind.RATE_LIMITED), (429, "insufficient_quota", Kind.NO_CREDIT),
    (None, "", Kind.PROVIDER_DOWN), (None, "rate limit", Kind.RATE_LIMITED),
    (None, "Deadline exceeded", Kind.TIMEOUT), (None, "Unauthorized", Kind.BAD_KEY),
]  # fmt: skip
TOO_LONG = {
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).": 400,
    "This model's maximum context length is 4096 tokens. However, …": 400,
    "the request exceeds the available context size, try increasing it": 400,
    "prompt is too long: 210000 tokens > 200000 maximum": 400,
    "code: context_length_exceeded": 400,
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.": 400,
    "Input is too long for requested model.": 400,
    "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens": 422,
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000": 400,
    "Invalid request: Your request exceeded model token limit: 8192": 400,
    "Range of input length should be [1, 30720]": 400,
    "Request too large for m on tokens per min (TPM): Limit 30000, Requested 41000.": 429,
}
NO_CREDIT = {
    "Billing hard limit has been reached": 400,
    "Your newly created team doesn't have any credits yet.": 403,
    "Your team has used all available credits or reached its monthly spending limit.": 429,
    "Your prepayment credits are depleted.": 429,
    "Your account is not active, please check your billing details on our website.": 429,
    "Key limit exceeded (total limit).": 403,
    "Your credit balance is too low to access the API.": 400,
    "You exceeded your current quota, please check your plan and billing details.": 429,
    "Insufficient Balance": 402,
}
BAD_KEY = {
    "Access denied due to invalid subscription key or wrong endpoint.": 401,
    "API key not valid. Please pass a valid API key.": 400,
    "Incorrect API key provided: sk-t***.": 400,
    "User not found.": 401,
}
LIMITED = {
    "Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000.": 429,
    "You exceeded your current quota. Please retry in 34.5s.": 429,
    "m is temporarily rate-limited upstream": 429,
    "overloaded_error": 529,
}
REFUSED = {
    "The response was filtered due to the prompt triggering the content management policy.": 400,
    "The input was flagged by moderation": 403,
}
NO_MODEL = {
    'model "m" not found, try pulling it first': 404,
    "Project `p` does not have access to model `m`": 403,
    "You don't have access to the model with the specified model ID.": 403,
    "The model `m` has been decommissioned and is no longer supported.": 400,
    "Invalid model: m": 400,
    "This model is gone": 410,
    "The model `m` has been deprecated": 404,
}


def test_a_failure_is_sorted_by_its_words_and_its_status() -> None:
    for status, text, kind in KINDS:
        assert kind_of(status, text) is kind, (status, text)


def test_each_provider_s_words_lead_to_the_right_step() -> None:
    steps = {
        "narrow the material": TOO_LONG,
        "top up the account": NO_CREDIT,
        "set A_KEY to one that": BAD_KEY,
        "wait, or choose another": LIMITED,
        "the provider refuses this material": REFUSED,
        "check the model's name, or choose another model with --models": NO_MODEL,
    }
    for step, refusals in steps.items():
        for text, status in refusals.items():
            assert f"Next: {step}" in str(fault("a/b", status, text, key="A_KEY")), text
    closed = fault("a/b", 403, "Country, region, or territory not supported", key="A_KEY")
    assert "A_KEY" not in str(closed)
    proxy = fault("a/b", 407, "Proxy Authentication Required", key="A_KEY")
    assert str(proxy) == (
        "a/b: refused by something between this machine and the provider (HTTP 407, “Proxy "
        "Authentication Required”). Next: check the network, HTTPS_PROXY if it is set, and the "
        "address."
    )


def test_a_failure_says_what_happened_and_what_to_do() -> None:
    assert str(model_error(Kind.TIMEOUT, "a/b", "")) == (
        "a/b: timeout. Next: try again, or choose a faster model with --models."
    )
    body = json.dumps({"error": {"message": "Invalid   key"}})
    error = fault("a/b", 401, body, key="A_KEY")
    assert str(error) == (
        "a/b: bad key (HTTP 401, “Invalid key”). Next: set A_KEY to one that the provider accepts, "
        "and start again."
    )
    assert (error.status, error.body, error.retry_after) == (401, body, None)
    assert "(HTTP 404)" in str(fault("a/b", 404, ""))
    assert "check the model's name" in str(fault("a/b", 404, ""))
    assert "the provider's key" in str(fault("a/b", 401, ""))
    assert "(“x”)" in str(fault("a/b", None, "x"))
    assert f"“{'x' * 200}”" in str(fault("a/b", 500, "x" * 201))
    assert "“it broke”" in str(fault("a/b", 500, "litellm.APIError: OpenAIException - it broke"))


def test_a_404_that_does_not_speak_of_the_model_names_the_address() -> None:
    step = address_step("http://127.0.0.1:8000/chat/completions", "OPENAI_API_BASE")
    for status, text in ((404, '{"detail": "Not Found"}'), (404, "404 page not found"), (405, "")):
        assert str(fault("a/b", status, text, step=step)).endswith(
            "Next: set OPENAI_API_BASE to the address that ends in /v1, which it probably lacks."
        )
    azure = "https://a.example/openai/deployments/b/chat/completions?api-version=2026-01-01"
    assert "check AZURE_API_BASE" in address_step(azure, "AZURE_API_BASE")
    for text in ('{"error": "The model `b` does not exist"}', "No endpoints found for b."):
        assert "check the model's name" in str(fault("a/b", 404, text, step=step))
    assert "try again" in str(fault("a/b", 400, "", step=step))


def test_a_refusal_of_too_many_names_its_wait_in_headers_or_words() -> None:
    text = "Rate limit: try again in 1m2.5s"
    assert fault("a/b", 429, text).retry_after == 62.5
    assert fault("a/b", 429, '"retryDelay": "34s"').retry_after == 34.0
    assert fault("a/b", 429, text, headers={"Retry-After": "3"}).retry_after == 3.0
    assert fault("a/b", 500, text).retry_after is None
    assert fault("a/b", 429, "Rate limit").retry_after is None


_SENT = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT"}


WAITS: list[tuple[dict[str, str], float | None]] = [
    ({}, None),
    ({"Retry-After": "0"}, 0.0),
    ({"RETRY-AFTER": "2.5"}, 2.5),
    ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
    ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
    ({"retry-after": "-1"}, None),
    ({"retry-after": "864000"}, 864_000.0),
    ({"retry-after": "1e400"}, None),
    ({"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT"} | _SENT, None),
    ({"retry-after": "soon"}, None),
    ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT"} | _SENT, 30.0),
    ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"} | _SENT, 0.0),
]


def test_a_wait_is_read_where_it_is_a_number_of_seconds() -> None:
    for headers, seconds in WAITS:
        assert retry_after(headers) == seconds, headers


def test_a_length_of_time_is_read_as_providers_write_it() -> None:
    texts = {"6m0s": 360.0, "2.5s": 2.5, "20ms": 0.02, "1h 1m 1S": 3661.0, "soon": None}
    for text, seconds in texts.items():
        assert seconds_in(text) == (seconds and pytest.approx(seconds))


WORDS = {
    " plain text ": "plain text",
    "<html><title> Bad gateway </title>": "Bad gateway",
    "<html>": "",
    "{not json": "{not json",
    '{"detail": "Unauthorized"}': "Unauthorized",
    '{"message": {"detail": [{"msg": "No extra inputs"}]}}': "No extra inputs",
    '{"error": "short"}': "short",
    '{"error": {"message": "inner"}, "message": "outer"}': "inner",
    '{"error": {"code": 3}, "message": "outer"}': "outer",
    '[{"error": {"message": "first"}}, {"error": "second"}]': "first",
    "[]": "",
    '{"error": 3}': "",
    '{"error": {"message": "{\\"message\\": \\"packed\\"}"}}': "packed",
    '{"message": "it failed", "metadata": {"raw": "{\\"error\\": \\"why\\"}"}}': "it failed: why",
    '{"metadata": {"raw": "why"}}': "why",
    '{"message": "it failed", "metadata": "no more"}': "it failed",
}


def test_the_provider_s_own_message_is_found_in_its_body() -> None:
    for body, message in WORDS.items():
        assert words(body) == message, body


def test_the_longest_secret_is_struck_out_first() -> None:
    clean = cleaner(["secret", "secret-and-more"], lambda text: text.replace("x", "y"))
    assert clean("secret-and-more, secret, x") == "[redacted], [redacted], y"
    assert clean("Bearer abcdefgh and sk-12345678") == "[redacted] and [redacted]"


def test_a_redirect_names_the_variable_to_set_where_there_is_one() -> None:
    assert str(redirected("a/b", 302, "A_BASE")).endswith(
        "Next: set A_BASE to the address that answers itself."
    )
    assert str(redirected("a/b", 302, "")).endswith("Next: check its address.")
