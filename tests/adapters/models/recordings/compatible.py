"""Providers and servers that took over OpenAI's protocol, each with habits of its own."""

from adapters.models.tokens import TokenCounts
from tests.adapters.models.recordings import (
    PLAIN,
    SAID,
    STOP,
    TALK,
    THOUGHT,
    Recording,
    chunk,
    sse,
    usage,
)

IN_THE_TOTAL = {
    "answer": PLAIN,
    "thinking, in the total alone": Recording(
        sse(*TALK, STOP, chunk(usage=usage(total=1250))), tokens=THOUGHT
    ),
}
"""Answers of Gemini and xAI."""

GROQ = {
    "answer": Recording(sse(*TALK, chunk({}, "stop", x_groq={"id": "req_1", "usage": usage()}))),
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
    "overloaded in mid-answer": Recording(
        sse(*TALK, chunk({}, "insufficient_system_resource")), kind="provider_down"
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
    ),
    "failed in mid-answer": Recording(
        sse(
            *TALK, chunk({"content": ""}, "error", error={"code": 502, "message": "Provider left"})
        ),
        kind="provider_down",
        says="Provider left",
    ),
}

PERPLEXITY = {
    "answer": Recording(
        sse(
            *(t | {"usage": usage(completion=1, total=1001)} for t in TALK),
            STOP | {"usage": usage(cost={"total_cost": 0.006, "request_cost": 0.005})},
        ),
        tokens=TokenCounts(1000, 600, 0, 50, 0.006),
    ),
}

_IN_A_CHOICE = {"index": 0, "delta": {}, "finish_reason": "stop"}
_IN_A_CHOICE["usage"] = usage({"cached_tokens": 600})
MOONSHOT = {"answer": Recording(sse(*TALK, chunk() | {"choices": [_IN_A_CHOICE]}))}

VLLM = {
    "answer": Recording(
        sse(*TALK, STOP, chunk(usage=usage({}))), tokens=TokenCounts(1000, 0, 0, 50)
    ),
    "no counts": Recording(sse(*TALK, STOP), tokens=None),
    "thinking aloud": Recording(
        sse(chunk({"content": "<think>\nhm"}), chunk({"content": f"</think>\n\n{SAID}"}), STOP),
        tokens=None,
    ),
}
