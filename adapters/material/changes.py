"""Turns changed files into a ``Material``: the one place that composes what seats read of a
change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adapters.diffs.patches import Parsed, parse, parse_patches
from adapters.diffs.reading_order import candidates, rank
from adapters.forges import refusals
from adapters.forges.links import name_of
from adapters.forges.port import Earlier, ForgeChange, Reading
from adapters.material.account import counted, coverage_notes, nothing_readable
from adapters.material.prose import seen_by_readers
from adapters.material.proven import proven_findings
from adapters.redaction.texts import Cleaned, cleaned, one_line
from adapters.repository.project_rules import excluded_by
from adapters.repository.project_texts import ProjectTexts, project_texts
from core.debate.errors import NothingNew
from core.debate.ledger import Demand, Fate
from core.debate.material import (
    NAMELESS,
    ChangeState,
    Coverage,
    LineRange,
    Material,
    MaterialKind,
    Read,
)
from core.debate.material.coverage import FittedMaterial, tokens_in
from core.debate.material.escaping import show_path, without_zero_width
from core.debate.material.parts import fit_in_parts
from core.debate.material.since import UNCHANGED, BranchMove, followed, fresh_lines, new_parts
from core.debate.stored import stored
from core.words.views.language.grammar import plural

PIPED = "standard input"
"""The name of a diff that was piped in."""

# of the budget, for the description with its linked issues, and as much for the guidelines
_BODY_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything that was read of a pull request; only the diff is parsed already.

    ``guidelines`` are (path, text) of the project's rule files and ``.gitattributes``, ``issues``
    (number, title, text); ``archive`` is the repository at the head, as packed bytes.
    """

    reading: Reading
    guidelines: Sequence[tuple[str, str]] = ()
    issues: Sequence[tuple[int, str, str]] = ()
    earlier: Earlier | None = None
    archive: bytes | None = None


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a change is read: what is below ``folder``, without the files that the operator's
    patterns ``not_reviewed`` name. What is too large for ``budget`` tokens is laid into at most
    ``parts``.
    """

    budget: int
    folder: str = ""
    parts: int = 1
    not_reviewed: tuple[str, ...] = ()


def from_reading(collected: Collected, extent: Extent) -> Material:
    """Returns a pull request as material; if it was debated before, only its part that is new since
    then. Raises ``BadInput`` if it changes no text, or if nothing of it fits.
    """
    reading, earlier = collected.reading, collected.earlier
    change, short = reading.change, reading.change.link.short
    parsed, demands, fresh = _compared(_parsed(reading), change, earlier)
    title = one_line(without_zero_width(change.title))
    description, hidden = _description(change, collected.issues)
    material = _changed_files(
        parsed,
        extent,
        Material(
            kind=MaterialKind.PULL_REQUEST,
            title=f"{short} {title.text}".strip(),
            text="",
            source=change.link.url,
            revision=change.head,
            notes=(*_state_notes(change), *reading.notes),
            redacted=title.secrets,
            private=change.private,
            author=one_line(change.author).text,
            base=change.base,
            demands=demands,
            fresh=fresh,
            facts=_facts(change, hidden, earlier),
        ),
        description,
        short,
        collected.guidelines,
    )
    if reading.complete:
        return material
    rest = Coverage(
        "further files", Read.LEFT_OUT, stored("the forge does not list them"), unread=True
    )
    return replace(material, coverage=(*material.coverage, rest))


def _compared(
    whole: Parsed, change: ForgeChange, earlier: Earlier | None
) -> tuple[Parsed, tuple[Demand, ...], tuple[LineRange, ...] | None]:
    """Returns what is read of a change, its ledger, and the lines that changed since the run before
    (None: not known, or there was none).
    """
    if earlier is None:
        return whole, (), None
    if earlier.reading is None or earlier.move is None:
        return whole, followed(earlier.since.demands, None, whole.files), None
    before = _parsed(earlier.reading)
    demands = followed(earlier.since.demands, before.files, whole.files)
    fresh = fresh_lines(before.files, whole.files)
    retargeted = earlier.move is BranchMove.BASE_CHANGE
    if earlier.since.head == change.head and not retargeted:  # people asked for it once more
        return whole, demands, fresh
    return _news(before, whole, demands, earlier.move, change.link.short), demands, fresh


def fates_between(reading: Reading, earlier: Earlier) -> tuple[Demand, ...]:
    """Returns the demands of earlier reviews with what became of their lines since."""
    before = None
    if earlier.reading is not None:
        before = _parsed(earlier.reading).files
    return followed(earlier.since.demands, before, _parsed(reading).files)


def _description(change: ForgeChange, issues: Sequence[tuple[int, str, str]]) -> tuple[str, int]:
    """Returns the author's description with the linked issues, and the number of hidden comments in
    it.
    """
    description, hidden = seen_by_readers(change.body)
    for number, name, text in issues:
        words, comments = seen_by_readers(text)
        hidden += comments
        heading = " ".join(without_zero_width(name).split())
        description += f"\n\nLinked issue #{number}: {heading}\n{words[:2000]}"
    return description, hidden


def _parsed(reading: Reading) -> Parsed:
    if reading.diff is None:
        return parse_patches(reading.patches)
    return parse(reading.diff)


def _news(
    before: Parsed, now: Parsed, demands: Sequence[Demand], move: BranchMove, short: str
) -> Parsed:
    """Returns the part of a change that is new since the earlier run.

    Raises ``NothingNew`` if nothing is, and no demand needs a new look.
    """
    files = new_parts(before.files, now.files)
    here = {(file.path, x.new) for file in files for hunk in file.hunks for x in hunk.lines}
    moved = any(
        demand.listed and demand.fate in (Fate.CHANGED, Fate.REPLACED, Fate.GONE)
        for demand in demands
    )
    if not any(file.hunks or file.problem for file in files) and not moved:
        raise NothingNew(f"{short} has the same changes as before ({_MOVED[move]}), so {UNCHANGED}")
    if not any(file.hunks for file in files):
        return now  # only lines were taken back: what is left is read in their light
    return Parsed(
        files,
        tuple(one for one in now.secrets if (one.path, one.line) in here),
        tuple(one for one in now.unseen if (one.path, one.line) in here),
        now.redacted,
    )


_MOVED = {
    BranchMove.PUSH: "new commits that change nothing here",
    BranchMove.MERGE: "the base was merged into it",
    BranchMove.REBASE: "it was rebased",
    BranchMove.FORCE_PUSH: "its history was rewritten",
    BranchMove.BASE_CHANGE: "it goes into another branch now",
}


def from_diff(
    parsed: Parsed,
    data: bytes,
    name: str,
    extent: Extent,
    *,
    source: str,
    title: str = "",
    revision: str = "",
    guidelines: Sequence[tuple[str, str]] = (),
) -> Material:
    """Returns a diff that came without a forge. ``revision`` is the digest of ``data`` if nothing
    better is known; ``guidelines`` as in ``Collected``.

    Its messages (of a mail, of a log) give the title, unless ``title`` does, and the description; a
    diff that came without a name is titled by its files.
    """
    subject, described = _told_by(parsed.messages, parsed.changes)
    if not subject and name in (PIPED, NAMELESS):
        subject = _files_named(parsed)
    line = one_line(title or subject or name)
    blank = Material(
        kind=MaterialKind.DIFF,
        title=line.text,
        text="",
        source=source,
        revision=revision or "sha256:" + hashlib.sha256(data).hexdigest(),
        redacted=line.secrets,
    )
    return _changed_files(parsed, extent, blank, described, show_path(name), guidelines)


def _told_by(messages: Sequence[tuple[str, str]], changes: int) -> tuple[str, str]:
    """Returns the title and the description that the messages of a series give together."""
    if len(messages) < 2:
        if messages:
            return messages[0]
        return ("", "")
    subjects = [subject for subject, _ in messages if subject]
    texts = (
        "\n\n".join(filter(None, (f"{n}. {subject}".strip(), text)))
        for n, (subject, text) in enumerate(messages, 1)
    )
    title = ""
    if subjects:
        title = f"{plural(changes, 'change')}: {'; '.join(subjects)}"
    return title, "\n\n".join(texts)


def _files_named(parsed: Parsed) -> str:
    """Names the file that is read first, and counts the others; "" if there is none."""
    paths = sorted((file.path for file in parsed.files), key=rank)
    if len(paths) < 2:
        return "".join(paths)
    return f"{paths[0]} and {plural(len(paths) - 1, 'more file')}"


def _changed_files(
    parsed: Parsed,
    extent: Extent,
    blank: Material,
    description: str,
    short: str,
    guidelines: Sequence[tuple[str, str]],
) -> Material:
    """Returns the material with what seats read of a change: its description, the project's texts
    that apply to it, and its files. Raises ``BadInput`` if there is no text, or none that fits.
    """
    share = int(extent.budget * _BODY_SHARE)
    body = cleaned(description, share)
    project = project_texts(guidelines, [file.path for file in parsed.files], share)
    budget = extent.budget - tokens_in(blank.title) - tokens_in(body.text) - project.tokens
    excluded = excluded_by(guidelines, extent.not_reviewed)
    offered = candidates(parsed.files, extent.folder, excluded)
    if not any(file.hunks or file.problem for file in parsed.files):
        raise refusals.nothing_to_debate(short, counted(parsed.files))
    fitted = fit_in_parts(offered, budget, extent.parts)
    if not fitted.hunks:
        raise nothing_readable(offered, short, budget)
    facts = dict(blank.facts)
    if project.names:
        facts["guidelines"] = ", ".join(project.names)
    facts["files"] = str(len(fitted.coverage))
    facts["lines"] = str(sum(file.added + file.removed for file in parsed.files))
    return replace(
        blank,
        text=fitted.text,
        body=body.text,
        guidelines=project.rules,
        records=project.records,
        parts=fitted.parts,
        hunks=fitted.hunks,
        coverage=fitted.coverage,
        proven=proven_findings(_inside(parsed, extent.folder)),
        notes=(*blank.notes, *_notes(body, project, parsed, fitted)),
        redacted=blank.redacted + body.secrets + project.secrets + parsed.redacted,
        facts=facts,
    )


def _notes(
    body: Cleaned, project: ProjectTexts, parsed: Parsed, fitted: FittedMaterial
) -> Iterator[str]:
    """Yields the sentences for people about what was read."""
    if body.cut:
        yield stored("The description was too long and shortened.")
    yield from project.notes
    if parsed.changes > 1:
        yield stored("A series of {count} changes, read at its end state.", count=parsed.changes)
    if fitted.parts:
        yield stored(
            "Too large for one reading: every seat that opens reads it in {parts} parts first.",
            parts=len(fitted.parts),
        )
    yield from coverage_notes(fitted.coverage)


def _inside(parsed: Parsed, folder: str) -> Parsed:
    """Returns the files below the folder that was asked for."""
    if not folder:
        return parsed
    return Parsed(
        tuple(file for file in parsed.files if file.path.startswith(folder)),
        tuple(secret for secret in parsed.secrets if secret.path.startswith(folder)),
        tuple(unseen for unseen in parsed.unseen if unseen.path.startswith(folder)),
        parsed.redacted,
    )


def _state_notes(change: ForgeChange) -> list[str]:
    short = change.link.short
    if change.state != ChangeState.OPEN and change.ended:
        return [
            stored(
                "{change} was {why_state} on {why_day}: this is a post-mortem, and nothing is "
                "posted back to it.",
                change=short,
                why_state=change.state,
                why_day=f"{change.ended.day} {change.ended:%b %Y}",
            )
        ]
    if change.state != ChangeState.OPEN:
        return [
            stored(
                "{change} was {why_state}: this is a post-mortem, and nothing is posted back to "
                "it.",
                change=short,
                why_state=change.state,
            )
        ]
    if change.draft:
        return [stored("{change} is a draft.", change=short)]
    return []


def _facts(change: ForgeChange, hidden: int, earlier: Earlier | None) -> dict[str, str]:
    facts = {
        "forge": name_of(change.link.forge),
        "host": change.link.host,
        "repo": change.link.repo,
        "number": str(change.link.number),
        "state": change.state,
        "head": change.head,
        "base_branch": one_line(change.base_branch).text,
    }
    if earlier is not None:
        since = earlier.since
        facts |= {"run": str(since.run), "since": since.head}
        if earlier.move is not None:
            facts["moved"] = earlier.move.value
    if hidden:
        facts["hidden_comments"] = str(
            hidden
        )  # HTML comments of description and issues, which no reader sees and no seat gets
    return facts
