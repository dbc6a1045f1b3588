"""All names in spans: those of OpenTelemetry's conventions for generative AI, which are still in
development there, and our own. No other module writes one, so a changed convention is a change
here. No name is for content, which is never traced.
"""

from __future__ import annotations

TRACER = "debatebot"

TAKE, POST, WRITE = "debatebot.take", "debatebot.post", "debatebot.write"
"""Spans of a request that is stored, of a message that goes into a chat, and of a text that goes to
a forge.
"""
WORKFLOW, AGENT, CHAT, TOOL = "invoke_workflow", "invoke_agent", "chat", "execute_tool"
"""Operations of the conventions: a debate that is played on, a seat's turn, a call of a model, a
look-up.
"""

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
ASKED_MODEL = "gen_ai.request.model"
ANSWERED_MODEL = "gen_ai.response.model"
ANSWER_ID = "gen_ai.response.id"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
TOOL_NAME = "gen_ai.tool.name"
ERROR = "error.type"

COST = "debatebot.cost_usd"
STATUS = "debatebot.status"
TEMPLATE = "debatebot.template"
PLACE = "debatebot.platform"
TURN = "debatebot.turn"
ROUND = "debatebot.round"
