"""OpenAI and Azure."""

from tests.adapters.models.recordings import (
    CALL,
    CALLED,
    FIRST,
    PLAIN,
    SAID,
    STOP,
    TALK,
    THOUGHT,
    Recording,
    chunk,
    sse,
    usage,
    whole,
)

WHOLE = {
    "index": 0,
    "message": {"role": "assistant", "content": SAID, "refusal": None},
    "finish_reason": "stop",
}
OPENAI = {
    "answer": PLAIN,
    "thinking": Recording(
        sse(*TALK, STOP, chunk(usage=usage(completion=250, total=1250))), tokens=THOUGHT
    ),
    "tool call": Recording(sse(*CALL, chunk(usage=usage())), text="", calls=CALLED),
    "not streamed": Recording(
        whole(
            {"id": "chatcmpl-1", "model": "m-2025", "choices": [WHOLE], "usage": usage()},
        )
    ),
    "refusal": Recording(
        sse(chunk(FIRST), chunk({"refusal": "I can't "}), chunk({"refusal": "do it."}), STOP),
        kind="refused_by_policy",
        says="I can't do it.",
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
}
