"""Lays out a post for a terminal: in full for people who watch, or as one line for logs and pipes.

Everything foreign goes through ``show_hidden`` and into ``Text``, so that no model can colour, move
or hide anything on the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.style import Style
from rich.text import Text

from adapters.ports.chat import Post, Shape
from adapters.terminal.printing import one_line
from adapters.text.pieces import TextSpan
from core.debate.material.escaping import show_hidden
from core.languages import msgid, say, say_if

_SEVERITY = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan"}
_MARKED = {"+": "green", "-": "red"}
_MARK = {
    Shape.STATEMENT: "●",
    Shape.FINDING: "▲",
    Shape.CHALLENGE: "◆",
    Shape.NOTICE: "·",
    Shape.VERDICT: "■",
    Shape.ROUND: "─",
}


@dataclass(frozen=True, slots=True)
class _Indented:
    """Texts wrapped two cells further in, without spaces at the ends of lines, which people
    copy.
    """

    texts: Sequence[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text in self.texts:
            for line in text.wrap(console, max(10, options.max_width - 2)):
                yield Text.assemble("  ", line)


def thread(post: Post, number: int = 0) -> RenderableType:
    """Returns the post as part of the thread: head, text, facts. A finding has a ``number`` by
    which a person can name it.
    """
    if post.shape is Shape.NOTICE:
        return Text.assemble(("· ", "dim"), (one_line(post.fallback), "italic"))
    body: list[Text] = []
    if post.subtitle and not post.who:
        body.append(spans_text(post.subtitle))
    if post.quote:
        body += [Text(f"│ {show_hidden(line)}", style="dim") for line in post.quote.split("\n")]
    if post.body:
        body.append(Text(show_hidden(post.body.strip())))
    body += [spans_text(line) for line in post.lines]
    body += [
        Text.assemble((f"{one_line(label)}: ", "dim"), show_hidden(value))
        for label, value in post.fields
    ]
    body += [
        Text(show_hidden(line), style=_MARKED.get(line[:1], "dim"))
        for line in post.patch.splitlines()
    ]
    if small := _small(post, number):
        body.append(Text(show_hidden(small), style="dim"))
    if body:
        return Group(_head(post), _Indented(body), Text(""))
    return Group(_head(post), Text(""))


def _small(post: Post, number: int) -> str:
    """Returns the small print of a post: none for a statement, because it follows its round; a
    finding's number as well, because a terminal has no buttons.
    """
    if post.shape is Shape.STATEMENT:
        return ""
    name = say_if(number, msgid("finding {number}"), number=number)
    return " · ".join(filter(None, (name, post.small)))


def plain(post: Post, number: int = 0) -> str:
    """Returns the post as exactly one line: nothing is cut, line breaks become spaces."""
    if post.shape is Shape.NOTICE:
        return one_line(post.fallback)
    subtitle = one_line("".join(s.text for s in post.subtitle))
    where = ""
    if subtitle and post.shape is not Shape.STATEMENT:
        where = f"({subtitle})"
    head = " ".join(part for part in (_who(post, number), where, one_line(post.body)) if part)
    lines = [one_line("".join(s.text for s in line)) for line in post.lines]
    facts = [f"{one_line(label)}: {one_line(value)}" for label, value in post.fields]
    if post.quote:
        lines.insert(0, f"> {one_line(post.quote)}")
    if post.patch:
        facts.append(f"{say('Patch')}: {one_line(post.patch)}")
    return " | ".join((head, *lines, *facts))


def moved(post: Post, number: int) -> str:
    """Describes how many hold and dispute now a finding that was shown before."""
    name = say("finding {number}", number=number)
    return one_line(f"{name}, {post.title}: {post.facts['moved']}")


def _who(post: Post, number: int) -> str:
    if post.shape is Shape.STATEMENT:
        who = one_line(post.who)
        if post.title:
            who += f" [{one_line(post.title)}]"
        if stands := one_line("".join(s.text for s in post.subtitle)):
            who += f" ({stands})"
        return f"{who}:"
    if post.shape is Shape.FINDING:
        return f"{say('finding {number}', number=number)}: {one_line(post.title)}"
    return one_line(post.title) + ":" * bool(post.body)


def spans_text(spans: Sequence[TextSpan]) -> Text:
    """Typed text; a link can be clicked if the terminal supports it."""
    text = Text()
    for span in spans:
        style = Style(bold=span.bold, italic=span.italic, link=span.url or None)
        text.append(show_hidden(span.text).replace("\n", " "), style)
    return text


def _head(post: Post) -> Text:
    mark = f"{_MARK.get(post.shape, '●')} "
    if post.shape is Shape.FINDING:
        severity, _, rest = one_line(post.title).partition(" ")
        style = _SEVERITY.get(post.facts.get("severity", ""), "bold")
        return Text.assemble(mark, (severity, style), f" {rest}")
    if post.shape is Shape.STATEMENT:
        head = Text.assemble((mark, "cyan"), (one_line(post.who), "bold"))
        if post.subtitle:
            head = Text.assemble(head, " · ", spans_text(post.subtitle))
        if post.title:
            head.append(f"  {one_line(post.title)}", "magenta")
        return head
    style = {Shape.VERDICT: "bold green", Shape.CHALLENGE: "bold magenta"}.get(post.shape, "bold")
    return Text.assemble((mark, style), (one_line(post.title), style))
