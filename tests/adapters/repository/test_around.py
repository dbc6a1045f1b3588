"""The code of a repository that is shown beside a change is chosen as the rules say."""

from __future__ import annotations

import random
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from adapters.redaction import shared
from adapters.repository import neighbours
from adapters.repository.around import Pack, pack
from adapters.repository.syntax import syntax_of
from adapters.repository.tree import Tree
from core.material import Hunk, Near
from core.material.around import around_chars, place_of, render_around

STORE = '''"""Rights of people."""
import cache


class Rights:
    def __init__(self, store):
        self.store = store

    def held_by(self, person):
        kept = cache.lookup(person)
        if kept is None:
            kept = self.store.read(person)
        return kept


def forget(person):
    cache.drop(person)
'''
CACHE = """KEPT = {}


def lookup(person):
    return KEPT.get(person)


def drop(person):
    KEPT.pop(person)
"""
PAGE = """from store import Rights


def page(request):
    rights = Rights(request.db)
    allowed = rights.held_by(request.person)
    return allowed
"""
FILES = {"app/store.py": STORE, "app/cache.py": CACHE, "web/page.py": PAGE, "web/other.go": "x"}
DIFF = b"""diff --git a/app/store.py b/app/store.py
--- a/app/store.py
+++ b/app/store.py
@@ -9,3 +9,3 @@
     def held_by(self, person):
-        kept = cache.find(person)
+        kept = cache.lookup(person)
         if kept is None:
"""
ALL = 10_000


def hunks_of(diff: bytes) -> tuple[Hunk, ...]:
    return tuple(hunk for file in parse(diff, shared()).files for hunk in file.hunks)


def packed(files: dict[str, str] = FILES, diff: bytes = DIFF, room: int = ALL) -> Pack:
    return pack(Tree(files), hunks_of(diff), room)


def test_the_function_around_it_what_it_calls_and_who_calls_it() -> None:
    assert (
        render_around(packed().pieces)
        == """app/store.py:5-5 (Rights.held_by stands around the change)
5 class Rights:

app/store.py:12-13 (Rights.held_by stands around the change)
12             kept = self.store.read(person)
13         return kept

app/cache.py:4-5 (lookup is called by a changed line)
4 def lookup(person):
5     return KEPT.get(person)

web/page.py:4-7 (page calls what was changed)
4 def page(request):
5     rights = Rights(request.db)
6     allowed = rights.held_by(request.person)
7     return allowed"""
    )


def test_lines_of_another_commit_are_not_used() -> None:
    moved = {**FILES, "app/store.py": "\n" * 7 + STORE}
    assert packed(moved) == Pack()


def test_what_has_no_room_is_named() -> None:
    chosen = packed(room=400)
    assert around_chars(chosen.pieces) <= 400
    assert chosen.pieces
    assert chosen.left == ("web/page.py:4 page",)
    assert packed(room=0).left == (
        "app/store.py:9 Rights.held_by",
        "app/cache.py:4 lookup",
        "web/page.py:4 page",
    )


def test_a_secret_beside_the_change_never_leaves() -> None:
    secret = "ghp_q8Zr2VbK7nXw4TjLm9Yc3Hs6DfPg1AeRuNoI"
    chosen = packed({**FILES, "app/cache.py": CACHE.replace("KEPT.get(person)", f'"{secret}"')})
    assert secret not in render_around(chosen.pieces)
    assert "[redacted" in render_around(chosen.pieces)
    assert chosen.secrets == 1


def test_unseen_characters_are_shown() -> None:
    hidden = {**FILES, "app/cache.py": CACHE.replace("KEPT.get", "KEPT.\u202eget")}
    assert "\u202e" not in render_around(packed(hidden).pieces)


def test_where_a_quotation_stands() -> None:
    pieces = packed().pieces
    assert place_of(pieces, "return  KEPT.get(person)") == "app/cache.py:5"
    assert place_of(pieces, "def lookup(person): return KEPT") == "app/cache.py:4"
    assert place_of(pieces, "KEPT.pop") == ""
    assert place_of(pieces, " ") == ""


@given(st.integers(0, 1200), st.randoms(use_true_random=False))
def test_no_line_twice_none_of_the_diff_none_invented_never_more_than_the_room(
    room: int, draw: random.Random
) -> None:
    files = dict(draw.sample(sorted(FILES.items()), len(FILES)))
    chosen = pack(Tree(files), hunks_of(DIFF), room)
    assert around_chars(chosen.pieces) <= room
    lines = [(p.path, n) for p in chosen.pieces for n in range(p.first, p.last + 1)]
    assert len(lines) == len(set(lines))
    assert not {("app/store.py", n) for n in (9, 10, 11)} & set(lines)
    assert chosen == packed(room=room)
    for piece in chosen.pieces:
        assert piece.near in set(Near)
        assert piece.lines == tuple(FILES[piece.path].split("\n")[piece.first - 1 : piece.last])


def test_a_file_that_was_made_to_stall_costs_no_other_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neighbours, "syntax_of", partial(syntax_of, seconds=0.1))
    tangled = "\n".join((STORE, "X = " + "\\\n" * 140_000))
    files = {**FILES, "app/store2\u202e\n.py": tangled.replace("held_by", "lookup")}
    chosen = packed(files, room=100_000)
    assert "app/cache.py" in {piece.path for piece in chosen.pieces}
    assert chosen.tangled == ("app/store2\\u202e\\n.py",)


def test_a_name_that_found_no_room_is_shown_as_it_is() -> None:
    path = "app/cache\u202e\n@everyone.py"
    files = {**{k: v for k, v in FILES.items() if k != "app/cache.py"}, path: CACHE}
    left = "\n".join(packed(files, room=0).left)
    assert "app/cache\\u202e\\n@everyone.py:4 lookup" in left.split("\n")


@pytest.mark.parametrize(("same", "used"), [(10, True), (9, True), (8, False)])
def test_a_file_with_nearly_all_lines_of_the_diff_is_the_one(same: int, used: bool) -> None:
    """A redacted or escaped line reads otherwise than the file; a file of another commit does."""
    lines = [f"    x = {n}" for n in range(10)]
    diff = "--- a/a.py\n+++ b/a.py\n@@ -2,9 +2,10 @@\n" + "".join(
        f"{'+' if n == 5 else ' '}{line}\n" for n, line in enumerate(lines)
    )
    file = ["def f():", *lines[:same], *["    other()"] * (10 - same), "    g()", ""]
    assert bool(packed({"a.py": "\n".join(file)}, diff.encode()).pieces) is used
    cut = "\n".join(file[: same + 1])
    assert bool(packed({"a.py": cut}, diff.encode()).pieces) is used
