"""Describes a seat's answer to another seat as a verb: msgid("disputes"), "stands by it"."""

from __future__ import annotations

from core.debate.replies import Position
from core.languages import msgid

VERBS = {
    Position.DISPUTE: msgid("disputes"),
    Position.WITHDRAW: msgid("takes back"),
    Position.CONCEDE: msgid("concedes"),
    Position.ANSWERED: msgid("answers"),
    Position.KEEP: msgid("stands by"),
    Position.AGREE: msgid("agrees with"),
    Position.NOT_REAL: msgid("calls not real"),
    Position.NEED_NOT: msgid("calls real, without blocking,"),
    Position.MUST_FIX: msgid("wants fixed"),
}
"""Verbs in the order in which they matter to a reader; their object follows."""
OF_IT = {
    Position.DISPUTE: msgid("disputes it"),
    Position.CONCEDE: msgid("concedes it"),
    Position.ANSWERED: msgid("answers it"),
    Position.KEEP: msgid("stands by it"),
    Position.AGREE: msgid("agrees with it"),
    Position.WITHDRAW: msgid("takes it back"),
    Position.NOT_REAL: msgid("it is not real"),
    Position.NEED_NOT: msgid("it is real and need not block"),
    Position.MUST_FIX: msgid("it is real and must be fixed"),
}
