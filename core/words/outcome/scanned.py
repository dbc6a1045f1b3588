"""Lists how the seats judged scanners' results and other reviewers' remarks."""

from __future__ import annotations

from core.debate.material.plaintext import at_most, cell, one_line
from core.debate.replies import Position
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict.findings import SCANNER, MergedFinding


def scanned(debate: Debate, findings: tuple[MergedFinding, ...], holder: SeatId = SCANNER) -> str:
    """Returns the state of each scanner's result (or each remark, with that ``holder``), and the
    last reason of the side that prevailed.
    """
    tools = {report.id: report.tool for report in debate.open.material.scanned}
    rows = []
    reports = [(one, r.finding) for one in findings for r in one.raised if r.seat == holder]
    for f, finding in reports:
        tool = one_line(tools.get(finding.id, ""), 120)
        place = cell(f"{finding.path}:{finding.line}", 120).replace("`", "'")
        title = one_line(finding.title, 200)
        rows.append(f"- {tool} `{place}` {title}: {_fate(f)}")
    return "\n".join(at_most(rows, 50))


def _fate(f: MergedFinding) -> str:
    against = len(f.disputed_by)
    if f.holders == against:
        if against:
            return f"not settled ({f.counts})"
        return "nobody answered"
    real = f.holders > against
    side = (Position.AGREE, Position.CONCEDE, Position.KEEP) if real else (Position.DISPUTE,)
    reasons = [a.because for a in f.reasons.values() if a.position in side and a.because]
    because = ""
    if reasons:
        because = f": {one_line(reasons[-1], 300)}"
    return f"{'confirmed' if real else 'refuted'} ({f.counts}){because}"
