"""The code of a fix keeps its lines in threads, in a terminal, in the report and on the page."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from adapters.discord.outgoing.layout import layout as discord
from adapters.posts.export import markdown
from adapters.posts.finding import finding_post
from adapters.review.text import compose
from adapters.slack.outgoing.layout import layout as slack
from adapters.terminal.layout import plain, thread
from core.debate.verdict.findings import merge_findings
from core.words.views.verdict.findings import finding_view
from tests.core.table import Table, finding, table

OLD, NEW = "-    run(f'select {name}')", "+    run('select ?', (name,))"
CODE = f"{OLD}\n{NEW}"
FIXES = {
    "a diff": f"Bind it:\n```diff\n{CODE}\n```",
    "code of a language": f"Bind it:\n```python\n{CODE}\n```",
    "a fence that was cut": f"Bind it:\n```diff\n{CODE}",
    "words after it": f"```diff\n{CODE}\n```\nBind it:",
}


def _said(fix: str) -> Table:
    raised = finding(quote="run(", fix=fix, trigger="name = x' or '1")
    t = table().says("t1", "request_changes", findings=(raised,))
    return t.says("t2", "approve").says("t3", "approve").concluded()


@pytest.mark.parametrize("fix", FIXES.values(), ids=FIXES)
def test_a_patch_keeps_its_lines_on_every_surface(fix: str) -> None:
    debate = _said(fix).debate
    (merged,) = merge_findings(debate)
    view, post = finding_view(debate, merged), finding_post(debate, merged)
    assert (view.fix, view.patch) == ("Bind it:", CODE)
    assert view.facts[-1] == ("Fix", "Bind it:"), "the code follows"
    assert json.dumps(CODE) in json.dumps([m.blocks for m in slack(post)])
    assert f"```diff\n{CODE}\n```" in discord(post, 1)[0].texts
    out = io.StringIO()
    Console(file=out, width=80).print(thread(post, 1))
    assert f"  Fix: Bind it:\n  {OLD}\n  {NEW}\n" in out.getvalue()
    assert "\n" not in plain(post, 1)
    report = markdown(debate)
    assert report.count(f"```diff\n{CODE}\n```") == 1, "under the finding"
    assert f"  ```diff\n  {OLD}\n  {NEW}\n  ```" in report, "where the decision is told"
    (comment,) = compose(debate).comments or (None,)
    assert comment is None or f"```diff\n{CODE}\n```" in comment.body


def test_a_fix_of_code_alone_says_that_it_is_one() -> None:
    debate = _said(f"```diff\n{CODE}\n```").debate
    (merged,) = merge_findings(debate)
    assert ("Fix", "a patch of 2 lines") in finding_view(debate, merged).facts
