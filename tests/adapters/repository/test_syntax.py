"""Definitions and calls are found in a file of each language, and none in a file of an unknown
one.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.repository.languages import LANGUAGES, Language, grammar, language_of
from adapters.repository.syntax import Syntax, syntax_of

FILES = {
    "a.py": "@dec\ndef f(x):\n  g(x)\n  a.b.h(1)\nclass C:\n  def m(self): self.n()\n",
    "a.js": "const f = async (x) => {\n g(x); a.b.h(1) }\nfunction q() {}\n"
    "A.prototype.p = function () { new D(1) }\nvar z = 3",
    "a.ts": "interface I { a: string }\nclass K { m<T>(x: T) { return h<T>(x) } }",
    "a.tsx": "export const F = () => <div onClick={() => g()} />",
    "a.go": "package a\nfunc (s *S) M(x int) int { return b.C(x) }\ntype S struct { a int }",
    "A.java": "class A { A(int x) {} int m() { n(); a.b(); return new C(1).d(); } }",
    "a.kt": "class A { fun b(x: Int): Int { c(x); d.e(x); return F(1) } }\nobject O {}",
    "a.c": "static int *a(int b) { c(b); d->e(b); }\nstruct S { int x; };\nstruct S *g(void);\n"
    "#define M(x) c(x)\ntypedef struct { int q; } T;",
    "a.cpp": "template<class T> int N::a(T b) { return c<int>(b) + d.e(b); }\n"
    "class K { void m() {} };",
    "a.cs": "class A { int B(int x) { C(x); d.E(x); new F(1); return G<int>(2); } }",
    "a.rs": "impl A { fn b(&self) { c(1); d.e(2); F::g(3); h!(4); } }\nstruct S;",
    "a.rb": "class A\n def b(x)\n c(x)\n d.e(1)\n F.new(2)\n end\n def self.q; end\nend",
    "a.php": "<?php function a() { b(); $x->c(); D::e(); new F(1); } class G { function h() {} }",
}
DEFINED = {
    "a.py": "f:1-4 C:5-6 m:6-6",
    "a.js": "f:1-2 q:3-3 p:4-4",
    "a.ts": "I:1-1 K:2-2 m:2-2",
    "a.tsx": "F:1-1",
    "a.go": "M:2-2 S:3-3",
    "A.java": "A:1-1 A:1-1 m:1-1",
    "a.kt": "A:1-1 b:1-1 O:2-2",
    "a.c": "a:1-1 S:2-2 M:4-4 T:5-5",
    "a.cpp": "a:1-1 K:2-2 m:2-2",
    "a.cs": "A:1-1 B:1-1",
    "a.rs": "A:1-1 b:1-1 S:2-2",
    "a.rb": "A:1-8 b:2-6 q:7-7",
    "a.php": "G:1-1 a:1-1 h:1-1",
}
CALLED = {
    "a.py": "g:3 h:4 n:6",
    "a.js": "g:2 h:2 D:4",
    "a.ts": "h:2",
    "a.tsx": "g:1",
    "a.go": "C:2",
    "A.java": "C:1 b:1 d:1 n:1",
    "a.kt": "F:1 c:1 e:1",
    "a.c": "c:1 e:1",
    "a.cpp": "c:1 e:1",
    "a.cs": "C:1 E:1 F:1 G:1",
    "a.rs": "c:1 e:1 g:1 h:1",
    "a.rb": "c:3 e:4 F:5",
    "a.php": "F:1 b:1 c:1 e:1",
}


@pytest.mark.parametrize("path", FILES)
def test_each_language_says_what_it_defines_and_calls(path: str) -> None:
    language = language_of(path)
    assert language is not None
    syntax = syntax_of(FILES[path], language)
    assert " ".join(f"{d.name}:{d.first}-{d.last}" for d in syntax.definitions) == DEFINED[path]
    assert " ".join(f"{c.name}:{c.line}" for c in syntax.calls) == CALLED[path]


def test_every_language_is_tried_above() -> None:
    assert {language_of(path) for path in FILES} == set(LANGUAGES)


@given(st.sampled_from(sorted(FILES)), st.data())
def test_broken_code_gives_lines_that_are_there(path: str, data: st.DataObject) -> None:
    text = FILES[path]
    at = data.draw(st.integers(0, len(text)))
    broken = (
        text[:at] + data.draw(st.text(max_size=30)) + text[at:][: data.draw(st.integers(0, 60))]
    )
    language = language_of(path)
    assert language is not None
    syntax = syntax_of(broken, language)
    last = broken.count("\n") + 1
    assert all(1 <= d.first <= d.last <= last and d.name for d in syntax.definitions)
    assert all(1 <= c.line <= last and c.name for c in syntax.calls)


STALLING = (
    "(", "{", "[", "a(", "()", "<", '"', "`", "\0", "<<A ", '"#{', "`${", "<a>", "/*", "-", "!",
    "if ", "a.", "x=>", "A<", "*", 'R"(', "\\\n", "${", "%w(", "a ? ", "\u202e", "\udcff", "@a ",
    "def a(\n", "=",
)  # fmt: skip
"""What nests, opens and never closes, in one grammar or another."""


@cache
def stalling() -> list[str]:
    texts = [(unit * 60_000)[:120_000] for unit in STALLING]
    return [text.encode("utf-8", "backslashreplace").decode() for text in texts]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_grammar_knows_the_kinds_that_are_looked_for(language: Language) -> None:
    known = grammar(language).language
    assert known is not None
    for kind in (*language.functions, *language.types, *language.calls):
        assert known.id_for_node_kind(kind, True), kind


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_file_that_was_made_to_stall_is_given_up(language: Language) -> None:
    """The limit counts the processor's time; without it one of these files takes minutes."""
    for unit, text in zip(STALLING, stalling(), strict=True):
        syntax = syntax_of(text, language, 0.002)
        assert syntax.whole or syntax == Syntax(whole=False), unit
    name = next(file for file in FILES if language_of(file) is language)
    assert syntax_of(FILES[name], language) == syntax_of(FILES[name], language, 60.0)
    assert syntax_of(FILES[name], language, -1.0) == Syntax(whole=False)
