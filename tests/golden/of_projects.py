"""A review that follows a project's own texts: nested rules, patterns, a guide, decision records,
generated files; what was read of them, and which finding rests on one.
"""

from __future__ import annotations

from adapters.forges.links import ChangeLink
from adapters.forges.port import ForgeChange, Reading
from adapters.material.changes import Collected, Extent, from_reading
from adapters.review.text import compose
from core.debate.prompting import prompt
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.unread import covered
from core.words.views.verdict.coverage import file_line
from core.words.views.verdict.findings import finding_view
from tests.core.table import finding, table

_LINES = {
    "services/pay/charge.py": "price = 19.99",
    "web/cart.ts": "let total = 0.5;",
    "web/api.gen.ts": "export const made = 1;",
    "requirements.txt": "ruff==0.16.0",
}
_FILES = (
    ("AGENTS.md", "Every change has a test."),
    ("services/pay/AGENTS.md", "Money is never a float."),
    ("services/mail/AGENTS.md", "Not for this change."),
    ("web/REVIEW.md", "State lives in the store."),
    (".github/instructions/ts.instructions.md", "---\napplyTo: '**/*.ts'\n---\nNo let at the top."),
    (".gitattributes", "*.gen.ts linguist-generated\n"),
    (
        "CONTRIBUTING.md",
        "# Contributing\n\nWelcome!\n\n## Conduct\n\n"
        + "Be kind. " * 80
        + "\n\n## Reviews\n\nReviewers run the change first.\n",
    ),
    ("docs/adr/0007-money.md", "# 7. Money is integers\n\nStatus: Accepted\n\nPrices are cents."),
    ("docs/adr/0008-old.md", "# 8. Floats\n\n## Status\n\nSuperseded by 7\n"),
)  # fmt: skip


def _review() -> str:
    diff = "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+{line}\n"
        for path, line in _LINES.items()
    )
    link = ChangeLink("github", "github.com", "acme/shop", 7)
    change = ForgeChange(link, "Charge in euros", "", "ann", "8ff173b", "90fee08", "main")
    material = from_reading(Collected(Reading(change, diff.encode()), _FILES), Extent(20_000))
    t = table(material=material)
    findings = [
        finding(title, path=path, line=1, quote=_LINES[path], trigger=trigger, source=source)
        for title, path, trigger, source in (
            ("The price is a float", "services/pay/charge.py", "services/pay/AGENTS.md", ""),
            ("The total is no integer", "web/cart.ts", "Prices are cents.", "record 0007"),
            ("ruff 0.16.0 does not exist", "requirements.txt", "pip install fails", ""),
        )
    ]
    for seat in ("t1", "t2", "t3"):
        t.says(seat, "request_changes", findings=findings)
    debate = t.says("end").concluded().debate
    read = "\n".join(message.text for message in prompt(debate, debate.turns[0]))
    rules = read[read.index("Decision records of the") :].partition("# pull request")[0]
    made = ["[what was read, for people]", *material.notes]
    made += [file_line(file) for file in covered(debate)]
    made += ["", "[what a seat reads of the project]", rules, "", "[the findings]"]
    for one in merge_findings(debate):
        view = finding_view(debate, one)
        made.append(f"{view.heading} ({view.status})")
        made += [f"  {name}: {text}" for name, text in view.facts]
    return "\n".join((*made, "", "[the review]", compose(debate).render()))


TEXTS = {"project-rules.txt": _review}
