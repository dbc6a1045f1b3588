"""What a small model is asked for each task, and what becomes of its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from adapters.models.embedded.reply import joined, whole_sentences
from adapters.models.embedded.shape import SmallQuestion, shape
from core.ports import Message
from core.replies.schema import schema
from core.replies.tasks import TASKS
from core.scene import CitableLine, Point, PointKind, Scene
from tests.core.table import template
from tests.corpora.surfaces import text_of

_SENTENCES = (
    "The line `x = f(y)` at app/db.py:3 is wrong. ", "It is bound. ", "Who checks 4? ", "So what! ",
    "On t1.f1: I keep it, because rows are held. ", "On t2.c1: it does not hold, because ",
    "word " * 30,
)  # fmt: skip
_LINES = (
    "x = f(y)", "import os", "def f(x):", "# x = 1", "return f(x, y)", "0123456789", "01234567890",
    "call(1, 2, 3)" * 9, "y = 2 + x3",
)  # fmt: skip


def _scene(rng: Random) -> Scene:
    lines = tuple(
        CitableLine(rng.choice(("app/db.py", "web/page.py")), n, rng.choice(_LINES))
        for n in range(1, rng.choice((1, 3, 14, 60)))
    )
    points = tuple(
        Point(
            f"t{n}.{kind.value[0]}{n}", kind, rng.choice(("Rows are held", "long " * 60)),
            rng.choice(("app/db.py", "")), rng.choice((1, 2, None)), rng.random() < 0.3,
        )
        for n in range(1, rng.choice((1, 2, 5)))
        for kind in rng.sample(list(PointKind), 2)
    )  # fmt: skip
    brief = (rng.choice(("", "In short.")), rng.choice(("", "Shorter.")), "Now.")
    return Scene(rng.randint(0, 4), lines, points, rng.choice(((), brief[:2], brief)))


def _value(rng: Random, form: Mapping[str, Any]) -> Any:
    """A value that a grammar of this form could have written."""
    if "const" in form or "enum" in form:
        return rng.choice(form.get("enum") or [form.get("const")])
    kinds = form.get("type", "object")
    kind = kinds if isinstance(kinds, str) else rng.choice(kinds)
    match kind:
        case "object":
            return {name: _value(rng, part) for name, part in form.get("properties", {}).items()}
        case "array":
            each = form.get("prefixItems") or [form.get("items", {})] * form.get("maxItems", 1)
            return [_value(rng, part) for part in each]
        case "string":
            text = "".join(rng.choice(_SENTENCES) for _ in range(4))
            return text[: rng.choice((form.get("maxLength", 90), 20))]
        case _:
            return {"number": 0.5, "integer": 3, "boolean": True}.get(kind)


def _answered(rng: Random, question: SmallQuestion, form: Mapping[str, Any]) -> Sequence[str]:
    prose = "".join(rng.choice(_SENTENCES) for _ in range(rng.randint(1, 6)))
    after = question.after(prose)
    answer = json.dumps(_value(rng, after))
    broken = answer[: rng.randint(1, len(answer))]
    kept = [whole_sentences(prose[: rng.randint(1, len(prose))])]
    return [
        text_of(after),
        *kept,
        *(joined(prose, x, form, question.places) for x in (answer, broken)),
    ]


def _small(number: int) -> str:
    rng, made = Random(f"small {number}"), []
    for task in TASKS.values():
        form = schema(task, template(), findings=rng.random() < 0.7, ruling=rng.random() < 0.5)
        prompt = [Message("system", "Be brief."), Message("user", "Read."), Message("user", "Now.")]
        question = shape(prompt, form, _scene(rng))
        made += [text_of(question), *_answered(rng, question, form)]
    return "\n".join(made)


CORPORA = {"small_models": (24, _small)}
