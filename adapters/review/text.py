"""The text of a review, made from a debate by rule: the findings, who holds and who disputes each,
and how much was read. Models give fields; every word around them is ours.

Foreign words in it may not mention anyone, refer to another pull request, load an image, or be
taken for a command by a bot that reads comments ("/merge" at the start of a line).
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from adapters.review import (
    COMMAND,
    COMMENT,
    REQUEST_CHANGES,
    Review,
    ReviewComment,
    ThreadAnswer,
    hidden,
    unmarked,
    whole,
)
from adapters.review.suggestion import suggestion
from core.debate.finding import Severity
from core.debate.ledger import Bar, Fate
from core.debate.material import LEFT, RIGHT, Hunk, Line
from core.debate.material.addresses import line_url
from core.debate.material.escaping import show_hidden, show_path
from core.debate.material.plaintext import code_block, one_line
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.evidence import quoted_lines
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.findings.positions import GONE
from core.debate.verdict.gate import gated
from core.languages import say
from core.words.views.documents.review import (
    later_line,
    not_now_line,
    quiet_line,
    refuse_unpostable,
    voted_out_line,
    warning_line,
)
from core.words.views.history import gate_sentence, meter_lines
from core.words.views.language.grammar import capital, shortened
from core.words.views.language.references import finding_title, placing_text, spelled_out
from core.words.views.language.seats import seat_name
from core.words.views.ledger import ledger_facts
from core.words.views.proofs import KEEP, proof_words
from core.words.views.verdict.coverage import coverage_line
from core.words.views.verdict.decision import decision
from core.words.views.verdict.dissent import disagreement
from core.words.views.verdict.findings import (
    NOWHERE,
    deciding,
    finding_texts,
    runs_line,
    severity_words,
    standing_sentences,
)
from core.words.views.verdict.objection import objections, reopenings, unanswered_words

_LIVE = re.compile(r"@\w|://|[#!]\d|\bGH-\d|\b[0-9a-f]{7,40}\b|(?<!\w)_\w*_(?!\w)", re.IGNORECASE)
"""Texts that a forge turns into links and notices: people, other pull requests, commits; and names
like ``__init__``, which it would show as bold letters without the underscores.
"""
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_ODD_PATH = re.compile(r"\\u|\\U|\\n|\\t|\[redacted: |…\[|`|<!--")
_QUIETER = {1: Severity.LOW, 2: Severity.MEDIUM}
_MOST = 30
"""Comments of one review; the others are in the body."""


def compose(
    debate: Debate,
    *,
    request_changes: bool = False,
    link: str = "",
    objections: Sequence[str] = (),
) -> Review:
    """Returns the review of a debate, always the same for the same debate.

    A blocking one may ask for changes if ``request_changes``; ``link`` is the debate's address,
    ``objections`` what people's objections to the review before came to. Raises ``Refused`` for a
    debate that is never posted: no pull request, no verdict, a demonstration, a change that is
    merged or closed.
    """
    refuse_unpostable(debate)
    material = debate.open.material
    findings = merge_findings(debate)
    run = int(material.facts.get("run", "1"))  # on the same change
    new = [m for m in findings if m.state is FindingState.OPEN and m.demand is None and m.evident]
    fresh = [m for m in new if m.bar in (None, Bar.RECORD)]
    barred = [m for m in new if m.bar not in (None, Bar.RECORD)]
    loud = [m for m in fresh if m.wording.severity.rank >= least(run).rank]
    placed = [(m, made) for m in loud if (made := _comment(debate, m)) is not None][:_MOST]
    inline = {m.id for m, _ in placed}
    runs = runs_line(findings, material.facts, len(fresh)), quiet_line(len(fresh) - len(loud))
    parts = [
        say("**Debatebot** {headline}", headline=foreign_line(decision(debate).headline, 600)),
        _reason(debate, inline),
        " ".join(filter(None, (gate_sentence(debate), *meter_lines(debate)))),
        _disagreement(debate, findings),
        foreign_line(" ".join(decision(debate).rest), 600),
        " ".join(filter(None, runs)),
        *_listed([m for m in loud if m.id not in inline]),
        *_listed(barred),
        voted_out_line(findings),
        *(foreign_line(line, 400) for line in objections),
        foreign_line(warning_line(debate), 930),
        _footer(debate, link),
    ]
    body = "\n\n".join(part for part in parts if part)
    asks = request_changes and gated(debate).blocks
    return Review(
        mark=review_mark(debate),
        head=material.facts.get("head", material.revision),
        event=REQUEST_CHANGES if asks else COMMENT,
        body=whole(body, review_mark(debate)),
        comments=tuple(made for _, made in placed),
        answers=tuple(_answers(debate, findings)),
    )


def review_mark(debate: Debate) -> str:
    """Returns what tells the review of this verdict from those of the debate's earlier ones."""
    changed = sum(each.changed for each in reopenings(debate))
    return f"{debate.id}:{changed}" if changed else debate.id


def least(run: int) -> Severity:
    """Returns the mildest severity that a run posts: the first posts all, the second no low ones,
    later ones high and above.
    """
    return _QUIETER.get(run, Severity.HIGH)


def needs_maintainer(debate: Debate) -> bool:
    """True if people dispute a severe security finding whose lines are still there, so that only a
    named maintainer may approve.
    """
    return any(
        m.maintainer and (m.demand is None or m.demand.fate is not Fate.GONE)
        for m in merge_findings(debate)
    )


def _reason(debate: Debate, inline: Collection[str]) -> str:
    """Returns the first finding that decides and has a separate comment, and the number of the
    others; "" if all are in the body.
    """
    findings = [m for m in deciding(debate) if m.id in inline]
    if not findings:
        return ""
    f = findings[0].wording
    url = line_url(debate.open.material, f.path, f.line, f.side)
    place = _place(findings[0]).strip()
    parts = (
        f"**{capital(severity_words(findings[0]))}**: {foreign_line(finding_title(f), 200)}",
        f"[{place}]({url})" if url else place,
        say("and {count} more", count=len(findings) - 1) if len(findings) > 1 else "",
    )
    return " · ".join(filter(None, parts))


def _disagreement(debate: Debate, findings: Iterable[MergedFinding]) -> str:
    """Returns a line on disputed findings; empty if people called all of them not real."""
    label, line = disagreement(debate)
    out = (
        shortened(finding_title(m.wording), 60)
        for m in findings
        if m.state is FindingState.DISPUTED
    )
    if not label or any(title in line for title in out):
        return ""
    return f"{label}: {foreign_line(line, 400)}"


def _listed(findings: Iterable[MergedFinding]) -> list[str]:
    lines = [f"- {_in_a_line(one)}" for one in findings]
    return ["\n".join(lines)] * bool(lines)


def _in_a_line(finding: MergedFinding) -> str:
    f = finding.wording
    text = f"**{severity_words(finding)}** {_place(finding)}{foreign_line(finding_title(f), 200)}"
    if not f.anchored:
        text += f" ({say(NOWHERE)})"
    elif words := placing_text(f):
        text += f" ({foreign_line(words, 200)})"
    if f.trigger:
        text += f": {foreign_line(f.trigger, 400)}"
    for label, reason in ledger_facts(finding):
        text += f" {label}: {foreign_line(reason, 400)}"
    return text


def _place(finding: MergedFinding) -> str:
    f = finding.wording
    if not f.path:
        return ""
    path = unmarked(show_path(f.path))
    if f.line:
        return f"`{path}:{f.line}` "
    return f"`{path}` "


def _comment(debate: Debate, finding: MergedFinding) -> ReviewComment | None:
    """Returns the finding as a comment on its lines; None if it has none that a forge
    would take.
    """
    material, f = debate.open.material, finding.wording
    if not f.anchored or f.line is None or _ODD_PATH.search(f.path):
        return None
    side = LEFT if f.side.upper() == LEFT else RIGHT
    first, last = quoted_lines(debate, f) or (f.line, f.line)
    fix = suggestion(material, f)
    suggests, code = None, ""
    if fix is not None:
        first, last, suggests = fix
        code = foreign_code(f.patch, "diff")
    for hunk in material.hunks:
        places = _places(hunk, side)
        if hunk.path == f.path and {first, last} <= places.keys():
            break
    else:  # forges demand that one hunk holds both lines
        return None
    start, end = places[first], places[last]
    made = ReviewComment(
        mark=finding.mark,
        path=f.path,
        side=side,
        line=last,
        body=_finding_text(debate, finding, patch="" if fix is not None else f.patch),
        old=end.old,
        new=end.new,
        old_path=hunk.old_path,
        suggests=suggests,
        code=code,
    )
    if first == last:
        return made
    codes = _codes(hunk, start, end)
    return replace(made, start_line=first, start_old=start.old, start_new=start.new, codes=codes)


def _places(hunk: Hunk, side: str) -> dict[int, Line]:
    """Returns number -> line, of one side."""
    left = side == LEFT
    lines = [x for x in hunk.lines if (x.mark == "-") == left]
    return {number: x for x in lines if (number := x.old if left else x.new) is not None}


def _codes(hunk: Hunk, start: Line, end: Line) -> tuple[str, str]:
    """Returns the line counters of both sides at the first and the last line."""
    olds = [x.old for x in hunk.lines if x.old is not None]
    news = [x.new for x in hunk.lines if x.new is not None]
    if not olds or not news:
        return "", ""
    old, new, code_of = olds[0], news[0], {}
    for line in hunk.lines:
        code_of[line] = f"{line.old or old}_{line.new or new}"
        old, new = (line.old or old - 1) + 1, (line.new or new - 1) + 1
    return code_of[start], code_of[end]


def _finding_text(debate: Debate, finding: MergedFinding, patch: str) -> str:
    """Returns the text of a comment; ``patch`` is the code of a fix that no forge can apply."""
    f = finding.wording
    parts = [f"**{capital(severity_words(finding))}**: {foreign_line(finding_title(f), 200)}"]
    parts += [f"{label}: {foreign_line(text, 600)}" for label, text in finding_texts(f)]
    if patch:
        parts.append(foreign_code(patch, "diff"))
    if lines := [foreign_line(line, 400) for line in standing_sentences(debate, finding)]:
        parts.append(" ".join(lines))
    parts += _proof(debate, finding)
    return "\n\n".join((*parts, hidden("finding", finding.mark)))


def _proof(debate: Debate, finding: MergedFinding) -> Iterable[str]:
    """Yields what a proof came to, and the test in a fold: it is worth keeping."""
    if finding.proof is None:
        return
    yield foreign_line(capital(proof_words(debate, finding)), 600)
    test = finding.proof.test
    if finding.tested and test is not None:
        text = foreign_code(test.text, "")
        summary = f"<summary>{say(KEEP)} <code>{html.escape(test.path)}</code></summary>"
        yield f"<details>{summary}\n\n{text}\n\n</details>"


def _answers(debate: Debate, findings: tuple[MergedFinding, ...]) -> Iterable[ThreadAnswer]:
    """Returns answers under the comments of earlier runs: the finding is resolved, or the reason
    why it is still open although its lines changed. Other comments get none.
    """
    material = debate.open.material
    head = material.facts.get("head", material.revision)[:7]
    for m in findings:
        if m.demand is None:
            continue
        mark = hidden("answer", f"{debate.id}:{m.mark}")
        if m.state in (FindingState.RESOLVED, FindingState.WITHDRAWN):
            text = f"{later_line(m, head)}{_because(m, gone=True)}"
            yield ThreadAnswer(m.mark, f"{text}\n\n{mark}", resolves=True)
        elif m.state is FindingState.OPEN and m.demand.fate in (Fate.CHANGED, Fate.REPLACED):
            text = f"{later_line(m, head)}{_because(m, gone=False)}"
            yield ThreadAnswer(m.mark, f"{text}\n\n{mark}", resolves=False)


def objection_answer(debate: Debate, challenge: str, mark: str) -> ThreadAnswer | None:
    """Returns the result of a person's reply under one of our comments, with the seats' answers;
    None while they answer.
    """
    view = next((v for v in objections(debate) if v.challenge.id == challenge), None)
    spoken = [debate.script.turn(id) for id in debate.answers_to(challenge)]
    if not debate.over:
        return None
    parts: list[str] = []
    if view is not None:
        parts = [foreign_line(f"{capital(view.line)}.", 300)]
    elif not spoken:
        parts = [foreign_line(f"{capital(unanswered_words(debate, challenge))}.", 300)]
    for turn in spoken:
        who, text = capital(seat_name(debate, turn.seat)), debate.finished[turn.id].text
        parts.append(f"**{who}**: {foreign_line(spelled_out(debate, text), 900)}")
    return reply_answer(debate.id, challenge, mark, "\n\n".join(parts))


def not_now(refusal: str) -> str:
    """Returns the reason why a reply is not answered now, for the comment under which it is."""
    return foreign_line(not_now_line(refusal), 600)


def reply_answer(debate: str, about: str, mark: str, text: str) -> ThreadAnswer:
    """Returns an answer to a reply under the comment with the finding's ``mark``."""
    own = hidden("answer", f"{debate}:{about}:{mark}")
    return ThreadAnswer(mark, f"{text}\n\n{own}", resolves=False)


def command_answer(about: str, text: str) -> ThreadAnswer:
    """Returns an answer, in the conversation, to a command that starts nothing."""
    return ThreadAnswer("", f"{text}\n\n{hidden('answer', about)}", resolves=False)


def _because(finding: MergedFinding, *, gone: bool) -> str:
    reasons = [
        a.because
        for seat, a in finding.reasons.items()
        if a.because and seat not in finding.unshown and (a.position in GONE) is gone
    ]
    if reasons:
        return f" {foreign_line(reasons[0], 300)}"
    return ""


def _footer(debate: Debate, link: str) -> str:
    read = coverage_line(debate)
    parts = [f"{foreign_line(read, 600)}."] * bool(read)
    if link:
        parts.append(say("[The whole debate]({link})", link=link))
    else:
        parts.append(say("Debate {id}.", id=debate.id))
    return " ".join(parts)


def foreign_line(text: str, limit: int) -> str:
    """Returns foreign text on one line, in which no forge sees a mention, a reference or a
    command.
    """
    plain = unmarked(one_line(text, limit))
    line, at = "", 0
    for span in _CODE.finditer(plain):
        line = _beside(_beside(line, _still(plain[at : span.start()])), span[0])
        at = span.end()
    return _beside(line, _still(plain[at:]))


def foreign_title(line: str, limit: int) -> str:
    """Returns a line of Markdown as the title of an issue or a pull request, which forges show
    without reading HTML in it. It holds no entity, which some forges read, and nothing unseen.
    """
    title = show_hidden(_decoded(foreign_line(_decoded(line), limit)))
    return " ".join(title.split())


def _decoded(text: str) -> str:
    """Returns the text without entities, also without those of entities."""
    while (plain := html.unescape(text)) != text:
        text = plain
    return text


def foreign_code(text: str, language: str) -> str:
    """Returns foreign lines as a block of code, in which no bot that reads comments sees a
    command: such bots read lines of code, too.
    """
    return code_block(COMMAND.sub(r"\1\\/", unmarked(show_hidden(text))), language)


def _still(words: str) -> str:
    """Returns text outside of code, with words as code that a forge would show as others."""
    return " ".join(f"`{word}`" if _LIVE.search(word) else word for word in words.split(" "))


def _beside(left: str, right: str) -> str:
    """Joins two code spans with a space, because two that touch would be read as one."""
    if left.endswith("`") and right.startswith("`"):
        return f"{left} {right}"
    return left + right
