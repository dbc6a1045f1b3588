"""A measurement shows the same change to seats as a debate about its pull request does, and lets
them look into the same repository.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.evaluation.forge import ClonedForge
from adapters.evaluation.manifest import cases_of, read_set
from adapters.evaluation.past import GitHistory
from adapters.templates.catalogue import find
from bot.evaluation.plan import plan
from bot.evaluation.play import Evaluator
from bot.wire.parts import open_parts
from core.debate.ports import Message
from core.debate.prompting.frame import fence, fill
from core.evaluation import Arm, Case
from tests.end_to_end.played import Watched, configured, prompts, typed
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.history import row, written
from tests.standins.repository import Repository

LINK = "https://github.com/ann/shop/pull/7"
PAY = "from rates import rate\n\n\ndef pay(total):\n    left = total\n    return rate(left)\n"
RATES = "def rate(total):\n    return total // FEES[total]\n"


@dataclass(frozen=True)
class Shop:
    """A change of a repository with guidelines and a called function outside the diff."""

    case: Case
    base: str
    files: dict[str, str]


async def shop(folder: Path) -> Shop:
    made = Repository(folder / "shop")
    (made.folder / "CONTRIBUTING.md").write_text("Pay in whole cents.\n")
    made.commit("Begin", pay=PAY, rates=RATES)
    clean = made.commit("Note", other="A = 1\n")
    cause = made.commit(
        "Pay the rest (#7)", "What is left is paid.", pay=PAY.replace("(left)", "(left - 1)")
    )
    fix = made.commit("Pay all", f"Regression in {cause[:10]}.", pay=PAY)
    one = row(made, "ann/shop", 0, (cause, fix, clean)) | {
        "locations": [{"path": "pay.py", "first": 6, "last": 6}]
    }
    given = read_set(str(written(folder / "set.jsonl", [one])))
    clone = made.clone(folder / "clones/ann/shop.git")
    case, _ = await cases_of(given.rows[0], await GitHistory.of(clone))
    files = {name: made.git("show", f"{cause}:{name}") + "\n" for name in ("pay.py", "rates.py")}
    return Shop(case, one["base"], files)


def materials(prompts: Sequence[Sequence[Message]], fence: str) -> set[tuple[str, ...]]:
    """Returns the system and material blocks of the openings' prompts, without the token that each
    debate draws anew.
    """
    opening = fill("task-open").strip()
    opened = [prompt for prompt in prompts if any(opening in m.text for m in prompt)]
    assert opened
    return {tuple(m.text.replace(fence, "FENCE") for m in prompt[:2]) for prompt in opened}


async def test_a_measured_change_reads_as_its_pull_request_does(tmp_path: Path) -> None:
    made = await shop(tmp_path)
    assert made.case.range is not None
    head = made.case.range.commit
    github = GitHubStandIn(trees={head: made.files})
    github.pulls["ann/shop", 7] = Pull(
        made.case.diff, "Pay the rest", "What is left is paid.", heads=[head], base=made.base
    )
    github.contents["ann/shop", made.base, "CONTRIBUTING.md"] = b"Pay in whole cents.\n"
    (tmp_path / "product").mkdir()
    async with github.running():
        played = await typed(tmp_path / "product", github, "code_review", LINK)
    product = materials(played.prompts, played.fence)
    (tmp_path / "eval").mkdir()
    cloned = ClonedForge([made.case])
    runs = plan([made.case], (Arm.DEBATE,), 1, find("code_review"), ("scripted",))
    made_here = configured(tmp_path / "eval", {})
    async with open_parts(made_here, make_models=Watched, forge=cloned.forge) as parts:
        done = await Evaluator(parts, ("scripted",), "shell:ann", cloned.links).play(runs)
        debate = await parts.service.load(done.readings[0].debate)
        measured = materials(prompts(parts), fence(debate))
        looked = await parts.library.look_up(
            debate.open.material, "shell:ann", False, "read", '{"path": "rates.py"}'
        )
    assert not done.readings[0].failed
    assert measured == product
    assert "return total // FEES[total]" in str(looked)
    assert all("Pay in whole cents." in text and "FEES[total]" in text for _, text in measured)
