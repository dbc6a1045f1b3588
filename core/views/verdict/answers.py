"""Describes a seat's answer to another seat as a verb: "disputes", "stands by it"."""

from __future__ import annotations

from core.replies import Position

VERBS = {
    Position.DISPUTE: "disputes",
    Position.WITHDRAW: "takes back",
    Position.CONCEDE: "concedes",
    Position.ANSWERED: "answers",
    Position.KEEP: "stands by",
    Position.AGREE: "agrees with",
}
"""Verbs in the order in which they matter to a reader; their object follows."""
OF_IT = {position: f"{verb} it" for position, verb in VERBS.items()} | {
    Position.WITHDRAW: "takes it back"
}
EXAMINED = OF_IT | {
    Position.AGREE: "it must be fixed",
    Position.DISPUTE: "it need not be fixed",
}
"""Verbs for the answers of a refuter or a holder in a cross-examination."""
