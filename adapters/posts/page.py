"""A debate as one HTML page that can be sent on: no script, nothing loaded, readable on paper, in
light and dark. It is made from the Markdown with raw HTML off; the only links are those to lines of
the change, whose addresses code made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import escape

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root{{color-scheme:light dark;
--ink:#1b1f24;--paper:#fff;--line:#d0d7de;--soft:#59636e;--tint:#f6f8fa}}
@media (prefers-color-scheme:dark){{
:root{{--ink:#e6edf3;--paper:#0d1117;--line:#3d444d;--soft:#9198a1;--tint:#161b22}}}}
body{{max-width:46rem;margin:2rem auto;padding:0 1rem;background:var(--paper);color:var(--ink);
font:17px/1.6 Georgia,"Noto Serif",serif}}
h1,h2,h3,nav,table,summary{{font-family:system-ui,sans-serif;line-height:1.3}}
h2{{margin-top:2.2em;border-bottom:1px solid var(--line)}}
a{{color:inherit}}
nav{{columns:2;font-size:.85em;color:var(--soft);border:1px solid var(--line);padding:.6em 1em}}
nav a{{display:block}}
blockquote{{margin:1em 0;padding:.1em 1em;border-left:3px solid var(--line);color:var(--soft)}}
code{{font-size:.86em;background:var(--tint);padding:.1em .25em;overflow-wrap:anywhere}}
pre{{overflow:auto;background:var(--tint);padding:.8em}}pre code{{padding:0}}
table{{border-collapse:collapse;font-size:.85em;display:block;overflow:auto}}
td,th{{border:1px solid var(--line);padding:.3em .6em;text-align:left;vertical-align:top}}
summary{{cursor:pointer;font-weight:600;margin:1em 0}}
svg{{max-width:100%;height:auto}}svg text{{fill:var(--ink);font:12px system-ui,sans-serif}}
@media print{{body{{max-width:none;font-size:11pt;margin:0}}nav{{display:none}}
h2,h3{{break-after:avoid}}table,pre,blockquote{{break-inside:avoid}}}}
</style></head><body>
"""
_FOOT = "\n</body></html>\n"
_HEADING = re.compile(r"<h([23])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def page(title: str, report: str, transcript: str, links: Collection[str], picture: str) -> str:
    """``report`` and ``transcript`` are Markdown; ``links`` the only addresses that become links;
    ``picture`` is our own SVG, or empty.
    """
    told, contents = _anchored(_rendered(report, links))
    nav = f'<nav aria-label="Contents">{"".join(contents)}</nav>' if contents else ""
    first, end, rest = told.partition("</h1>")
    said = _rendered(transcript, ())
    folded = f"<details><summary>Transcript</summary>\n{said}</details>" if said else ""
    parts = (_HEAD.format(title=escape(title)), first, end, nav, picture, rest, folded, _FOOT)
    return "".join(parts)


def _rendered(markdown: str, links: Collection[str]) -> str:
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    renderer.disable(["image", "autolink"])
    renderer.validateLink = lambda url: url in links  # type: ignore[method-assign]  # the library's own way to say it
    made: str = renderer.render(markdown)
    return made


def _anchored(html: str) -> tuple[str, list[str]]:
    """The page with an id at each heading, and the lines of its table of contents."""
    contents: list[str] = []
    numbers: Iterator[int] = iter(range(1, 1000))

    def heading(match: re.Match[str]) -> str:
        level, inner = match.groups()
        id = f"part-{next(numbers)}"
        contents.append(f'<a href="#{id}">{_TAG.sub("", inner)}</a>')
        return f'<h{level} id="{id}">{inner}</h{level}>'

    return _HEADING.sub(heading, html), contents
