"""A debate as one HTML page that can be sent on: no script, nothing loaded, readable on paper, in
light and dark. It is made from the Markdown with raw HTML off; the only links are those whose
addresses code made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from html import escape, unescape

from core.languages import say, spoken
from core.words.views.language.grammar import shortened
from core.words.views.verdict.cruxes import TURNS_ON

_HEAD = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>{style}</style></head><body>
"""
_STYLE = """
:root{color-scheme:light dark;
--ink:#1b1f24;--paper:#fff;--line:#d5dae0;--soft:#59636e;--tint:#f5f7f9;--mark:#0b62c4}
@media (prefers-color-scheme:dark){:root{
--ink:#e4e9ef;--paper:#0f1318;--line:#39414b;--soft:#9aa4af;--tint:#191f26;--mark:#7cb7ff}}
*{box-sizing:border-box}
body{max-width:44rem;margin:0 auto;padding:2.5rem 1.2rem 5rem;background:var(--paper);
color:var(--ink);font:17px/1.6 Charter,Georgia,"Noto Serif","DejaVu Serif",serif;
overflow-wrap:break-word}
h1,h2,h3,nav,table,summary,.from{font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif;
line-height:1.3}
h1{font-size:1.6rem;margin:0 0 .4em}
header p{line-height:1.4;margin:.4em 0}
header p:last-child{font-size:.9em;color:var(--soft)}
h2{font-size:1.25rem;margin:2.4em 0 .7em;padding-bottom:.25em;border-bottom:1px solid var(--line)}
h3{font-size:1.02rem;margin:1.8em 0 .5em}
h4{font-size:.95rem;margin:1.4em 0 .4em}
a{color:var(--mark);text-decoration-thickness:1px;text-underline-offset:.15em}
ul,ol{padding-left:1.4em}li{margin:.3em 0}li ul{margin:.2em 0;font-size:.94em}
nav{margin:2em 0;padding:.9em 1.2em;background:var(--tint);border-radius:6px;
font-size:.86em;columns:2 14rem}
nav a{display:block;padding:.12em 0;color:inherit;text-decoration:none}
nav a:hover{color:var(--mark)}
blockquote{margin:1em 0;padding:.1em 1em;border-left:3px solid var(--line);color:var(--soft)}
code{font:.84em/1.5 ui-monospace,"DejaVu Sans Mono",monospace;background:var(--tint);
padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}
pre{overflow:auto;background:var(--tint);padding:.8em 1em;border-radius:6px}
pre code{padding:0;overflow-wrap:normal}td code{overflow-wrap:break-word}
table{border-collapse:collapse;font-size:.82em;display:block;overflow:auto;margin:1em 0}
td,th{border-bottom:1px solid var(--line);padding:.4em .8em .4em 0;text-align:left;
vertical-align:top}th{color:var(--soft);font-weight:600}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;font-weight:600;padding:.7em 0}
details[open]{padding-bottom:1em}
figure{margin:1em 0;overflow:auto}svg{min-width:34rem;max-width:100%;height:auto}
svg text{fill:var(--ink);font:12px system-ui,"DejaVu Sans",sans-serif}
hr{border:0;border-top:1px solid var(--line);margin:2em 0}
@media print{:root{color-scheme:light;
--ink:#000;--paper:#fff;--line:#ccc;--soft:#444;--tint:#f4f4f4;--mark:#000}
body{max-width:none;font-size:10.5pt;padding:0}
nav{display:none}
pre code{white-space:pre-wrap}h2,h3,summary{break-after:avoid}
table,pre,blockquote,svg,li{break-inside:avoid}}
"""
_NAME = 60
"""Characters of a line of the table of contents."""
_FOOT = "\n</body></html>\n"
_HEADING = re.compile(r"<h2>(.*?)</h2>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True, slots=True)
class ExportPage:
    """``head`` (the only ``#`` heading), ``first`` and ``rest`` are Markdown, ``rounds`` a text
    for each title; ``picture`` and ``cruxes`` are our own SVG, or empty. ``links`` are the only
    addresses that become links.
    """

    title: str
    head: str
    first: str
    picture: str
    rest: str
    rounds: Mapping[str, str]
    links: Collection[str]
    cruxes: str = ""


def page(content: ExportPage) -> str:
    """Returns the page in HTML; the decision and its grounds precede the table of contents."""
    rest = "".join(
        (
            f"<h2>{say('How stances moved')}</h2><figure>{content.picture}</figure>"
            if content.picture
            else "",
            f"<h2>{say(TURNS_ON)}</h2><figure>{content.cruxes}</figure>" if content.cruxes else "",
            rendered(content.rest, content.links),
            _transcript(content.rounds),
        )
    )
    body, contents = _anchored(rest)
    nav = ""
    if contents:
        label = escape(say("Contents"))
        nav = f'<nav aria-label="{label}">{"".join(contents)}</nav>'
    top = _HEAD.format(title=escape(content.title), style=_STYLE, language=spoken())
    head, first = (rendered(text, content.links) for text in (content.head, content.first))
    return "".join((top, f"<header>{head}</header>", first, nav, body, _FOOT))


def _transcript(rounds: Mapping[str, str]) -> str:
    """Returns the rounds as folded sections; their text links nowhere."""
    folds = "".join(
        f"<details><summary>{escape(title)}</summary>\n{rendered(text, ())}</details>"
        for title, text in rounds.items()
    )
    if folds:
        return f"<h2>{say('Transcript')}</h2>{folds}"
    return ""


def rendered(markdown: str, links: Collection[str]) -> str:
    """Returns Markdown as HTML with raw HTML off; only ``links`` become links."""
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    renderer.disable(["image", "autolink"])
    renderer.validateLink = lambda url: url in links  # type: ignore[method-assign]  # the library's own way to say it
    made: str = renderer.render(markdown)
    return made


def _anchored(html: str) -> tuple[str, list[str]]:
    """Returns the page with an id at each part's heading, and the lines of its table of
    contents.
    """
    contents: list[str] = []
    numbers: Iterator[int] = iter(range(1, 1000))

    def heading(match: re.Match[str]) -> str:
        id = f"part-{next(numbers)}"
        named = escape(shortened(unescape(_TAG.sub("", match[1])), _NAME))
        contents.append(f'<a href="#{id}">{named}</a>')
        return f'<h2 id="{id}">{match[1]}</h2>'

    return _HEADING.sub(heading, html), contents
