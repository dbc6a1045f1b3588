"""What comes from elsewhere: changes, Markdown, templates, replies and code, whole and broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from adapters.diffs.patches import parse
from adapters.diffs.reading_order import candidates, is_test, rank
from adapters.material.prose import seen_by_readers
from adapters.material.prose.html_text import text_of as page_text
from adapters.redaction import clean, redact, shared
from adapters.redaction.texts import cleaned, one_line
from adapters.repository.around import pack
from adapters.repository.languages import language_of
from adapters.repository.lookups import LookupRequest, look_up
from adapters.repository.syntax import syntax_of
from adapters.repository.tree import tree_of
from adapters.room.outgoing.markup import html, inline
from adapters.templates.loading import check
from adapters.text.markdown import pieces, plain
from adapters.text.splitting import SMALLEST, split
from core.debate import replay
from core.errors import DebateError
from core.evaluation import Arm
from core.evaluation.figures import MEASURES, difference, figure, mcnemar
from core.material import EarlierFinding
from core.material.coverage import fit
from core.material.diffs import FileDiff, heading, render
from core.material.locating import Lines, runs_of
from core.material.parts import fit_in_parts
from core.material.plaintext import neutral
from core.material.since import followed, new_parts
from core.outcome import outcome
from core.ports import CallOptions
from core.replies.objects import Unreadable
from core.replies.parsing import parse as parse_reply
from core.replies.schema import schema
from core.replies.tasks import TASKS
from core.script import About, SeatId, Topic, Turn, TurnId
from core.verdict.learned.kinds import by_kind, kind_record
from core.verdict.learned.ratings import (
    by_seat,
    calibration,
    counts,
    dissent_ledger,
    leaderboard,
    rate,
    records,
)
from core.verdict.learned.sizes import by_form, fit_size, panel_record
from tests.adapters.repository.test_syntax import FILES
from tests.core.memory import answer
from tests.core.table import template
from tests.corpora.courses import COUNT, course
from tests.corpora.surfaces import text_of
from tests.project import EXAMPLES, ROOT, TEMPLATES

_CASES = (*sorted((ROOT / "tests" / "cases").glob("*.diff")), *sorted(EXAMPLES.glob("*.diff")))
_HEADS = (
    "diff --git a/x.py b/y.py\nsimilarity index 90%\nrename from x.py\nrename to y.py",
    "diff --git a/bin b/bin\nindex 1..2 100644\nGIT binary patch\nliteral 4",
    "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755",
    'diff --git "a/sp\\303\\244.py" "b/sp\\303\\244.py"\nnew file mode 100644',
    "diff --git a/sub b/sub\nindex 1..2 160000\n--- a/sub\n+++ b/sub",
    "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null",
    "Binary files a/p.png and b/p.png differ", "--- a/old.txt\n+++ b/old.txt", "@@ -1,2 +1,3 @@",
    "@@ -5 +5,0 @@ def f():", "\\ No newline at end of file", "-- \n2.40", "@@ broken @@",
    "+password = 'hunter2hunter2'", "+AKIAIOSFODNN7EXAMPLE", "+\u202e hidden \u200b", "+\tx\r", " ",
)  # fmt: skip


def tried(make: Callable[..., object], *given: object) -> str:
    try:
        return text_of(make(*given))
    except (DebateError, ValueError) as refused:
        return f"{type(refused).__name__}: {refused}"


def changed_text(number: int) -> bytes:
    rng = Random(f"diff {number}")
    lines = _CASES[number % len(_CASES)].read_text("utf-8", "replace").split("\n")[:400]
    for _ in range(rng.choice((0, 0, 2, 5))):
        at = rng.randint(0, len(lines))
        match rng.randint(0, 2):
            case 0:
                lines.insert(at, rng.choice(_HEADS))
            case 1:
                del lines[at : at + 1]
            case _:
                lines[at : at + 1] = [line[::-1] for line in lines[at : at + 1]]
    return "\n".join(lines).encode()


@cache
def _files(number: int) -> tuple[FileDiff, ...]:
    try:
        return parse(changed_text(number), shared()).files
    except DebateError:
        return ()


def _diffs(number: int) -> str:
    made = [tried(parse, changed_text(number), shared())]
    offered = candidates(_files(number), ("", "docs", "src")[number % 3])
    made += [text_of([(c.file.path, c.rank, c.left_out, c.code) for c in offered])]
    made += [heading(file) for file in _files(number)]
    made += [render(hunk) for file in _files(number) for hunk in file.hunks]
    for budget in (60, 200, 900, 4000):
        fitted = fit(offered, budget)
        made += [fitted.text, text_of(fitted.coverage)]
        parts = fit_in_parts(offered, budget, 4)
        made += [parts.text, text_of([parts.parts, parts.coverage])]
    return "\n".join(made)


def _since(number: int) -> str:
    """A change after another, and what became of the earlier findings."""
    rng = Random(f"since {number}")
    before = _files(number)
    now = tuple(
        replace(f, hunks=tuple(h for h in f.hunks if rng.random() < 0.8))
        for f in _files(number)
        if rng.random() < 0.9
    )
    other = _files(number + len(_CASES))
    lines = [(f.path, x) for f in before for h in f.hunks for x in h.lines]
    earlier = [
        EarlierFinding(
            "e1",
            "m",
            "high",
            0.8,
            "It",
            path,
            rng.choice((x.new, x.old, None)),
            rng.choice(("RIGHT", "LEFT")),
            rng.choice((x.text, "", "gone")),
        )
        for path, x in rng.sample(lines, min(8, len(lines)))
    ]
    return "\n".join(
        text_of([new_parts(before, files), followed(earlier, before, files)])
        for files in (now, other)
    )


def _quotations(number: int) -> str:
    """Quotations as models give them, nearly right, and the places where they stand."""
    rng = Random(f"quotation {number}")
    hunks = tuple(h for f in _files(number) for h in f.hunks)
    index, lines = Lines(runs_of(hunks)), [x for h in hunks for x in h.lines]
    made = []
    for _ in range(25 if lines else 0):
        at, length = rng.randrange(len(lines)), rng.choice((1, 1, 2, 3, 5))
        text = "\n".join(x.text for x in lines[at : at + length])
        match rng.randint(0, 5):
            case 0:
                text = text[rng.randint(0, 6) : len(text) - rng.randint(0, 6)]
            case 1:
                text = " ".join(text.split())
            case 2:
                text = text.replace("(", " ( ").replace("a", "e", 1)
            case 3:
                text = f"{text[: len(text) // 2]} … {text[len(text) // 2 :]}"
            case 4:
                text = "\n".join("+ " + line for line in text.split("\n"))
            case _:
                text = text.strip()
        path = rng.choice(("", hunks[0].path, hunks[-1].path, "x"))
        side, line = rng.choice(("RIGHT", "LEFT")), rng.choice((None, lines[at].new, 3))
        made.append(f"{text!r} {path} {line} {side}: {index.find(text, path, line, side)}")
    return "\n".join(made)


_MARKDOWN = (
    "# A head", "Text with **bold**, *it* and `code`.", "- one\n- two\n  - deep\n- three",
    "1. first\n2. second\n\n   more", "> quoted\n> > twice", "```python\nx = 1\n```",
    "~~~\n```\n~~~",
    "| a | b |\n|---|:-:|\n| 1 | `|` |", "---", "![pic](https://e.example/p.png)",
    "\u202ehidden\u200b",
    "[link](https://github.com/o/r/pull/1 \"t\")", "[evil](javascript:alert(1))",
    "<b>html</b> <!-- c -->",
    "https://github.com/o/r and http://evil.example/x.", "@everyone #7 o/r#8 a@b.example",
    "x" * 130,
    "line  \nbreak\\\nagain", "* * *", "    indented", "&lt;p&gt; &amp; \\* \\_",
    "~~gone~~ __b__ _i_",
    "- [ ] task\n- [x] done", "Term\n====", "<details><summary>s</summary>\n\nx</details>",
    "\t- tab",
    "<p style='display:none'>x</p>", "<span hidden>y</span>",
    "[ref][1]\n\n[1]: https://github.com/a",
    "sk-ant-REDACTED", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "",
)  # fmt: skip


def _markdown(number: int) -> str:
    rng = Random(f"markdown {number}")
    parts = [rng.choice(_MARKDOWN) for _ in range(rng.randint(1, 9))]
    text = rng.choice(("\n", "\n\n", "\n\n", " ")).join(parts)
    made = [
        text,
        text_of(blocks := pieces(text)),
        plain(blocks),
        str(html(text)),
        str(inline(text)),
    ]
    made += [neutral(text), neutral(text, 80), text_of(seen_by_readers(text)), clean(text)]
    made += [text_of(page_text(f"<html><title>T</title><body>{html(text)}{text}</body>"))]
    made += [text_of([redact(text), one_line(text), *(cleaned(text, n) for n in (0, 20, 40))])]
    made += [text_of(split(text * 3, limit)) for limit in (SMALLEST, 160, 400)]
    return "\n".join(made)


def _templates(number: int) -> str:
    """A shipped template with a few mistakes in it."""
    rng, names = Random(f"template {number}"), sorted(TEMPLATES.glob("*.toml"))
    made = []
    for _ in range(4):
        lines = rng.choice(names).read_text("utf-8").split("\n")
        words = [w for line in lines for w in line.split() if len(w) > 4]
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(lines))
            line = lines[at]
            match rng.randint(0, 5):
                case 0:
                    lines[at] = ""
                case 1:
                    lines[at] = line.replace("0.", "1.", 1).replace(" = 1", " = 9", 1)
                case 2 if line.split():
                    lines[at] = line.replace(rng.choice(line.split()), rng.choice(words), 1)
                case 3:
                    lines.insert(at, rng.choice(lines))
                case 4:
                    lines[at] = line.replace('"', "", 1)
                case _:
                    lines[at] = line.replace("e", "i", 1).replace(" = ", " = -", 1)
        checked = check("\n".join(lines))
        made += [text_of([checked.template, checked.errors, checked.warnings])]
    return "\n".join(made)


def _grown(value: Any) -> Any:
    """The same, with texts and lists that are longer than may be."""
    if isinstance(value, dict):
        return {name: _grown(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_grown(inner) for inner in value] * 9
    if isinstance(value, str) and value.startswith("w"):
        return f"{value} " * 600
    return value


def _replies(number: int) -> str:
    """Replies of models: in shape, cut, with odd values and around other text."""
    rng, made = Random(f"reply {number}"), []
    ballot = template().ballot
    odd: tuple[Any, ...] = (
        "",
        None,
        0.5,
        1,
        2.5,
        -1,
        "high",
        "HIGH",
        [],
        {},
        "x" * 9000,
        ["a"] * 50,
        True,
        "12",
        "agree",
    )
    known = frozenset({"t1", "t1.f1", "t1.c1", "x1", "w1"})
    for task in sorted(TASKS):
        form = schema(TASKS[task], template(), findings=True, ruling=True)
        for _ in range(4):
            given = answer(CallOptions(schema=form), rng, rng.choice(("", "t1.f1", "x1")))
            for _ in range(rng.choice((0, 1, 2))):
                name = rng.choice([*given, "confidence", "text"])
                inner = given.get(name)
                if isinstance(inner, list) and inner and isinstance(inner[0], dict):
                    inner[0][rng.choice([*inner[0]])] = rng.choice(odd)
                elif isinstance(inner, dict) and inner:
                    inner[rng.choice([*inner])] = rng.choice(odd)
                else:
                    given[name] = rng.choice(odd)
            text = json.dumps(_grown(given) if rng.random() < 0.3 else given)
            text = rng.choice(
                (text, text, f"So:\n```json\n{text}\n```\nDone.", text[:-3], text * 2)
            )
            about = About(Topic.ARGUMENT, "proposal") if rng.random() < 0.5 else None
            turn = Turn(TurnId("t9"), SeatId("s"), task, about=about)
            try:
                read = parse_reply(text, TASKS[task], turn, ballot, known=known)
                made.append(text_of(read))
            except Unreadable as refused:
                made.append(f"{task}: {refused}")
    return "\n".join(made)


def _code(number: int) -> str:
    """The code around a change in a repository of all languages, and what is looked up in it."""
    rng, files = Random(f"code {number}"), {**FILES}
    files["long.py"] = "def long(x):\n" + "".join(f"    x = f{n}(x)\n" for n in range(120))
    name = "long.py" if number % 4 == 3 else sorted(files)[number % len(files)]
    for other in sorted(files):
        files[f"lib/{other}"] = (files[other] + "\n") * rng.randint(1, 12)
    lines = files[name].split("\n")
    at = rng.randrange(len(lines))
    body = "\n".join("+" + line if n == at else " " + line for n, line in enumerate(lines))
    head = f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n"
    patch = f"{head}@@ -1,{len(lines) - 1} +1,{len(lines)} @@\n{body}\n"
    hunks = [h for f in parse(patch.encode(), shared()).files for h in f.hunks]
    tree = tree_of((path, text.encode()) for path, text in files.items())
    made = [text_of(pack(tree, hunks, room)) for room in (80, 400, 4000)]
    language = language_of(name)
    assert language is not None
    made.append(text_of(syntax_of(files[f"lib/{name}"], language)))
    requests = [LookupRequest(text=text) for text in ("class", "a", "never there")]
    requests += [LookupRequest(path) for path in (name, "lib", "nowhere.py")]
    requests += [LookupRequest(f"lib/{name}", *lines) for lines in ((2, 5), (90,))]
    made += [tried(look_up, tree, wanted) for wanted in requests]
    made.append(text_of([(path, is_test(path), rank(path)) for path in files]))
    return "\n".join(made)


def _measured(number: int) -> str:
    """Figures with their intervals, and differences between two arms."""
    rng, made = Random(f"measured {number}"), []
    for _ in range(3):
        arms = []
        for _ in range(2):
            counts = {f"c{n}": rng.randint(1, 5) for n in range(rng.randint(0, 9))}
            arms.append({id: (rng.randint(0, count), count) for id, count in counts.items()})
        made += [text_of(figure(measure, arms[0])) for measure in (MEASURES[0], MEASURES[-1])]
        pair = (Arm.DEBATE, arms[0], Arm.UNION, arms[1])
        made += [text_of(difference(*pair, share=share)) for share in (False, True)]
        made.append(str(round(mcnemar(rng.randint(0, 9), rng.randint(0, 9)), 9)))
    return "\n".join(made)


def _learned(number: int) -> str:
    """What many debates teach about models, seats and sizes."""
    rng = Random(f"learned {number}")
    debates = [replay(course(n)) for n in rng.sample(range(COUNT), 25)]
    known = [r for d in debates for r in records(d)]
    documents = [(d, outcome(d)) for d in debates if d.opened is not None]
    held = {d.id: d.resolved.held if d.resolved else None for d in debates}
    panels = [p for d, o in documents if (p := panel_record(o, held[d.id]))]
    kinds = [k for d, o in documents if (k := kind_record("code_review", o, held[d.id]))]
    return text_of(
        [
            known, rate(known), leaderboard(known), by_seat(known), calibration(known),
            counts(known), dissent_ledger(known), by_form(panels),
            fit_size(panels), by_kind(kinds),
        ]
    )  # fmt: skip


CORPORA = {
    "diffs": (60, _diffs),
    "since": (45, _since),
    "quotations": (45, _quotations),
    "markdown": (90, _markdown),
    "templates": (45, _templates),
    "replies": (30, _replies),
    "code": (26, _code),
    "measured": (10, _measured),
    "learned": (4, _learned),
}
