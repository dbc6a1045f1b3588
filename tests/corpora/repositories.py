"""The code near a change, in repositories of drawn functions that call one another."""

from __future__ import annotations

from difflib import unified_diff
from random import Random

from adapters.diffs.patches import parse
from adapters.redaction import shared
from adapters.repository.around import pack
from adapters.repository.neighbours import Neighbourhood
from adapters.repository.tree import Tree
from core.material.around import render_around
from tests.corpora.surfaces import text_of

_FOLDERS = ("", "app/", "app/store/", "web/", "tests/")
_NAMES = ("fit", "go", *(f"work_{letter}" for letter in "abcdef"))
_LENGTHS = (1, 1, 2, 4, 24, 39, 40, 48, 49, 50, 51, 70)


def _body(rng: Random, indent: str) -> list[str]:
    lines = [f"{indent}x = {n}" for n in range(rng.choice(_LENGTHS))]
    for _ in range(rng.randint(0, 3)):
        owner = rng.choice(("", "", "self.", "part_1."))
        lines.insert(rng.randint(0, len(lines)), f"{indent}{owner}{rng.choice(_NAMES)}(1)")
    return lines


def _python(rng: Random) -> list[str]:
    lines = [f"import part_{rng.randint(0, 4)}"] * rng.randint(0, 1)
    for name in rng.sample(_NAMES, rng.randint(1, 3)):
        if rng.random() < 0.4:
            method = rng.choice(("__init__", name, "go"))
            lines += [f"class {name}:", "    y = 1", f"    def {method}(self):"]
            lines += [*_body(rng, "        "), ""]
        else:
            lines += ["@decorated"] * rng.randint(0, 1) + [f"def {name}(x):", *_body(rng, "    ")]
    return [*lines, *[f"{rng.choice(_NAMES)}(2)"] * rng.randint(0, 1)]


def _script(rng: Random) -> list[str]:
    lines = []
    for name in rng.sample(_NAMES, 2):
        lines += [f"function {name}(x) {{", *_body(rng, "  "), "}"]
    return [*lines, f"class K {{ constructor() {{ {rng.choice(_NAMES)}(1) }} }}"]


def _changed(rng: Random, now: list[str]) -> list[str]:
    before = list(now)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(before))
        before[at : at + rng.randint(0, 2)] = rng.choice(
            ([], ["    old()"], [f"    {rng.choice(_NAMES)}(0)"])
        )
    return before


def _near(number: int) -> str:
    rng, made = Random(f"near {number}"), []
    for _ in range(4):
        files = {
            f"{rng.choice(_FOLDERS)}part_{n}{end}": draw(rng)
            for n in range(rng.randint(2, 9))
            for end, draw in (rng.choice(((".py", _python), (".py", _python), (".js", _script))),)
        }
        diff = ""
        for path in rng.sample(sorted(files), rng.randint(1, 2)):
            sides = (f"a/{path}", f"b/{path}")
            rows = unified_diff(
                _changed(rng, files[path]), files[path], *sides, n=rng.randint(0, 3), lineterm=""
            )
            diff += "".join(f"{row}\n" for row in rows)
        if rng.random() < 0.2:
            files = {
                path: ["# moved"] * rng.choice((1, 9)) + lines for path, lines in files.items()
            }
        hunks = [hunk for file in parse(diff.encode(), shared()).files for hunk in file.hunks]
        texts = {path: "\n".join(lines) + "\n" for path, lines in files.items()}
        made.append(text_of(Neighbourhood(texts, hunks).ranked()))
        for room in (0, 300, 1500, 20_000):
            packed = pack(Tree(texts), tuple(hunks), room)
            made += [render_around(packed.pieces), text_of([packed.left, packed.tangled])]
    return "\n".join(made)


CORPORA = {"near": (30, _near)}
