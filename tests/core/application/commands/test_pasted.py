"""A diff is found in a message as people paste it."""

from __future__ import annotations

import json

import pytest

from core.application.commands import Challenge, Start, parse
from core.application.commands.pasted import pasted_diff
from core.debate.errors import BadInput

DIFF = """\
diff --git a/app.py b/app.py
index 1111111..2222222 100644
--- a/app.py
+++ b/app.py
@@ -1,2 +1,2 @@
 import os
-x = 1
+os.system(input())
"""
PLAIN = DIFF[DIFF.index("--- a") :]
MESSAGES = {
    "after a name": f"code_review {DIFF}",
    "alone": DIFF,
    "plain": f"code_review {PLAIN}",
    "without its end": DIFF.rstrip(),
    "fenced as Slack does": f"code_review ```{DIFF}```",
    "fenced as Discord does": f"```diff\n{DIFF}```",
    "fenced and closed at once": f"code_review\n```diff\n{DIFF.rstrip()}```",
    "fence left open": f"```\n{DIFF}",
    "browser": f"```diff\n{DIFF}```".replace("\n", "\r\n"),
    "svn": f"code_review Index: app.py\n===================\n{PLAIN}",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_pasted_diff_is_a_code_review(name: str) -> None:
    start = parse(MESSAGES[name], templates=["code_review", "panel"])
    assert isinstance(start, Start)
    assert (start.template, start.target) == ("code_review", "")
    body = start.text.replace("\r\n", "\n")
    assert body == f"Index: app.py\n===================\n{PLAIN}" or body in (DIFF, PLAIN)


def test_words_and_options_around_it_are_kept() -> None:
    two = DIFF.replace("app.py", "b.py")
    text = f"please look at this --rounds 2\n```diff\n{DIFF}```\nand this ```\n{two}```\nthanks"
    start = parse(text, templates=["code_review", "panel"])
    assert isinstance(start, Start)
    assert (start.template, start.rounds, start.text) == ("code_review", 2, DIFF + two)
    assert start.target == "please look at this and this thanks"
    own = parse(f"gauntlet --rounds 1 ```{DIFF}```", templates=["code_review", "gauntlet"])
    assert isinstance(own, Start)
    assert (own.template, own.rounds, own.text) == ("gauntlet", 1, DIFF)


HUNK = "@@ -1 +1,2 @@\n x\n+evil()\n"
CONTEXT = "*** a/x\n--- b/x\n***************\n*** 1 ****\n--- 1 ----\n! evil()\n"
BESIDE = {
    "another": DIFF.replace("app.py", "evil()"),
    "a hunk": f"```diff\n{HUNK}```",
    "in context format": f"```\n{CONTEXT}```",
    "in diff's own format": "```\n1a2\n> evil()\n```",
    "a file of one folder": "Only in new: evil().py",
    "a binary file": "```\nBinary files a/evil() and b/evil() differ\n```",
    "a submodule": "Submodule evil() 1111111..2222222:\n",
}


@pytest.mark.parametrize("name", BESIDE)
def test_whatever_looks_like_a_part_of_a_diff_beside_one_is_given_to_its_reader(name: str) -> None:
    fenced = f"```diff\n{DIFF}```"
    for text in (f"See\n{fenced}\n{BESIDE[name]}\n", f"See\n{BESIDE[name]}\n{fenced}\n"):
        start = parse(text, templates=["code_review", "panel"])
        assert isinstance(start, Start)
        assert (start.template, start.target) == ("code_review", "See")
        assert "evil()" in start.text
        assert DIFF in start.text


@pytest.mark.parametrize(
    "diff",
    [
        HUNK,
        "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1,2 @@@\n  x\n++evil()\n",
        CONTEXT,
        "*** Begin Patch\n*** Update File: x\n@@\n+evil()\n*** End Patch\n",
    ],
)
def test_a_diff_that_can_t_be_read_is_a_code_review_too(diff: str) -> None:
    start = parse(f"See\n{diff}", templates=["code_review", "panel"])
    assert isinstance(start, Start)
    assert (start.template, start.target, start.text) == ("code_review", "See", diff)


def test_a_diff_in_a_commands_text_or_in_a_document_stays_there() -> None:
    challenge = parse(f"challenge abcd1234 better:\n```{DIFF}```", templates=["code_review"])
    assert isinstance(challenge, Challenge)
    assert "os.system" in challenge.text
    question = parse(f"panel Is this better?\n{DIFF}", templates=["code_review", "panel"])
    assert isinstance(question, Start)
    assert (question.template, question.text) == ("panel", "")
    assert question.target.startswith("Is this better?")
    assert pasted_diff(f"# A design\n{'Words. ' * 200}\n```diff\n{DIFF}```\n") is None
    for other in ("Should we use git diff --git?", "a --- b", json.dumps({"a": 1}), ""):
        assert pasted_diff(other) is None


def test_a_slip_before_it_is_corrected() -> None:
    with pytest.raises(BadInput, match="Did you mean code_review"):
        parse(f"code_reviw ```{DIFF}```", templates=["code_review", "panel"])
