"""Describes a seat's answer to another seat as a verb: "disputes", "stands by it"."""

from __future__ import annotations

from core.debate.replies import Position

VERBS = {
    Position.DISPUTE: "disputes",
    Position.WITHDRAW: "takes back",
    Position.CONCEDE: "concedes",
    Position.ANSWERED: "answers",
    Position.KEEP: "stands by",
    Position.AGREE: "agrees with",
    Position.NOT_REAL: "calls not real",
    Position.NEED_NOT: "calls real, without blocking,",
    Position.MUST_FIX: "wants fixed",
}
"""Verbs in the order in which they matter to a reader; their object follows."""
OF_IT = {position: f"{verb} it" for position, verb in VERBS.items()} | {
    Position.WITHDRAW: "takes it back",
    Position.NOT_REAL: "it is not real",
    Position.NEED_NOT: "it is real and need not block",
    Position.MUST_FIX: "it is real and must be fixed",
}
EXAMINED = OF_IT | {
    Position.AGREE: "it must be fixed",
    Position.DISPUTE: "it need not be fixed",
}
"""Verbs for the answers of a refuter or a holder in a cross-examination."""
