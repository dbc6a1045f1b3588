"""The wordings by which commit messages name the change that a fault came from, and the share of
right links for each.

The shares come from 302 links that were read one by one. A link is right if it led to a real fault
at the place that blame shows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adapters.evaluation.past import PastCommit

BUG_IN, REGRESSION, TAG, BROKE = "bug in", "regression in", "Fixes:", "X broke"
INTRODUCED, AMENDS, AFTER, REVERTS = "introduced in", "amends", "after, since", "reverts"
WORDINGS: Mapping[str, float | None] = {
    BUG_IN: 1.0,
    REGRESSION: 0.93,
    TAG: 0.76,
    BROKE: 0.74,
    INTRODUCED: 0.63,
    AMENDS: None,
    AFTER: 0.38,
    REVERTS: None,
}
"""The share of right links by wording, None if nobody has counted. The surest is first; a revert is
last, since it shows no place.
"""
_SURENESS = {wording: rank for rank, wording in enumerate(WORDINGS)}


def accuracy(wording: str) -> str:
    """Returns how sure a wording is, in words."""
    if (right := WORDINGS[wording]) is None:
        return "nobody has counted how often this wording is right"
    return f"right in {right:.0%} of the links of this wording that were read"


_REFERENCE = (
    r"(?:(?:commit|pr|pull\s+request|the\s+changes?\s+in|change)\s+)?[`\"'\[(<]*"
    r"(?:https://[\w.-]+/[\w.-]+/[\w.-]+/(?:-/)?(?:pull|commit|merge_requests)/)?@?"
    r"(?:(?P<hash>[0-9a-f]{7,40})\b(?![-.]\d)|"
    r"(?:#|!|gh-|(?<=pull/)|(?<=merge_requests/))(?P<number>\d{1,6})\b)"
)
_GAP = (
    r"(?:\s+(?:was|were|is|been|it|this|a|an|the|bug|issue|when|after|accidentally|inadvertently|by|"
    r"in|from|since|with|due|to|at|via|of|as|part|changes?|through|first)){0,4}\s*:?\s+"
)
_BEFORE = (
    (TAG, r"^\s*(?:fix(?:es|ed)?|mends|repairs):\s+(?=[0-9a-f]{7})"),
    (REGRESSION, (r"\bregress(?:ions?|ed|es|ing)?(?:\s+[\w`'.]+){0,4}?\s+"
                 r"(?:from|in|since|by|of|with|after|due\s+to|to)\s*:?\s+")),
    (INTRODUCED, r"\b(?:introduced|broken|broke|caused|regressed)" + _GAP),
    (BUG_IN, (r"\b(?:bugs?|mistake|error|oversight|typo|crash|breakage|issue|problem)\s+"
             r"(?:in|from|since|of|after|with)\s*:?\s+")),
    (AMENDS, (r"\b(?:amends|fixup\s+(?:of|for|to)|fix\s+for|fixes\s+up|"
             r"fixes\s+(?:bug|regression|issue)\s+(?:in|from|of))\s*:?\s+")),
    (AFTER, (r"\b(?:(?:ever\s+)?since|after|missed\s+in|forgotten\s+in|overlooked\s+in|"
            r"follow[- ]?up\s+(?:to|of|for|on|from))\s*:?\s+")),
    (REVERTS, r"\breverts\s+commit\s+"),
)  # fmt: skip
_LINKS = (
    *(
        (kind, re.compile(before + _REFERENCE, re.IGNORECASE | re.MULTILINE))
        for kind, before in _BEFORE
    ),
    (
        BROKE,
        re.compile(
            rf"(?:^|[.\n(]\s*)(?:{_REFERENCE})[^.\n]{{0,30}}?\s(?:introduced|broke|caused|"
            r"regressed|accidentally|inadvertently|mistakenly|incorrectly|forgot|missed|"
            r"failed\s+to)\b",
            re.IGNORECASE,
        ),
    ),
)
_SQUASHED = re.compile(r"\((?:#|!)(\d+)\)\s*$")
_MERGED = re.compile(
    r"(?:Merge (?:pull request |PR )?(?:[\w.-]+/[\w.-]+)?#(\d+)|Auto merge of #(\d+)|"
    r"(?:bug|feature|minor|security) #(\d+) )"
)
_MERGE_REQUEST = re.compile(r"^See merge request \S*!(\d+)\s*$", re.MULTILINE)
_REVERT = re.compile(r"^\W*revert|this reverts commit", re.IGNORECASE | re.MULTILINE)
_DULL = re.compile(
    r"\b(typos?|spelling|whitespace|indentation|copyright|changelog|clang-format|docs?|"
    r"documentation|comment|docstring|flak[ey]\w*|lint|(?:build|compiler) warning|readme)\b",
    re.IGNORECASE,
)
_TIDY = re.compile(
    r"^\W*(?:\w+(?:\([^)]*\))?: )?(?:remove|refactor|deprecate|simplify|rename|clean|inline|move|"
    r"drop|extract|tidy|chore|unused|add (?:missing )?tests)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FaultLink:
    """``fix`` names ``cause`` as where its fault came from, in the words ``phrase``."""

    wording: str
    cause: PastCommit
    fix: PastCommit
    phrase: str

    @property
    def rank(self) -> int:
        return _SURENESS[self.wording]


class CommitIndex:
    """Commits by their short hashes, and by the pull requests that brought them."""

    def __init__(self, commits: Sequence[PastCommit]) -> None:
        self.commits = commits
        self._short: dict[str, list[PastCommit]] = defaultdict(list)
        self._squashed: dict[str, list[PastCommit]] = defaultdict(list)
        self._merged: dict[str, list[PastCommit]] = defaultdict(list)
        for commit in commits:
            self._short[commit.id[:7]].append(commit)
            if len(commit.parents) == 1 and (one := _SQUASHED.search(commit.subject)):
                self._squashed[one[1]].append(commit)
            if len(commit.parents) == 2 and (number := _pull_of(commit)):
                self._merged[number].append(commit)

    def links(self) -> list[FaultLink]:
        """Returns every pair of a change and what fixes it, the surest wording first, the newest
        fix first within one. A pair is listed once, by its surest wording.
        """
        best: dict[tuple[str, str], FaultLink] = {}
        for commit in self.commits:
            for link in self._links_of(commit):
                key = (link.cause.id, commit.id)
                if key not in best or link.rank < best[key].rank:
                    best[key] = link
        return sorted(best.values(), key=lambda one: (one.rank, one.fix.number))

    def _links_of(self, fix: PastCommit) -> Iterator[FaultLink]:
        if len(fix.parents) != 1:
            return
        reverts = bool(_REVERT.search(fix.message))
        if not reverts and (_DULL.search(fix.subject) or _TIDY.search(fix.subject)):
            return
        for wording, pattern in _LINKS:
            if (wording == REVERTS) is not reverts:
                continue
            for match in pattern.finditer(fix.message):
                cause = self._resolve(match["hash"], match["number"])
                if (
                    cause is not None
                    and cause.number > fix.number
                    and not _REVERT.search(cause.message)
                ):
                    yield FaultLink(wording, cause, fix, " ".join(match[0].split()))

    def _resolve(self, hash: str | None, number: str | None) -> PastCommit | None:
        """Returns the only commit that a reference means; None if it means none or several."""
        if hash:
            commits = [c for c in self._short[hash[:7].lower()] if c.id.startswith(hash.lower())]
            commits = [c for c in commits if len(c.parents) == 1]
        else:
            commits = self._squashed.get(number or "", []) or self._merged.get(number or "", [])
        if len(commits) == 1:
            return commits[0]
        return None


def _pull_of(merge: PastCommit) -> str:
    """Returns the number of the pull request that a merge brought, empty for none."""
    if match := _MERGED.match(merge.subject):
        return next(group for group in match.groups() if group)
    if match := _MERGE_REQUEST.search(merge.body):
        return match[1]
    return ""
