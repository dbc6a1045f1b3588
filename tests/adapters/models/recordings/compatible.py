"""Providers and servers that took over OpenAI's protocol, each with habits of its own."""

from adapters.models.tokens import TokenCounts
from tests.adapters.models.recordings import (
    KEY,
    PLAIN,
    SAID,
    STOP,
    TALK,
    THOUGHT,
    Recording,
    chunk,
    failed,
    refused,
    sse,
    usage,
)
from tests.standins.openai import Raw

GEMINI = {
    "answer": Recording(PLAIN),
    "thinking, in the total alone": Recording(
        sse(*TALK, STOP, chunk(usage=usage(total=1250))), tokens=THOUGHT
    ),
    "bad key": refused(
        400,
        [
            failed(
                "API key not valid. Please pass a valid API key.",
                code=400,
                status="INVALID_ARGUMENT",
            )
        ],
        "bad_key",
        "set GEMINI_API_KEY",
    ),
    "rate limit": refused(
        429,
        [
            failed(
                "You exceeded your current quota. Please retry in 34.5s.",
                code=429,
                status="RESOURCE_EXHAUSTED",
                details=[{"@type": "RetryInfo", "retryDelay": "34s"}],
            )
        ],
        "rate_limited",
        wait=34.5,
    ),
}

GROQ = {
    "answer": Recording(sse(*TALK, chunk({}, "stop", x_groq={"id": "req_1", "usage": usage()}))),
    "rate limit": refused(
        429,
        failed("Rate limit reached. Try again.", code="rate_limit_exceeded"),
        "rate_limited",
        wait=7.0,
        retry_after="7",
    ),
}

MISTRAL = {
    "answer": Recording(
        sse(
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "Looks "}),
            chunk({"content": "fine."}, "stop", usage=usage()),
        )
    ),
    "thinking, as parts": Recording(
        sse(
            chunk(
                {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}
            ),
            chunk({"content": [{"type": "text", "text": SAID}]}, "stop", usage=usage()),
        )
    ),
    "bad key": refused(401, {"detail": "Unauthorized"}, "bad_key", "“Unauthorized”"),
    "rate limit": refused(429, {"message": "Requests rate limit exceeded"}, "rate_limited"),
    "no such option": refused(
        422,
        {
            "object": "error",
            "message": {
                "detail": [
                    {
                        "type": "extra_forbidden",
                        "loc": ["body", "colour"],
                        "msg": "Extra inputs are not permitted",
                    }
                ]
            },
        },
        "bad_reply",
        "“Extra inputs are not permitted”",
    ),
}

DEEPSEEK_COUNTS = {"prompt_cache_hit_tokens": 600, "prompt_cache_miss_tokens": 400}
DEEPSEEK = {
    "answer": Recording(sse(": keep-alive\n\n", *TALK, STOP | {"usage": usage(DEEPSEEK_COUNTS)})),
    "thinking": Recording(
        sse(
            chunk({"role": "assistant", "content": None, "reasoning_content": "Well, "}),
            chunk({"content": None, "reasoning_content": "hm."}),
            chunk({"content": SAID, "reasoning_content": None}),
            STOP | {"usage": usage(DEEPSEEK_COUNTS, completion=250, total=1250)},
        ),
        tokens=THOUGHT,
    ),
    "no credit": refused(402, failed("Insufficient Balance", type="unknown_error"), "no_credit"),
    "overloaded in mid-answer": Recording(
        sse(*TALK, chunk({}, "insufficient_system_resource")), kind="provider_down"
    ),
}

XAI = {
    "answer": Recording(PLAIN),
    "thinking, beside the words": Recording(
        sse(*TALK, STOP, chunk(usage=usage(total=1250))), tokens=THOUGHT
    ),
    "bad key": refused(
        400,
        {
            "code": "Client specified an invalid argument",
            "error": f"Incorrect API key provided: {KEY[:4]}***.",
        },
        "bad_key",
        "set XAI_API_KEY",
    ),
}

OPENROUTER = {
    "answer": Recording(
        sse(
            ": OPENROUTER PROCESSING\n\n",
            *TALK,
            STOP,
            chunk(usage=usage(cost=0.0125, is_byok=False)),
        ),
        tokens=TokenCounts(1000, 600, 0, 50, 0.0125),
        usd=0.0125,
    ),
    "failed in mid-answer": Recording(
        sse(
            *TALK, chunk({"content": ""}, "error", error={"code": 502, "message": "Provider left"})
        ),
        kind="provider_down",
        says="Provider left",
    ),
    "bad key": refused(
        401, failed("User not found.", code=401), "bad_key", "set OPENROUTER_API_KEY"
    ),
    "no credit": refused(402, failed("Insufficient credits. Add more.", code=402), "no_credit"),
    "flagged": refused(
        403,
        failed("The input was flagged by moderation", code=403, metadata={"reasons": ["violence"]}),
        "refused_by_policy",
    ),
    "limited behind it": refused(
        429,
        failed(
            "Provider returned error",
            code=429,
            metadata={"raw": "m is temporarily rate-limited upstream"},
        ),
        "rate_limited",
        "“Provider returned error: m is temporarily rate-limited upstream”",
    ),
}

PERPLEXITY = {
    "answer": Recording(
        sse(
            *(t | {"usage": usage(completion=1, total=1001)} for t in TALK),
            STOP | {"usage": usage(cost={"total_cost": 0.006, "request_cost": 0.005})},
        ),
        tokens=TokenCounts(1000, 600, 0, 50, 0.006),
        usd=0.006,
    ),
    "bad key": Recording(
        Raw(
            (b"<html>\r\n<head><title>401 Authorization Required</title></head></html>",),
            401,
            {"Content-Type": "text/html"},
        ),
        kind="bad_key",
        says="“401 Authorization Required”",
    ),
}

MOONSHOT = {
    "answer": Recording(
        sse(
            *TALK,
            chunk()
            | {
                "choices": [
                    {
                        "index": 0,
                        "delta": {},
                        "finish_reason": "stop",
                        "usage": usage({"cached_tokens": 600}),
                    }
                ]
            },
        )
    )
}

CEREBRAS = {
    "answer": Recording(PLAIN),
    "bad key": refused(
        401,
        {"message": "Wrong API Key", "param": "api_key", "code": "wrong_api_key"},
        "bad_key",
        "“Wrong API Key”",
    ),
}

VLLM = {
    "answer": Recording(
        sse(*TALK, STOP, chunk(usage=usage({}))), tokens=TokenCounts(1000, 0, 0, 50)
    ),
    "no counts": Recording(sse(*TALK, STOP), tokens=None),
    "too long": refused(
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, …",
            "type": "BadRequestError",
            "code": 400,
        },
        "context_too_long",
    ),
    "thinking aloud": Recording(
        sse(chunk({"content": "<think>\nhm"}), chunk({"content": f"</think>\n\n{SAID}"}), STOP),
        tokens=None,
    ),
}

OLLAMA = {
    "answer": Recording(PLAIN),
    "no such model": refused(
        404, 'model "m" not found, try pulling it first', "bad_reply", "check the model's name"
    ),
}

LLAMA_SERVER = {
    "answer": Recording(PLAIN),
    "too long": refused(
        400,
        failed(
            "the request exceeds the available context size, try increasing it",
            code=400,
            type="exceed_context_size_error",
            n_ctx=4096,
        ),
        "context_too_long",
    ),
}
