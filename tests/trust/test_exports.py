"""A page that a debate is written into runs nothing and loads nothing, whatever was debated."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from tests.trust.conftest import Command

PATH = '"><script>alert(1)</script>.py'
NAME = '"><svg onload=alert(1)><script>alert(1)<.diff'
LINES = (
    "<img src=x onerror=alert(1)>", "</pre></code></style><svg onload=alert(1)>", "]]><!-- ",
    "[x](javascript:alert(1)) <a href='javascript:alert(1)'>k</a> &lt;script&gt;", "\ud7ff\u202e",
    '" onmouseover="alert(1)', "<meta http-equiv=refresh content=0>", "![x](https://evil.example/p)",
)  # fmt: skip
ALLOWED = frozenset(
    {
        *("html", "head", "header", "meta", "title", "style", "body", "nav", "figure", "pre"),
        *("h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "em", "strong", "code", "a", "br", "del"),
        *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "hr", "span", "div"),
        *("svg", "path", "circle", "text", "rect", "line", "g", "polyline", "figcaption"),
        "blockquote",
    }
)


class Page(HTMLParser):
    """The parts of a page that could run, or load something from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.live: list[str] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if given.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = given["content"]
        elif tag not in ALLOWED or "http-equiv" in given:
            self.live.append(f"<{tag} {given}>")
        for name, value in given.items():
            target = name in ("href", "src", "action", "xlink:href", "srcset", "data")
            if name.startswith("on") or (target and not value.startswith(("#", "https://"))):
                self.live.append(f"{tag} {name}={value}")


def test_an_exported_page_runs_nothing_and_loads_nothing(debate: Command, tmp_path: Path) -> None:
    added = "\n".join(f"+{line}" for line in LINES)
    heads = f"diff --git a/{PATH} b/{PATH}\n--- a/{PATH}\n+++ b/{PATH}\n"
    text = f"{heads}@@ -0,0 +1,{len(LINES)} @@\n{added}\n"
    (tmp_path / NAME).write_text(text, "utf-8")
    ran = debate("code_review", NAME, "--models", "scripted:obey", "--rounds", "1", "--json")
    assert ran.code == 0, ran.err
    exported = debate("export", ran.document["id"], "html").out
    assert "alert(1)" in exported, "what was debated stands in it"
    page = Page()
    page.feed(exported)
    assert page.live == []
    assert page.policy.startswith("default-src 'none'")


def test_a_page_that_runs_something_is_found() -> None:
    for live in (
        "<script>x</script>", "<img src=x>", "<p onclick=x>", "<a href='javascript:x'>k</a>",
        "<iframe srcdoc=x>", "<meta http-equiv=refresh content=0>",
    ):  # fmt: skip
        page = Page()
        page.feed(live)
        assert page.live, live
