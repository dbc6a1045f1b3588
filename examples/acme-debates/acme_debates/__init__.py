import json
from collections.abc import Mapping, Sequence
from random import Random

from debatebot.plugins import (
    AskModel,
    ChatPlatform,
    Draft,
    Forge,
    Format,
    Material,
    Plan,
    Prompt,
    Scan,
    Script,
    Template,
    brief,
    hookimpl,
)

from acme_debates.chat import CHAT
from acme_debates.forge import FORGE


async def house(prompt: Prompt) -> Mapping[str, object]:
    """A model: answers with the fields that ``prompt.schema`` names, or with text."""
    wanted = prompt.schema.get("properties", {})
    stance = {"option": "request_changes", "confidence": 0.8, "because": prompt.role}
    fields = {
        "text": "It never stops.",
        "stance": stance,
        "claims": [],
        "findings": [],
        "answers": [],
        "sections": {"summary": "It never stops."},
        "actions": [],
        "scores": dict.fromkeys(wanted.get("scores", {}).get("properties", {}), 0.5),
    }
    return {name: value for name, value in fields.items() if name in wanted}


def duel(template: Template, plan: Plan, rng: Random) -> Script:
    """A format: the first two roles open at once, then answer each other."""
    draft = Draft("duel", rng)
    seats = [draft.seat(role.name, text=brief(role)) for role in template.roles[:2]]
    draft.round("Openings", "openings", "Say what you hold, and why.")
    for seat in seats:
        draft.say(seat, "open", independent=True)
    for number in range(2, plan.rounds_or(template.max_rounds) + 1):
        draft.round(f"Exchange {number - 1}", "exchange", "Answer what was said.")
        heard = draft.turn_ids
        for seat in seats:
            draft.say(seat, "debate", heard)
    draft.close(template, plan)
    return draft.script()


TEMPLATE = """
id = "acme_duel"
name = "Duel"
description = "Two engineers over one change."
format = "duel"
material = "diff"
max_rounds = 2
ballot = ["approve", "request_changes"]
output_format = "# Duel\\n\\n{summary}\\n"

[[roles]]
name = "author"
description = "Wants it merged"

[[roles]]
name = "reviewer"
description = "Has to live with it"
"""


async def lint(change: Material) -> str:
    """A scanner: SARIF on the lines of a change, as ``--evidence acme-lint`` asks for it."""
    places = [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": hunk.path},
                "region": {"startLine": line.new},
            }
        }
        for hunk in change.hunks
        for line in hunk.lines
        if line.mark == "+" and "sleep" in line.text
    ]
    results = [
        {"ruleId": "no-sleep", "message": {"text": "Sleeps."}, "locations": [place]}
        for place in places
    ]
    return json.dumps(
        {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "acme"}}, "results": results}]}
    )


@hookimpl
def register_models() -> Mapping[str, AskModel]:
    return {"acme-house": house}


@hookimpl
def register_formats() -> Sequence[Format]:
    return [Format("duel", "two seats that answer each other", duel)]


@hookimpl
def register_templates() -> Sequence[str]:
    return [TEMPLATE]


@hookimpl
def register_scanners() -> Mapping[str, Scan]:
    return {"acme-lint": lint}


@hookimpl
def register_forges() -> Sequence[Forge]:
    return [FORGE]


@hookimpl
def register_chats() -> Sequence[ChatPlatform]:
    return [CHAT]
