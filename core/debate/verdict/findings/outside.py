"""Recognises findings about the outside world (a version, model, package, action or API that does
not exist, is invalid or deprecated) and finds the source that shows it.

What a model knows ends before the change was written, so that everything newer looks invented to
it. Such a finding counts with a source only: a line of a page, of a look-up or of the repository
that a seat quotes. Without one it is from memory. A seat itself names the basis of its finding
(``Finding.source``); the patterns are for seats that do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.debate.finding import Finding
from core.debate.material import flat
from core.debate.state import Debate, once_for

_NUMBER = r"v?\d++(?:\.\d++)++(?:\.x|[-+.]?(?:rc|a|b|alpha|beta|dev|post|preview)[\w.]*)?"
_CODE = r"[`'\"“‘][^`'\"”’\n]{1,80}[`'\"”’]"
_REGISTRY = (
    r"PyPI|npm(?:js)?|crates\.io|RubyGems|Maven(?:\s+Central)?|NuGet|Docker\s*Hub|Packagist"
    r"|Hugging\s?Face|GHCR|pkg\.go\.dev|(?:the\s+)?(?:public\s+)?(?:package\s+)?registry"
    r"|(?:the\s+)?(?:GitHub\s+)?Marketplace"
)
_OWN = (
    r"(?:an?|the|this|that|our|its|old|new|version|APIs?|endpoints?|routes?|schemas?|protocols?"
    r"|formats?|events?|messages?|contracts?|payloads?|migrations?)"
)
"""Words before a bare "v1" with which a project names a version that it makes itself."""
_NAMED = (  # recognised wherever it is named
    rf"[`'\"]?[\w.@/-]{{0,60}}\w\s?(?:[=~^]=|@)\s?[\^~]?v?\d[\w.-]*[`'\"]?"  # a pinned version
    rf"|[`'\"]?(?:[\w.+#-]{{1,60}}\s+)?{_NUMBER}[`'\"]?|(?!{_OWN}\s)[\w.+#-]{{1,60}}\s+v\d+"
    r"|(?:version|release|tag|Python|Node(?:\.js)?|Java|JDK|Go|Rust|Ruby|PHP|Ubuntu|Debian|Xcode"
    r"|PostgreSQL|Postgres|Kubernetes|Terraform|TypeScript)\s+[`'\"]?v?\d[\w.-]*[`'\"]?"
    r"|[`'\"]?(?:[\w-]{1,40}/){0,3}(?:gpt|claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok|phi"
    r"|codestral|kimi|glm|sonnet|opus|haiku)[-\s]?v?\d[\w.:-]*[`'\"]?"
    r"|[`'\"]?(?:[\w-]{1,40}/){0,3}(?:gpt|claude|gemini|llama|mistral|qwen|deepseek|grok)-[\w.:-]+[`'\"]?"
    rf"|{_REGISTRY}|(?:the\s+)?(?:standard\s+library|stdlib)"
)
_NOUN = (  # recognised if the finding is about a line that pins or names something outside
    r"versions?|releases?|tags?|models?(?:\s+(?:id|name)s?)?|packages?|dependenc(?:y|ies)"
    r"|librar(?:y|ies)|crates?|gems?|actions?|images?|runners?|plugins?|APIs?|SDKs?|pins?"
)
_NOT = r"(?:\s+not|n[’']t)"
_DENIED = (
    rf"(?:does|do|did|will|is|are){_NOT}\s+(?:\w+\s+){{0,2}}?exist\w*|non-?\s?existent"
    r"|no\s+such|no\s+longer\s+(?:exists?|available|maintained|published|supported)"
    rf"|(?:is|are|was|were){_NOT}\s+(?:(?:yet|even|actually|currently|been|an?|any)\s+){{0,3}}"
    r"(?:real|released|published|available|valid|known|recogni[sz]ed|supported|out|listed|shipped"
    r"|on|in|part\s+of)"
    rf"|(?:has|have){_NOT}\s+(?:yet\s+)?(?:been\s+)?(?:released|published|shipped)"
    r"|(?:never|not\s+yet)\s+(?:been\s+|was\s+)?(?:released|published|existed|shipped|available)"
    r"|unreleased|unpublished|hallucinated|fictional|fictitious|made[- ]up|imaginary|bogus|invented"
    r"|no\s+matching|fails?\s+to\s+(?:install|resolve|download|pull)|install(?:ation|ing)?\s+"
    r"(?:will\s+)?fails?"
    r"|invalid|unknown|unrecogni[sz]ed|unsupported"
    r"|(?:cannot|can\s?not|can[’']t|could\s+not|couldn[’']t)\s+be\s+(?:found|resolved|installed"
    r"|pulled)|(?:is\s+|was\s+)?not\s+(?:found|available|published|listed|released)"
    r"|(?:is|are|was|were|been|now)\s+(?:(?!not\b)\w+\s+)?(?:deprecated|retired|discontinued|sunset"
    r"|yanked"
    r"|unmaintained|obsolete|abandoned|archived|removed|withdrawn)"
    r"|deprecated|end[- ]of[- ]life|EOL"
)
_LACKED = r"there(?:\s+is|['’]s|\s+are)\s+no|has\s+no|have\s+no"
"""Only before the thing: that an image has no user, or an action no permissions, is a defect."""
_BETWEEN = (
    rf"(?:[\s,:(]+(?:{_CODE}|(?:of|for|on)\s+[\w.@/+-]{{1,60}}|of|on|in|for|from|since|as|the|an?|this"
    r"|that|which|yet|is|to|by|with|simply|currently|also|apparently|such|called|named|pinned|here"
    rf"|used|requested|given|specified|id|name|method|function|number|{_NOUN}))"
)
_LATEST = (
    r"\b(?:latest|newest|current|most\s+recent)\s+(?:\w+\s+){0,2}(?:version|release|stable|model)\b"
)
_MANIFEST = re.compile(
    r"(?:^|/)(?:requirements[^/]*\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|package\.json"
    r"|Cargo\.toml|go\.mod|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|[^/]*\.csproj"
    r"|[^/]*\.lock|Dockerfile[^/]*|(?:docker-)?compose[^/]*\.ya?ml|\.pre-commit-config\.yaml"
    r"|\.tool-versions|mise\.toml|Chart\.yaml|[^/]*\.tf)$|^\.github/(?:workflows|actions)/"
    r"|^\.gitlab-ci",
    re.IGNORECASE,
)


def _pattern(thing: str) -> re.Pattern[str]:
    near = rf"{_BETWEEN}{{0,5}}[\s,:(]+"
    return re.compile(
        rf"(?<![\w.])(?:{thing})[)]?{near}(?:{_DENIED})\b|\b(?:{_DENIED}|{_LACKED}){near}(?:{thing})(?!\w)",
        re.IGNORECASE,
    )


_ANYWHERE, _AT_A_PIN = _pattern(_NAMED), _pattern(f"{_NAMED}|{_NOUN}")
_NEWEST = re.compile(_LATEST, re.IGNORECASE)
_PINS = re.compile(rf"(?:{_NAMED})", re.IGNORECASE)
_CHANGED = re.compile(
    r"\b(?:is|are|was|were|gets?|being)\s+(?:removed|withdrawn)\s+(?:here|in\s+this|by\s+th(?:is|e)"
    r"\s+(?:change|commit|diff|PR)|without|while|but|although|though|before|yet)\b",
    re.IGNORECASE,
)
"""A sentence about what the change itself removes."""
_SENTENCES = re.compile(r"(?<=[.;!?])\s+|\n")
_MEMORY = re.compile(r"\W*(?:from\s+)?memory\W*", re.IGNORECASE)
_LIMIT = re.compile(
    rf"{_DENIED}|{_LATEST}|[<!]=?|\b(?:only|up\s+to|at\s+most|supported|until|maximum)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w(?:[\w.-]*\w)?")
_GENERIC = frozenset(_WORD.findall(
    "a an and are be by does exist for from has in is it latest model no not of on or package "
    "release tag that the this to uses version was with action image name id new old invalid"
))  # fmt: skip
_PHRASE = 3
"""The words from which a line of the repository says more than a name with its version."""


@lru_cache(maxsize=512)  # a debate asks about the same findings after each event
def speaks_of_outside(finding: Finding) -> bool:
    """Return whether the finding claims that something outside the repository does not exist, is
    invalid or deprecated, or its seat names memory as its source.
    """
    if _MEMORY.fullmatch(finding.source):
        return True
    at_a_pin = _MANIFEST.search(finding.path) or _PINS.search(finding.quote)
    pattern = _AT_A_PIN if at_a_pin else _ANYWHERE
    texts = (finding.title, finding.trigger)
    sentences = [x for t in texts for x in _SENTENCES.split(t) if not _CHANGED.search(x)]
    return any(
        pattern.search(one) or (_NEWEST.search(one) and _PINS.search(one)) for one in sentences
    )


def source_of(debate: Debate, wordings: Sequence[Finding], quotes: Iterable[str]) -> str:
    """Returns the quotation that shows what wordings of a finding say of the outside world: their
    own sources and the ``quotes`` of answers, as far as they are on a page, in a look-up, or in the
    repository; "" for none.
    """
    given = (f.source for f in wordings if not _MEMORY.fullmatch(f.source))
    names = _subject(wordings)
    return next((q for q in (*given, *quotes) if _is_shown(debate, q, names)), "")


def _subject(findings: Sequence[Finding]) -> frozenset[str]:
    """Returns the names of what the findings are about, as they and their lines write them."""
    claimed = _words(" ".join(f"{f.title} {f.trigger}" for f in findings))
    quoted = _words(" ".join(f.quote for f in findings))
    return claimed & quoted or quoted or claimed


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _GENERIC


def _is_shown(debate: Debate, quote: str, names: frozenset[str]) -> bool:
    wanted = flat(quote).casefold()
    if len(wanted) < 3:
        return False
    pages, texts, added = _sources(debate)
    if any(wanted in page and names & _words(page) for page in pages):
        return True
    says_more = len(_WORD.findall(wanted)) >= _PHRASE or _LIMIT.search(wanted)
    if not says_more or any(wanted in line for line in added):
        return False
    return any(wanted in text and names & _words(text) for text in texts)


@once_for("opened", "finished")
def _sources(debate: Debate) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Returns the pages that seats read; what they were shown of the repository; and the lines that
    the change adds, which show nothing about themselves.
    """
    material = debate.open.material
    read = [source for _, statement in debate.statements() for source in statement.sources]
    pages = (f"{s.title}\n{s.url}\n{s.text}" for s in read if not s.repository)
    lines = [line for hunk in material.hunks for line in hunk.lines]
    texts = (
        *(f"{s.title}\n{s.text}" for s in read if s.repository),
        *("\n".join(piece.lines) for piece in material.around),
        *(line.text for line in lines if line.mark == " "),
        material.guidelines,
    )
    added = (line.text for line in lines if line.mark == "+")
    return _all_flat(pages), _all_flat(texts), _all_flat(added)


def _all_flat(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for text in texts if (line := flat(text).casefold()))
