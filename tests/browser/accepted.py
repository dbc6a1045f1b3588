"""A debate in Slack as Slack accepted it: the posts go through the real adapter to the stand-in,
which refuses what Slack's schemas and limits refuse, and the messages that it holds are drawn.
"""

from __future__ import annotations

from adapters.ports.chat import Plan, Post, Shape, Task, TaskState
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from adapters.text.pieces import TextSpan
from core.application.desk import Button
from tests.browser.threads import messages_page
from tests.standins.slack import BOT_TOKEN, SlackStandIn

_PLACE = "slack:T1/C1"
_TITLE = "Should the job queue move to PostgreSQL?"
_TABLE = """Three ways, by what our own load test measured:

| Queue | Jobs a second | Survives a crash | New service |
|---|---:|:-:|:-:|
| Redis lists | 41,000 | **no** | yes |
| `SKIP LOCKED` | 5,200 | yes | no |
| RabbitMQ | 22,000 | yes | yes |

We need 300 a second, so the crash decides."""
_SEATS = ("Proposer", "Operations critic", "Cost critic")
_DONE, _THINKS, _WAITS = TaskState.DONE, TaskState.THINKING, TaskState.WAITING


def _plan(at: int, number: int, title: str, *states: TaskState) -> Plan:
    tasks = tuple(Task(n, *each) for n, each in enumerate(zip(_SEATS, states, strict=True), 1))
    return Plan(at, number, f"Round {number} of 2: {title}", "slack:T1/U1", tasks)


def _root(plan: Plan | None, status: str, key: str = "d4k7:root") -> Post:
    fields = (("At the table", ", ".join(_SEATS)),)
    edits = "d4k7:root" if key != "d4k7:root" else ""
    subtitle = (TextSpan(status),)
    return Post(
        *(key, "d4k7", Shape.ROOT, _TITLE),
        subtitle=subtitle,
        fields=fields,
        edits=edits,
        plan=plan,
    )


async def accepted_page() -> str:
    """Returns a thread with a table, a plan of thinking seats and a verdict as a page. Raises
    ``AssertionError`` if the stand-in had a complaint.
    """
    async with SlackStandIn() as slack:
        slack.world.streams = True
        workspaces = Workspaces(SlackSettings(bot_token=BOT_TOKEN, api_url=slack.url))
        await workspaces.open()
        chat = SlackChat(workspaces, pace=0.0)
        ref = await chat.send(_PLACE, None, _root(None, "Starting"))
        one = _plan(2, 1, "Openings", _THINKS, _THINKS, _THINKS)
        await chat.edit(ref, _root(one, "Round 1 of 2: Openings", "d4k7:2:root"))
        spoken = _plan(3, 1, "Openings", _DONE, _DONE, _DONE)
        statement = Post("d4k7:3", "d4k7", Shape.STATEMENT, who=_SEATS[0], body=_TABLE, plan=spoken)
        await chat.send(_PLACE, ref.thread, statement)
        two = _plan(4, 2, "Cross-examination", _DONE, _THINKS, _WAITS)
        await chat.edit(ref, _root(two, "Round 2 of 2: Cross-examination", "d4k7:4:root"))
        buttons = (
            Button("challenge", "Challenge", "d4k7", form=True),
            Button("useful", "Useful", "d4k7:yes"),
            Button("useful", "Not useful", "d4k7:no"),
        )
        verdict = Post(
            "d4k7:verdict", "d4k7", Shape.VERDICT, title="Yes: move it, with SKIP LOCKED",
            fields=(("Because", "5,200 jobs a second are enough and nothing is lost in a crash."),),
            buttons=buttons,
        )  # fmt: skip
        await chat.send(_PLACE, ref.thread, verdict)
        await workspaces.close()
        assert slack.complaints == []
        return messages_page(slack.thread(ref.thread))
