"""What a seat does with what another one said, as verbs: "disputes", "stands by it"."""

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
"""In the order in which they matter to a reader; what it is about follows."""
OF_IT = {position: f"{verb} it" for position, verb in VERBS.items()} | {
    Position.WITHDRAW: "takes it back"
}
EXAMINED = OF_IT | {
    Position.AGREE: "it must be fixed",
    Position.DISPUTE: "it need not be fixed",
}
"""What a refuter, or the holder, says in a cross-examination."""
