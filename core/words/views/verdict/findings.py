"""Describes a finding: the defect, its place, its trigger and fix, its holders and disputers, and
its state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.debate.finding import TEXTS, Finding
from core.debate.material.addresses import line_url
from core.debate.replies import Position
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import (
    CODE,
    EARLIER,
    REMARK,
    SCANNER,
    FindingState,
    MergedFinding,
)
from core.debate.verdict.findings.positions import Raised
from core.languages import msgid, percent, say, say_if, say_many
from core.words.views.history import (
    BECAME,
    HOW_SURE,
    became_words,
    chance_sentence,
    chance_words,
)
from core.words.views.language.grammar import (
    and_more,
    capital,
    counted,
    listed,
    plural,
    quoted,
    shortened,
)
from core.words.views.language.once import once
from core.words.views.language.references import finding_title, placing_text, spelled_out
from core.words.views.language.seats import holder, seat_name
from core.words.views.ledger import bar_mark, ledger_facts
from core.words.views.proofs import PROVEN, proof_words

AREAS = msgid("Concerns")
WHEN, FIX, PROOF, PEOPLE = msgid("When"), msgid("Fix"), msgid("Proof"), msgid("People")
RULE = msgid("Rule of the project")
_RULE_FILE = re.compile(r"[\w./-]+\.md\b")
_LABELS = {"trigger": WHEN, "fix": FIX}
"""The labels of ``core.debate.finding.TEXTS``."""
NOTHING_OPEN = msgid("No finding is open.")
NOWHERE = msgid("no line of the material shows it")
NOT_DEBATED, CONFIRMED = msgid("not debated"), msgid("confirmed by people")
_DISPUTING = (Position.DISPUTE, Position.NOT_REAL)
_PLACE = 120
_DISPUTES = 2
"""The number of disputing seats whose reasons are given; the others are named."""


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding in words.

    ``place`` is "file:line" with its address in ``url``, ``placing`` how it was found there;
    ``state`` is one word for the state of a finding, ``status`` that and further notes. ``sure``
    names each seat's confidence, "" if code reported it. ``facts`` are labels and texts in the
    order in which people ask for them. ``patch`` holds the lines of code of the fix.
    """

    severity: str
    title: str
    place: str
    url: str
    placing: str
    state: str
    status: str
    sure: str
    facts: Sequence[tuple[str, str]]
    fix: str
    patch: str

    @property
    def heading(self) -> str:
        """The severity with the title: "High: The query is built from user input"."""
        return f"{capital(say(self.severity))}: {self.title}"

    def short_heading(self, most: int) -> str:
        """Returns the heading with at most ``most`` characters of the title."""
        return f"{capital(say(self.severity))}: {shortened(self.title, most)}"


def finding_view(
    debate: Debate, finding: MergedFinding, *, text: int = 600, reason: int = 600
) -> FindingView:
    """Describes the finding in its current state; ``text`` and ``reason`` are the most characters
    of a trigger or fix and of a seat's reason.
    """
    f = finding.wording
    state = state_words(finding)
    texts = {
        label: spelled_out(debate, shortened(words, text)) for label, words in finding_texts(f)
    }
    if f.patch and say(FIX) not in texts:
        lines = plural(len(f.patch.splitlines()), "line")
        texts[say(FIX)] = say("a patch of {lines}", lines=lines)
    fix = texts.get(say(FIX), "")
    if f.patch:  # the code follows the facts
        texts.pop(say(FIX))
    facts = [
        *texts.items(),
        *ledger_facts(finding),
        (say(HOW_SURE), chance_words(debate, finding)),
        (say(BECAME), became_words(debate, finding)),
        (say(PROOF), proof_words(debate, finding)),
        (say("Held by"), held_by(debate, finding)),
        *(withdrawals(debate, finding, reason) or disputes(debate, finding, reason)),
        (say(RULE), rule_of(debate, finding)),
        (say(AREAS), say(str(f.category or ""))),
        (say(PEOPLE), counted(finding.people)),
        (say(FIX), fix if f.patch else ""),
    ]
    bare = say_if(finding.blocking and not finding.debated, NOT_DEBATED)
    return FindingView(
        f.severity.value,
        finding_title(f),
        place_words(f),
        line_url(debate.open.material, f.path, f.line, f.side),
        placing_text(f),
        state,
        ", ".join(filter(None, (state, bare))),
        sure_words(debate, finding),
        tuple((label, value) for label, value in facts if value),
        fix,
        f.patch,
    )


def finding_texts(finding: Finding) -> list[tuple[str, str]]:
    """Returns what its seat says of a finding, by label; of the fix only the words."""
    texts = {name: getattr(finding, name) for name in TEXTS} | {"fix": finding.advice}
    return [(say(_LABELS[name]), text) for name, text in texts.items() if text]


def finding_word(number: int) -> str:
    """Returns a finding's name in a report and on a screen: "finding 2"."""
    return say("finding {number}", number=number)


@once
def finding_numbers(debate: Debate) -> Mapping[str, int]:
    """Returns the number of each finding by its id, in the order in which they were raised: the
    same in every list, and while the debate continues.
    """
    first = {}
    for m in merge_findings(debate):
        in_turn = m.id.rpartition(".f")[2]
        first[m.id] = (m.raised[0].at, int(in_turn) if in_turn.isdecimal() else 0)
    return {id: n for n, id in enumerate(sorted(first, key=first.__getitem__), 1)}


def finding_numbered(debate: Debate, text: str) -> str:
    """Returns the id of the finding with this number; ``text`` itself if it is not the number of a
    finding.
    """
    ids = {number: id for id, number in finding_numbers(debate).items()}
    return ids.get(int(text), text) if text.isdecimal() else text


def severity_words(finding: MergedFinding) -> str:
    """Describes the severity, marked as a claim if seats differ on the finding and it does not
    block.
    """
    severity = say(finding.wording.severity.value)
    if finding.contested and not finding.blocking:
        return say("contested, said to be {severity}", severity=severity)
    return severity


def rule_of(debate: Debate, finding: MergedFinding) -> str:
    """Returns the files of the project's rules that were read and that the finding names."""
    read = _RULE_FILE.findall(debate.open.material.facts.get("guidelines", ""))
    f = finding.wording
    named = [path for path in read if _names(path, f"{f.title} {f.trigger} {f.source}")]
    return listed(named)


def _names(path: str, text: str) -> bool:
    """Return whether a text names the file, and not one of the same name in another folder."""
    return re.search(rf"(?<![\w/.-]){re.escape(path)}(?![\w/])", text) is not None


def wording_shown(finding: MergedFinding) -> Raised | None:
    """Returns the wording that represents the finding; of seats with the same words, that of the
    seat with the shown confidence.
    """
    f = finding.wording
    same = [
        r
        for r in finding.standing
        if (r.finding.title, r.finding.path, r.finding.line) == (f.title, f.path, f.line)
    ]
    return min(same, key=lambda r: abs(r.finding.confidence - f.confidence), default=None)


def sure_words(debate: Debate, finding: MergedFinding) -> str:
    """Names each seat's confidence: "security critic is 93% sure"; empty if code reported it."""
    wording = wording_shown(finding)
    if wording is None or wording.seat in (CODE, SCANNER, REMARK, EARLIER):
        return ""
    sure = msgid("{seat} is {confidence} sure")
    if wording.seat not in finding.by:
        sure = msgid("{seat} was {confidence} sure")
    return say(
        sure,
        seat=seat_name(debate, wording.seat),
        confidence=percent(finding.wording.confidence),
    )


def place_words(finding: Finding) -> str:
    """Writes the place as "app/db.py:12"; only its end if it is too long to read."""
    if not finding.path:
        return say("no place named")
    place = f"{finding.path}:{finding.line or ''}".removesuffix(":")
    if len(place) > _PLACE:
        return "…" + place[-(_PLACE - 1) :]
    return place


def state_words(finding: MergedFinding) -> str:
    """Returns its state: open, disputed, withdrawn, confirmed by people, or resolved."""
    match finding.state:
        case FindingState.OPEN if finding.tested:
            return say(PROVEN)
        case FindingState.WITHDRAWN if finding.refuted:
            return say("refuted: {counts}", counts=counts_words(finding))
        case FindingState.WITHDRAWN:
            return say("withdrawn")
        case FindingState.DISPUTED:
            return say("not real, people say")
        case FindingState.RESOLVED if finding.successor:
            return say("replaced by another finding")
        case FindingState.RESOLVED:
            return say("resolved since")
        case FindingState.OPEN if finding.confirmed:
            return say(CONFIRMED)
        case FindingState.OPEN if finding.bar is not None:
            return bar_mark(finding)
        case FindingState.OPEN if finding.contested and not finding.blocking:
            return say("contested: {counts}", counts=counts_words(finding))
        case FindingState.OPEN if finding.contested or finding.disputed_by:
            return say("disputed: {counts}", counts=counts_words(finding))
        case FindingState.OPEN:
            return say("open")


def nowhere_words(debate: Debate, finding: MergedFinding) -> str:
    """Explains the consequence of a finding without a line in the material; empty for a finding
    that counts.
    """
    if finding.evident:
        return ""
    if finding.unplaced and debate.open.template.findings:
        return say(
            "{nowhere}: it blocks nothing, but the change is not approved over it",
            nowhere=say(NOWHERE),
        )
    return say("{nowhere}, so it does not count", nowhere=say(NOWHERE))


def held_by(debate: Debate, finding: MergedFinding) -> str:
    """Names all who hold the finding now."""
    names = [holder(debate, seat) for seat in finding.by if seat != REMARK]
    reports = {report.id: report.tool for report in debate.open.material.scanned if report.author}
    names += [reports[id] for id in finding.ids if id in reports]
    return listed(list(dict.fromkeys(names)))


def withdrawals(debate: Debate, finding: MergedFinding, reason: int) -> list[tuple[str, str]]:
    """Names the seats that raised it and took it back, with their reasons."""
    if finding.state is not FindingState.WITHDRAWN:
        return []
    return [
        (say("Withdrawn by"), _because(debate, seat, answer.because, reason))
        for seat, answer in finding.reasons.items()
        if answer.position is Position.WITHDRAW
        or (seat in finding.raisers - finding.unshown and answer.position in _DISPUTING)
    ][:_DISPUTES]


def disputes(debate: Debate, finding: MergedFinding, reason: int) -> list[tuple[str, str]]:
    """Names the seats that dispute it, each with its reason on a line; after the first ones
    by name only.
    """
    rows = [
        (say("Disputed by"), _because(debate, seat, finding.because(seat), reason))
        for seat in finding.disputed_by[:_DISPUTES]
    ]
    if rest := [holder(debate, s) for s in finding.disputed_by[_DISPUTES:]]:
        rows.append((say("Also disputed by"), listed(rest)))
    return rows


def _because(debate: Debate, seat: SeatId, why: str, most: int) -> str:
    named = holder(debate, seat)
    if why:
        return f"{named}: {spelled_out(debate, shortened(why, most))}"
    return named


def standing_sentences(debate: Debate, finding: MergedFinding) -> Iterator[str]:
    """Describes how it was placed, held and disputed, for a reader who sees only this."""
    if words := placing_text(finding.wording):
        yield f"{capital(words)}."
    if names := held_by(debate, finding):
        yield say("Held by {names}.", names=names)
    if finding.contested:
        counts = counts_words(finding)
        if finding.blocking:
            yield say("Disputed: {counts}.", counts=counts)
        else:
            yield say("Contested: {counts}.", counts=counts)
    if finding.blocking and not finding.debated:
        yield f"{capital(say(NOT_DEBATED))}."
    for seat in finding.disputed_by:
        yield say(
            "Disputed by {because}", because=_because(debate, seat, finding.because(seat), 600)
        )
    if rule := rule_of(debate, finding):
        yield f"{say(RULE)}: {rule}."
    if finding.confirmed:
        yield f"{capital(say(CONFIRMED))}."
    if words := chance_sentence(debate, finding):
        yield words
    yield from (f"{label}: {text}" for label, text in ledger_facts(finding))


def unplaced_line(debate: Debate, findings: Sequence[MergedFinding]) -> str:
    """Names in one line the findings without a place in the material; empty for none."""
    if not findings:
        return ""
    titles = listed([quoted(shortened(finding_title(m.wording), 70)) for m in findings[:2]])
    who = listed(list(dict.fromkeys(holder(debate, s) for m in findings for s in m.by)))
    return f"{titles}{and_more(len(findings) - 2)} ({who}): {say(NOWHERE)}"


def findings_line(findings: Sequence[MergedFinding], *, blocked: bool) -> str:
    """Counts the open findings, and how many of them are disputed; empty for none. If they have
    ``blocked`` the change, it counts those that must be fixed, and no others.
    """
    standing = [m for m in findings if m.evident and m.state is FindingState.OPEN]
    if not standing:
        return ""
    fix = sum(m.blocking for m in standing)
    if blocked and fix:
        return say("{n} must be fixed", n=fix)
    disputed = sum(bool(m.disputed_by) for m in standing)
    counted = plural(len(standing), "finding")
    if disputed:
        return say("{counted}, {disputed} disputed", counted=counted, disputed=disputed)
    return counted


def to_fix(blocking: int) -> str:
    """Count the findings that must be fixed, by the rule of the verdict: "2 must be fixed"."""
    if blocking:
        return say("{n} must be fixed", n=blocking)
    return say("none must be fixed")


def raised_words(who: str, confidence: float, *, first: bool) -> str:
    """Writes that a seat raised a finding, and how sure it was."""
    raises = msgid("{who} raised it, {confidence} sure")
    if not first:
        raises = msgid("{who} also raised it, {confidence} sure")
    return say(raises, who=who, confidence=percent(confidence))


def counts_words(finding: MergedFinding) -> str:
    """Counts the positions in words; code that proved it counts as a holder, a scanner does not."""
    if finding.contested and finding.minor_by:
        fix, minor = len(finding.fix_by), len(finding.minor_by)
        unreal = len(finding.disputed_by)
        texts = (
            say_many(fix, "{n} wants it fixed", "{n} want it fixed") if fix else "",
            say_many(minor, "{n} would not block", "{n} would not block"),
            say_many(unreal, "{n} calls it not real", "{n} call it not real") if unreal else "",
        )
        return ", ".join(filter(None, texts))
    held, against = finding.holders + (CODE in finding.by), len(finding.disputed_by)
    text = say("no seat holds")
    if held:
        text = say_many(held, "{n} holds", "{n} hold")
    if not against:
        return text
    disputing = say_many(against, "{n} disputes", "{n} dispute")
    return f"{text}, {disputing}"


def runs_line(findings: Sequence[MergedFinding], facts: Mapping[str, str], fresh: int) -> str:
    """Describes what is new in a later run on the same change; empty in the first."""
    run = int(facts.get("run", "1"))
    if run <= 1:
        return ""
    resolved = sum(m.state is FindingState.RESOLVED for m in findings)
    still = sum(m.state is FindingState.OPEN and m.demand is not None for m in findings)
    since = facts.get("since", "")[:7]
    return say(
        "Run {run}, what is new since `{since}`: {resolved} resolved, {still} still "
        "there, {fresh} new.",
        run=run,
        since=since,
        resolved=resolved,
        still=still,
        fresh=fresh,
    )


def deciding(debate: Debate) -> tuple[MergedFinding, ...]:
    """Return the findings on which the decision is based: the findings that must be fixed,
    otherwise all open findings; the gravest first, and of equally grave ones those held by most
    seats.

    In a demonstration the proven ones come first whether they block or not, because only they are
    reliable.
    """
    demo = debate.open.terms.demo
    placed = sorted(
        (m for m in merge_findings(debate) if m.evident),
        key=lambda m: (not (demo and m.proven), -m.wording.severity.rank, -m.holders),
    )
    if not any(m.blocking for m in placed):
        return tuple(m for m in placed if m.state is FindingState.OPEN)
    return tuple(
        m for m in placed if m.blocking or (demo and m.proven and m.state is FindingState.OPEN)
    )
