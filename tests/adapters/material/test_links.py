"""Links are judged by their shape alone."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.forges.links import (
    ChangeLink,
    ForgeKind,
    ForgeLinks,
    parse_change,
    parse_repo,
    unwrapped,
)
from core.debate.errors import BadInput

HOSTS: dict[str, ForgeKind] = {
    "github.com": "github",
    "lab.example:8443": "gitlab",
    "gitlab.com": "gitlab",
    "ghe.example.com": "github",
    "acme.example": ForgeLinks("acme", "Acme", "/{repo}/pull/{number}"),
}

ACME = ForgeLinks("acme", "Acme", "/{repo}/pull/{number}")
PLUGGED: dict[str, ForgeKind] = {"github.com": ACME, "gitlab.com": "gitlab"}
"""A plugin's forge whose links look the same: it is given no more than ours is."""
REFUSED = [
    "http://github.com/o/r/pull/1", "ftp://github.com/o/r/pull/1", "file:///etc/passwd",
    "javascript://github.com/o/r/pull/1", "//github.com/o/r/pull/1", "github.com/o/r/pull/1",
    "https://user@github.com/o/r/pull/1", "https://user:pw@github.com/o/r/pull/1",
    "https://github.com@evil.example/o/r/pull/1", "https://github.com:8443/o/r/pull/1",
    "https://github.com:443/o/r/pull/1", "https://github.com.evil.example/o/r/pull/1",
    "https://evilgithub.com/o/r/pull/1", "https://github.com./o/r/pull/1",
    "https://140.82.121.3/o/r/pull/1", "https://[2606:50c0::1]/o/r/pull/1",
    "https://2356312323/o/r/pull/1",
    "https://gіthub.com/o/r/pull/1",  # a Cyrillic і
    "https://github。com/o/r/pull/1", "https://GitHub.com/o/r/pull/1",
    "https://xn--gthub-cva.com/o/r/pull/1", "https://github.com/o%2Fr/x/pull/1",
    "https://github.com/o/r%2f..%2fx/pull/1", "https://github.com/../r/pull/1",
    "https://github.com/o/../pull/1", "https://github.com/o/..%2f/pull/1",
    "https://github.com/o/r/pull/1/../../../x/y/pull/2", "https://github.com/o/r/pull/0",
    "https://github.com/o/r/pull/01", "https://github.com/o/r/pull/-1",
    "https://github.com/o/r/pull/99999999999", "https://github.com/o/r/pull/1a",
    "https://github.com/o/r/pull/١", "https://github.com/o/r/pull/", "https://github.com/o/r/pull",
    "https://github.com/o/r/pulls/1", "https://github.com/o/r/issues/1",
    "https://github.com/o/r/commit/8ff173b", "https://github.com/o/r/compare/main...x",
    "https://github.com/o/r", "https://github.com/o/r/pull/1\x00",
    "https://github.com/o/r/pull/1\nHost: evil.example",
    "https://github.com/o/r/pull/1 https://github.com/o/r/pull/2",
    "https://github.com\\@evil.example/o/r/pull/1", "https:\\\\github.com\\o\\r\\pull\\1",
    "https://github.com/-o/r/pull/1", "https://github.com/" + "o" * 40 + "/r/pull/1",
    "https://github.com/o/" + "r" * 600 + "/pull/1", "https://bitbucket.org/o/r/pull-requests/1",
    "https://gitlab.com/group/repo/merge_requests/1", "https://gitlab.com/repo/-/merge_requests/1",
    "https://gitlab.com/group/../repo/-/merge_requests/1",
    "https://gitlab.com/group/repo/-/issues/1",
    "<https://evil.example/o/r/pull/1|https://github.com/o/r/pull/1>", "", "hello",
]  # fmt: skip


def test_refused() -> None:
    for link, hosts in product(REFUSED, (HOSTS, PLUGGED)):
        with pytest.raises(BadInput) as refusal:
            parse_change(link, hosts)
        text = str(refusal.value)
        assert "is not a supported link" in text or "is not one" in text, link
        assert "\n" not in text
        assert "\x00" not in text


PULL = "https://github.com/o/r/pull/1"
ACCEPTED: dict[str, tuple[ForgeKind, str, str, int]] = {
    "https://github.com/psf/requests/pull/6767": ("github", "github.com", "psf/requests", 6767),
    "  https://github.com/o/r.git_x-1/pull/1/ ": ("github", "github.com", "o/r.git_x-1", 1),
    **dict.fromkeys(
        (
            f"<{PULL}>", f"<{PULL}|o/r#1>", f"{PULL}/files", f"{PULL}/changes#diff-5e",
            f"{PULL}/commits/8ff173b", f"{PULL}?w=1&to=https://evil.example/",
        ),
        ("github", "github.com", "o/r", 1),
    ),
    "https://github.com/ann_acme/shop/pull/1": ("github", "github.com", "ann_acme/shop", 1),
    "https://lab.example:8443/g/p/-/merge_requests/7": ("gitlab", "lab.example:8443", "g/p", 7),
    "https://ghe.example.com/o/r/pull/1": ("github", "ghe.example.com", "o/r", 1),
    "https://acme.example/o/r/pull/1/x?y": (ACME, "acme.example", "o/r", 1),
    "https://gitlab.com/a/b/c/-/merge_requests/7/diffs": ("gitlab", "gitlab.com", "a/b/c", 7),
}  # fmt: skip


@pytest.mark.parametrize("link", ACCEPTED)
def test_accepted_and_reduced_to_its_parts(link: str) -> None:
    parsed = parse_change(link, HOSTS)
    assert parsed == ChangeLink(*ACCEPTED[link])
    assert parse_change(parsed.url, HOSTS) == parsed


@given(st.text(max_size=80))
def test_any_text_is_parsed_or_refused_with_one_line(text: str) -> None:
    for link in (text, f"https://github.com/{text}", f"https://github.com/o/r/pull/1{text}"):
        parsed, refusal = _judged(link)
        if parsed is None:
            assert refusal
            assert "\n" not in refusal
        else:
            assert parsed.host == "github.com"
            assert parsed.url == f"https://github.com/{parsed.repo}/pull/{parsed.number}"


def _judged(link: str) -> tuple[ChangeLink | None, str]:
    try:
        return parse_change(link, HOSTS), ""
    except BadInput as refusal:
        return None, str(refusal)


def test_repositories() -> None:
    assert parse_repo(" psf/requests ") == "psf/requests"
    for wrong in ("psf", "psf/requests/x", "../x", "psf/..", "psf/.", "a b/c", "psf/re\nq", ""):
        with pytest.raises(BadInput):
            parse_repo(wrong)


def test_only_a_whole_wrapped_link_is_unwrapped() -> None:
    assert unwrapped("<https://x.example/a|label>") == "https://x.example/a"
    assert unwrapped("see <https://x.example/a>") == "see <https://x.example/a>"
