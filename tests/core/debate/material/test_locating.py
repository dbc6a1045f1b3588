"""A quotation is found where it stands, whatever number was stated beside it."""

from __future__ import annotations

from typing import Literal
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from core.debate.finding import Stated
from core.debate.material import LEFT, RIGHT, Hunk, Line, LineRange, squeeze
from core.debate.material.locating import PLACES as MOST
from core.debate.material.locating import LineRun, Lines, runs_of

Form = Literal["NFC", "NFD"]
DIFF = b"""diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -10,8 +10,13 @@ class Cart:
 class Cart:
     def total(self, prices):
-        return sum(prices[item] for item in self.items)
+        found = 0
+        for item in self.items:
+            found += prices[item]
+        log.info("total of %s is %d", self.owner, found)
+        return found

     def add(self, item):
-        self.items.append(item)
+        self.items.insert(0, item)
+        return self.items
     # end
     # of it
@@ -90,3 +94,4 @@ class Cart:
     def clear(self):
         self.items = []
+        return self.items
     # cleared
diff --git a/shop/web.py b/shop/web.py
--- a/shop/web.py
+++ b/shop/web.py
@@ -1,2 +1,3 @@
 import html
+import shop.cart
 PAGE = '<a href="%s">cart</a>'
"""


@pytest.fixture(scope="module")
def lines() -> Lines:
    return Lines(runs_of(hunk for file in parse(DIFF).files for hunk in file.hunks))


CART = "shop/cart.py"


@pytest.mark.parametrize(
    ("quote", "stated", "place"),
    [
        # the number is off
        ("found += prices[item]", (CART, 13), (CART, RIGHT, 14, 14)),
        ("found += prices[item]", (CART, None), (CART, RIGHT, 14, 14)),
        ("found += prices[item]", (CART, 4000), (CART, RIGHT, 14, 14)),
        # another side, another file, another spelling of the file
        ("return sum(prices[item]", (CART, 12), (CART, LEFT, 12, 12)),
        ("self.items.insert(0, item)", ("shop/web.py", 2), (CART, RIGHT, 19, 19)),
        ("import shop.cart", ("b/shop/web.py", 7), ("shop/web.py", RIGHT, 2, 2)),
        ("import shop.cart", ("web.py", 7), ("shop/web.py", RIGHT, 2, 2)),
        # several places: the nearest
        ("return self.items", (CART, 21), (CART, RIGHT, 20, 20)),
        ("return self.items", (CART, 95), (CART, RIGHT, 96, 96)),
        # white space, marks, numbers, quotation marks, fences, line ends
        ("found+=prices[ item ]", (CART, 14), (CART, RIGHT, 14, 14)),
        ("+            found += prices[item]", (CART, 9), (CART, RIGHT, 14, 14)),
        ("-        self.items.append(item)", (CART, 9), (CART, LEFT, 15, 15)),
        ("   14 +             found += prices[item]", (CART, 9), (CART, RIGHT, 14, 14)),
        ("`found += prices[item]`", (CART, 9), (CART, RIGHT, 14, 14)),
        ("```python\nfound += prices[item]\n```", (CART, 9), (CART, RIGHT, 14, 14)),
        ("“found += prices[item]”", (CART, 9), (CART, RIGHT, 14, 14)),
        ("log.info('total of %s is %d'", (CART, 9), (CART, RIGHT, 15, 15)),
        ("PAGE = “<a href=”", ("shop/web.py", 9), ("shop/web.py", RIGHT, 3, 3)),
        ("for item in self.items:\r\n    found += prices", (CART, 9), (CART, RIGHT, 13, 14)),
        # several lines: flattened, with marks of both sides, with lines left out
        ("for item in self.items: found += prices[item]", (CART, 9), (CART, RIGHT, 13, 14)),
        ("def add(self, item):\n    self.items.insert(", (CART, 40), (CART, RIGHT, 18, 19)),
        (
            "-        self.items.append(item)\n+        self.items.insert(0, item)",
            (CART, 40),
            (CART, RIGHT, 19, 19),
        ),
        ("found = 0\n...\nreturn found", (CART, 9), (CART, RIGHT, 12, 16)),
        ("found = 0\n    # …\n    return found", (CART, 9), (CART, RIGHT, 12, 16)),
        ("log.info(…, found)", (CART, 9), (CART, RIGHT, 15, 15)),
        ("found = 0\nfound += prices[item]\nreturn found", (CART, 9), (CART, RIGHT, 12, 16)),
        ("def add(self, item):\n…\ndef clear(self):", (CART, 9), (CART, RIGHT, 18, 18)),
        # little: only beside the stated line
        ("html", ("shop/web.py", 1), ("shop/web.py", RIGHT, 1, 1)),
        ("html", ("shop/web.py", 4), ("shop/web.py", RIGHT, 1, 1)),
        ("html", ("shop/web.py", 40), None),
        ("html", (CART, 1), None),
        ("op.cart", ("shop/web.py", 40), None),
        ("hop.cart", ("shop/web.py", 40), ("shop/web.py", RIGHT, 2, 2)),
        (")", (CART, 11), None),
        ("", (CART, 11), None),
        ("   \n ", (CART, 11), None),
        ("...", (CART, 11), None),
        # nowhere
        ("os.system(command)", (CART, 14), None),
        ("found += prices[item]\nos.system(command)", (CART, 14), None),
        ("return found\nfound = 0", (CART, 14), None),
    ],
)
def test_a_quotation_is_found_where_it_stands(
    lines: Lines,
    quote: str,
    stated: tuple[str, int | None],
    place: tuple[str, str, int, int] | None,
) -> None:
    assert lines.find(quote, Stated(*stated)) == (None if place is None else LineRange(*place))


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        ("сумма += цена[товар]", "сумма+=цена[товар]"),
        ("合計 += 価格[品目]", "`合計 += 価格[品目]`"),
        ("součet = vyčísli(účet)", "součet = vyčísli(účet)"),
        ("größe = länge * höhe", "größe = länge * höhe"),
    ],
)
@pytest.mark.parametrize(("there", "here"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFC", "NFC")])
def test_an_identifier_of_any_script_is_found_however_its_accents_are_stored(
    written: str, quoted: str, there: Form, here: Form
) -> None:
    line = Line("+", normalize(there, written), None, 7)
    index = Lines(runs_of([Hunk("a.py", "@@", (line,))]))
    assert index.find(normalize(here, quoted), Stated("a.py", 1)) == LineRange("a.py", RIGHT, 7, 7)


@pytest.mark.parametrize(
    ("quote", "first"),
    [
        ("found += price[item]", 14),  # a name spelled otherwise
        ('log.info("total of %s is %s", self.owner, found)', 15),
        ("self.items.insert(1, item)", 19),
    ],
)
def test_a_quotation_that_is_nearly_there_is_found_and_marked(
    lines: Lines, quote: str, first: int
) -> None:
    assert lines.find(quote, Stated(CART, 40)) is None
    assert lines.find_nearly(quote, Stated(CART, 40)) == LineRange(CART, RIGHT, first, first)


def test_as_many_lines_are_found_as_were_nearly_quoted(lines: Lines) -> None:
    quote = "for each in self.items:\n    found += price[each]\nlog.info('%s', self.owner, found)"
    assert lines.find(quote, Stated(CART, 40)) is None
    assert lines.find_nearly(quote, Stated(CART, 40)) == LineRange(CART, RIGHT, 13, 15)


WORDS = st.sampled_from(
    ["alpha", "beta", "gamma", "omega", "call(", ")", "=", ",", "'x'", '"y"', "-", "+", "...", "#"]
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
FILES = st.lists(
    st.tuples(
        st.sampled_from(["a.py", "b.py", "c/a.py"]),
        st.integers(1, 300),
        st.lists(st.tuples(st.sampled_from(" +-"), TEXTS), min_size=1, max_size=12),
    ),
    min_size=1,
    max_size=5,
)
Drawn = list[tuple[str, int, list[tuple[str, str]]]]
PLACES = st.builds(
    Stated,
    st.sampled_from(["", "a.py", "b.py", "z.py"]),
    st.none() | st.integers(0, 400),
    st.sampled_from([RIGHT, LEFT]),
)


def _hunks(files: Drawn) -> list[Hunk]:
    made = []
    for path, start, texts in files:
        old = new = start
        numbered = []
        for mark, text in texts:
            numbered.append(
                Line(mark, text, None if mark == "+" else old, None if mark == "-" else new)
            )
            old, new = old + (mark != "+"), new + (mark != "-")
        made.append(Hunk(path, "@@", tuple(numbered)))
    return made


def _standing(hunks: list[Hunk], place: LineRange) -> str:
    """Returns the squeezed text of a place; where hunks overlap, of all lines with these
    numbers.
    """
    return "".join(
        squeeze(line.text)
        for hunk in hunks
        if hunk.path == place.path
        for line in hunk.lines
        if place.first <= (line.number_on(place.side) or -1) <= place.last
    )


@given(FILES, st.data(), PLACES)
def test_a_place_really_holds_what_was_quoted(
    files: Drawn, data: st.DataObject, stated: Stated
) -> None:
    hunks = _hunks(files)
    quote = data.draw(st.sampled_from([text for _, _, texts in files for _, text in texts]))
    place = Lines(runs_of(hunks)).find(quote, stated)
    if len(squeeze(quote)) >= 8:
        assert place is not None
    if place is not None:
        assert squeeze(quote) in _standing(hunks, place)


@given(FILES, st.data(), PLACES, PLACES)
def test_the_stated_place_changes_nothing_where_a_quotation_stands_once(
    files: Drawn, data: st.DataObject, one: Stated, other: Stated
) -> None:
    hunks = [*_hunks(files), Hunk("only.py", "@@", (Line("+", "unique = here(once)", new=7),))]
    quote = data.draw(st.sampled_from(["unique = here(once)", "here(once)", "+ unique = here("]))
    lines = Lines(runs_of(hunks))
    assert lines.find(quote, one) == lines.find(quote, other) == LineRange("only.py", RIGHT, 7, 7)


@given(FILES, st.data(), PLACES)
def test_the_order_of_hunks_changes_nothing(
    files: Drawn, data: st.DataObject, stated: Stated
) -> None:
    hunks = _hunks(files)
    quote = data.draw(
        st.sampled_from([t for _, _, texts in files for _, t in texts])
        | st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
    )
    shuffled = data.draw(st.permutations(hunks))
    place = Lines(runs_of(hunks)).find(quote, stated)
    assert Lines(runs_of(shuffled)).find(quote, stated) == place
    if place is not None and stated.path:  # looked up again it stays
        again = Lines(runs_of(hunks)).find(quote, Stated(place.path, place.first, place.side))
        assert again is not None
        assert (again.path, again.side, again.first) == (place.path, place.side, place.first)


def test_each_of_many_quotations_is_one_look_in_a_large_change() -> None:
    """20,000 lines, a thousand quotations that stand there, nearly stand there and do not: a
    look-up that went through the lines one by one would take hours.
    """
    texts = [f"    value_{n} = compute_{n % 97}(value_{n - 1}, {n})" for n in range(20_000)]
    lines = Lines([LineRun("big.py", RIGHT, tuple(enumerate(texts, 1)))])
    for n in range(1, 20_000, 61):
        assert lines.find(texts[n], Stated("big.py", 1)) == LineRange("big.py", RIGHT, n + 1, n + 1)
        near = texts[n].replace("compute", "reckon")
        assert lines.find(near, Stated("big.py", 1)) is None
        assert lines.find_nearly(near, Stated("big.py", 1)) == LineRange(
            "big.py", RIGHT, n + 1, n + 1
        )
        for look in (lines.find, lines.find_nearly):
            assert look(f"nothing_of_{n}(this, stands)", Stated("big.py", 1)) is None
    for look in (lines.find, lines.find_nearly):
        assert look(")\n)\n)", Stated("big.py", 1)) is None


def test_of_lines_that_are_all_alike_few_are_looked_at_and_the_nearest_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quote, other = "password = 'x'", Line("-", "password = 'x'", 100, None)
    rows = tuple(enumerate([quote] * 60_000, 1))
    lines = Lines([LineRun("big.py", RIGHT, rows), *runs_of([Hunk("big.py", "", (other,))])])
    looked_at = 0
    row_at = lines._row_at

    def count(offset: int) -> int:
        nonlocal looked_at
        looked_at += 1
        return row_at(offset)

    monkeypatch.setattr(lines, "_row_at", count)
    for side, stated in ((RIGHT, 1), (RIGHT, 30_000), (RIGHT, 59_999), (LEFT, 100)):
        looked_at = 0
        assert lines.find(quote, Stated("big.py", stated, side)) == LineRange(
            "big.py", side, stated, stated
        )
        assert lines.find(f"{quote}\n{quote}", Stated("big.py", stated)) is not None
        assert lines.find(f"{quote}\n...\n{quote}", Stated("big.py", stated)) is not None
        assert looked_at < 20 * MOST
