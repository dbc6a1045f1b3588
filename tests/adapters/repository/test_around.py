"""The code of a repository that is shown beside a change is chosen as the rules say."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from adapters.repository.around import Pack, pack
from adapters.repository.tree import Tree
from core.debate.material import Hunk, Near
from core.debate.material.rendering import around_chars, place_of, render_around

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
    return tuple(hunk for file in parse(diff).files for hunk in file.hunks)


def packed(files: dict[str, str] = FILES, diff: bytes = DIFF, room: int = ALL) -> Pack:
    return pack(Tree(files), hunks_of(diff), room)


def test_the_function_around_it_what_it_calls_and_who_calls_it() -> None:
    assert (
        render_around(packed().pieces, ())
        == """app/store.py:5-5 (Rights.held_by encloses the change)
5 class Rights:

app/store.py:12-13 (Rights.held_by encloses the change)
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


def test_room_goes_to_the_source_before_its_tests() -> None:
    checks = STORE.replace("Rights", "RightsAreHeld")
    diff = DIFF.replace(b"app/store.py", b"App.Tests/Store.py") + DIFF
    files = {"App.Tests/Store.py": checks, **FILES}
    room = around_chars(packed().pieces)
    assert {piece.path for piece in packed(files, diff, room).pieces} == {
        piece.path for piece in packed().pieces
    }


def test_a_secret_beside_the_change_never_leaves() -> None:
    secret = "ghp_q8Zr2VbK7nXw4TjLm9Yc3Hs6DfPg1AeRuNoI"
    chosen = packed({**FILES, "app/cache.py": CACHE.replace("KEPT.get(person)", f'"{secret}"')})
    assert secret not in render_around(chosen.pieces, ())
    assert "[redacted" in render_around(chosen.pieces, ())
    assert chosen.secrets == 1


def test_unseen_characters_are_shown() -> None:
    hidden = {**FILES, "app/cache.py": CACHE.replace("KEPT.get", "KEPT.\u202eget")}
    assert "\u202e" not in render_around(packed(hidden).pieces, ())


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


def test_a_name_that_found_no_room_is_shown_as_it_is() -> None:
    path = "app\u202e\n@everyone/cache.py"
    files = {**{k: v for k, v in FILES.items() if k != "app/cache.py"}, path: CACHE}
    left = "\n".join(packed(files, room=0).left)
    assert "app\\u202e\\n@everyone/cache.py:4 lookup" in left.split("\n")


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


def added(path: str, text: str, line: int, new: str) -> bytes:
    """Returns the diff that replaces one line of a file by ``new``, and nothing around it."""
    old = text.split("\n")[line - 1]
    return f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{old}\n+{new}\n".encode()


def around(files: dict[str, str], path: str, line: int, new: str, room: int = ALL) -> str:
    """Returns the code around a change of one line; ``files`` are as they were before it."""
    diff = added(path, files[path], line, new)
    lines = files[path].split("\n")
    lines[line - 1] = new
    return render_around(packed({**files, path: "\n".join(lines)}, diff, room).pieces, ())


def test_another_class_s_method_of_the_same_name_is_not_shown() -> None:
    files = {
        "a/pool.rs": "use crate::conn::Conn;\n\nfn open() -> Conn {\n    later()\n}\n",
        "a/conn.rs": "impl Conn {\n    pub fn new() -> Conn { Conn { fresh: true } }\n}\n",
        "a/other.rs": "impl Other {\n    pub fn new() -> Other { Other { stale: 1 } }\n}\n",
        "a/more.rs": "impl More {\n    pub fn new() -> More { open_more(Other::new()) }\n}\n",
    }
    near = around(files, "a/pool.rs", 4, "    Conn::new()")
    assert "Conn.new is called by a changed line" in near
    assert "stale" not in near
    assert "open_more" not in near


def test_a_call_on_a_value_that_could_be_of_several_types_shows_none() -> None:
    files = {
        "a/run.py": "def run(x):\n    pass\n",
        "a/one.py": "class One:\n    def setup(self):\n        return 1\n",
        "a/two.py": "class Two:\n    def setup(self):\n        return 2\n",
    }
    assert "setup" not in around(files, "a/run.py", 2, "    x.setup()").split("run.py")[0]
    assert "return" not in around(files, "a/run.py", 2, "    x.setup()")
    assert "return 2" in around(files, "a/run.py", 2, "    two.setup()")


def test_a_caller_calls_this_definition_and_no_namesake() -> None:
    files = {
        "a/cache.py": "class Cache:\n    def drop(self, key):\n        self.kept.pop(key)\n",
        "a/use.py": "from a.cache import Cache\n\ndef tidy(cache):\n    cache.drop(1)\n",
        "b/table.py": "class Table:\n    def drop(self):\n        pass\n",
        "b/base.py": "from b.table import Table\n\ndef clear(table):\n    table.drop()\n",
    }
    near = around(files, "a/cache.py", 3, "        self.kept.pop(key, None)")
    assert "tidy calls what was changed" in near
    assert "clear" not in near


def test_a_function_around_a_hunk_is_shown_whole_if_there_is_room() -> None:
    body = "".join(f"    step({n})\n" for n in range(90))
    files = {"a.py": f"def long(x):\n{body}    return x\n"}
    near = around(files, "a.py", 50, "    step('new')")
    assert all(f"step({n})" in near for n in range(90) if n != 48)
    assert "return x" in near
    narrow = around(files, "a.py", 50, "    step('new')", 1500)
    assert "def long(x):" in narrow
    assert "step(30)" in narrow
    assert "step(89)" not in narrow


@pytest.mark.parametrize(
    "mixed",
    [
        "class Fast(Base):\n    def flags(self):\n        pass\n",
        "class Fast:\n    def flags(self):\n        pass\n\nclass Used(Fast, Base):\n    pass\n",
    ],
)
def test_what_a_changed_method_takes_the_place_of(mixed: str) -> None:
    files = {
        "base.py": "class Base:\n    def flags(self):\n        return []\n"
        "    def link(self):\n        return self.flags()\n",
        "fast.py": f"from base import Base\n\n{mixed}",
    }
    near = around(files, "fast.py", 4, "    def flags(self, env):")
    assert "Base.flags is overridden by what was changed" in near
    assert "Base.link calls what was changed" in near


def test_who_sets_what_a_changed_line_tests() -> None:
    files = {
        "a/store.py": "class Store:\n    def __init__(self, ready):\n"
        "        self.ready = ready and bool(ready.rows)\n",
        "a/use.py": "from a.store import Store\n\ndef read(store):\n    pass\n",
    }
    near = around(files, "a/use.py", 4, "    assert store.ready")
    assert "Store.__init__ sets what a changed line reads" in near
    assert "bool(ready.rows)" in near
