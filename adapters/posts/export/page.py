"""A debate as one HTML page that can be sent on: no script, nothing loaded, readable on paper, in
light and dark. It is made from the Markdown with raw HTML off; the only links are those whose
addresses code made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from html import escape, unescape

from core.languages import say, spoken
from core.words.views.language.grammar import shortened

_HEAD = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>{style}</style></head><body>
"""
PALETTE = """
:root{color-scheme:light dark;
--paper:#faf9f7;--card:#ffffff;--ink:#1d1c1a;--soft:#5d5a55;--line:#e2ded7;--wash:#f2f0ec;
--accent:#1d5bb8;--good:#14713f;--bad:#b3261e;--care:#7d5000}
@media (prefers-color-scheme:dark){:root{
--paper:#141517;--card:#1c1e21;--ink:#ececea;--soft:#a9a7a1;--line:#34373c;--wash:#24272b;
--accent:#82b1ff;--good:#63cf95;--bad:#ff8f86;--care:#e5b454}}
"""
"""The room's colours."""
_STYLE = """
*{box-sizing:border-box}
body{max-width:56rem;margin:0 auto;padding:1.2rem 1rem 3rem;background:var(--paper);
color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
overflow-wrap:break-word}
h1,h2,h3,h4{line-height:1.25;font-weight:650;text-wrap:balance}
h1{font-size:1.8rem;letter-spacing:-.02em;margin:0 0 .4rem}
header,.card{background:var(--card);border:1px solid var(--line);border-radius:14px;
padding:1.15rem 1.3rem;margin-bottom:1.2rem}
header p{margin:.4em 0}
header p:last-child{font-size:.9em;color:var(--soft)}
header.blocked,header.failed{border-left:5px solid var(--bad)}
header.approved{border-left:5px solid var(--good)}
header.comments{border-left:5px solid var(--care)}
header.undecided{border-left:5px solid var(--soft)}
h2{font-size:1.2rem;margin:1.8rem 0 .7rem}
h3{font-size:1.02rem;margin:1.4rem 0 .4rem}
h4{font-size:1rem;margin:1.2rem 0 .4rem}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:from-font}
ul,ol{padding-left:1.3rem}li{margin:.3em 0}li ul{margin:.2em 0;font-size:.94em}
nav{margin:1.5rem 0;padding:.9rem 1.2rem;background:var(--wash);border-radius:10px;
font-size:.9rem;columns:2 14rem}
nav a{display:block;padding:.12em 0;color:inherit;text-decoration:none}
nav a:hover{color:var(--accent)}
blockquote{margin:1em 0;padding-left:.9rem;border-left:3px solid var(--line);color:var(--soft)}
code,pre{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{background:var(--wash);padding:.08em .3em;border-radius:4px;overflow-wrap:anywhere}
pre{overflow:auto;background:var(--wash);padding:.8rem 1rem;border-radius:10px}
pre code{padding:0;overflow-wrap:normal}td code{overflow-wrap:break-word}
table{border-collapse:collapse;display:block;overflow:auto;margin:1em 0;
font-variant-numeric:tabular-nums}
td,th{border-bottom:1px solid var(--line);padding:.35rem .9rem .35rem 0;text-align:left;
vertical-align:top}th{color:var(--soft);font-weight:600;font-size:.82rem}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;font-weight:600;padding:.7em 0}
details[open]{padding-bottom:1em}
figure{margin:1em 0;overflow:auto}svg{min-width:34rem;max-width:100%;height:auto}
svg text{fill:var(--ink);font:12px system-ui,"Noto Sans",sans-serif}
hr{border:0;border-top:1px solid var(--line);margin:1.2rem 0}
@media (max-width:34rem){h1{font-size:1.12rem;letter-spacing:-.03em}header{padding:.95rem 1rem}}
@media print{:root{color-scheme:light;
--ink:#000;--paper:#fff;--card:#fff;--line:#ccc;--soft:#444;--wash:#f4f4f4;--accent:#000}
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


def page(title: str, top: str, body: str) -> str:
    """Returns the page in HTML: its ``top`` with the decision and its grounds, a table of contents,
    and the ``body`` in the order of the room's page.
    """
    body, contents = _anchored(body)
    nav = ""
    if contents:
        nav = f'<nav aria-label="{escape(say("Contents"))}">{"".join(contents)}</nav>'
    head = _HEAD.format(title=escape(title), style=PALETTE + _STYLE, language=spoken())
    return f"{head}{top}{nav}{body}{_FOOT}"


def figure(title: str, picture: str) -> str:
    """Returns our own SVG below its title; "" for no picture."""
    return f"<h2>{title}</h2><figure>{picture}</figure>" if picture else ""


def folded_rounds(rounds: Mapping[str, str]) -> str:
    """Returns the rounds as folded sections; their text links nowhere."""
    folds = "".join(
        f"<details><summary>{escape(title)}</summary>\n{rendered(text, ())}</details>"
        for title, text in rounds.items()
    )
    return f"<h2>{say('Transcript')}</h2>{folds}" if folds else ""


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
