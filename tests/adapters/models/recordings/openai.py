"""OpenAI and Azure."""

from tests.adapters.models.recordings import (
    CALL,
    CALLED,
    FIRST,
    KEY,
    SAID,
    STOP,
    TALK,
    THOUGHT,
    Recording,
    chunk,
    error,
    failed,
    refused,
    sse,
    usage,
)

OPENAI = {
    "answer": Recording(sse(*TALK, STOP, chunk(usage=usage(), service_tier="default"))),
    "thinking": Recording(
        sse(*TALK, STOP, chunk(usage=usage(completion=250, total=1250))), tokens=THOUGHT
    ),
    "tool call": Recording(sse(*CALL, chunk(usage=usage())), text="", calls=CALLED),
    "not streamed": Recording(
        error(
            200,
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "model": "m-2025",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": SAID, "refusal": None},
                        "finish_reason": "stop",
                    }
                ],
                "usage": usage(),
            },
        )
    ),
    "refusal": Recording(
        sse(chunk(FIRST), chunk({"refusal": "I can't "}), chunk({"refusal": "do it."}), STOP),
        kind="refused_by_policy",
        says="I can't do it.",
    ),
    "bad key": refused(
        401,
        failed(
            f"Incorrect API key provided: {KEY}. You can find your API key at …",
            type="invalid_request_error",
            param=None,
            code="invalid_api_key",
        ),
        "bad_key",
        "set OPENAI_API_KEY to one that",
    ),
    "no credit": refused(
        429,
        failed(
            "You exceeded your current quota, please check your plan and billing details.",
            type="insufficient_quota",
            code="insufficient_quota",
        ),
        "no_credit",
        "top up",
    ),
    "rate limit": refused(
        429,
        failed(
            "Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000, Requested "
            "2000. Please try again in 1m2.5s.",
            type="tokens",
            code="rate_limit_exceeded",
        ),
        "rate_limited",
        wait=62.5,
    ),
    "too long": refused(
        400,
        failed(
            "This model's maximum context length is 8192 tokens.",
            type="invalid_request_error",
            param="messages",
            code="context_length_exceeded",
        ),
        "context_too_long",
    ),
}

AZURE = {
    "answer": Recording(
        sse(
            chunk(prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}], id=""),
            *TALK,
            STOP,
            chunk(usage=usage()),
        )
    ),
    "filtered prompt": refused(
        400,
        failed(
            "The response was filtered due to the prompt triggering the content management policy.",
            code="content_filter",
            status=400,
        ),
        "refused_by_policy",
    ),
    "bad key": refused(
        401,
        failed(
            "Access denied due to invalid subscription key or wrong endpoint.",
            code="401",
        ),
        "bad_key",
        "set AZURE_API_KEY",
    ),
}
