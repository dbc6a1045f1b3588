"""What programs send is read as people's forms are, and what is refused says so by its status."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.api import _stands_at
from adapters.api.calls import ApiCall, _limit, _typed, _whole, wanted_of
from adapters.api.operations import OPERATIONS, PAGE
from adapters.api.problems import problem, require_done, status_of
from adapters.routes.reading import RequestRefused
from core.application.commands import Start
from core.application.desk import DeskAnswer
from core.application.tokens import Bearer
from core.debate.errors import BadInput, CouldNotFinish, DebateError, Refused


def _call(query: dict[str, str] | None = None, **body: Any) -> ApiCall:
    bearer: Any = Bearer.__new__(Bearer)
    return ApiCall(bearer, query=query or {}, body=body)


@pytest.mark.parametrize(
    ("text", "number"), [("", 7), ("0", 0), ("12", 12), ("999999999", 999_999_999)]
)
def test_a_whole_number_is_read(text: str, number: int) -> None:
    assert _whole({"n": text}, "n", 7) == number
    assert _whole({}, "n", 7) == 7


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "١", "1000000000"])
def test_any_other_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="`n` is a whole number from 0 to 999,999,999"):
        _whole({"n": text}, "n", 7)


def test_a_page_has_one_item_at_least_and_fifty_at_most() -> None:
    given = ("", "1", "2", "49", "50")
    assert [_limit(_call({"limit": text})) for text in given] == [PAGE, 1, 2, 49, 50]
    for beyond in ("0", "51"):
        with pytest.raises(BadInput, match="`limit` is a whole number from 1 to 50"):
            _limit(_call({"limit": beyond}))


def test_values_are_read_as_they_are_typed() -> None:
    values: list[object] = [True, False, 3, 0.5, "a\0b", "\ud83d"]
    assert [_typed(value) for value in values] == ["yes", "", "3", "0.5", "a\ufffdb", "?"]


def test_a_start_has_a_template_and_what_else_is_said() -> None:
    with pytest.raises(BadInput, match="Which `template`"):
        wanted_of(_call(target="Why?"))
    wanted = wanted_of(_call(template="panel", target="Why?", rounds=3, quiet=True, yes=True, no=1))
    assert wanted == Start("panel", "Why?", rounds=3, quiet=True, yes=True)
    plain = wanted_of(_call(template="panel", text="# Plan\0", yes="true", quiet=False))
    assert plain == Start("panel", "", text="# Plan\ufffd")


REFUSED: list[tuple[DebateError, int, str]] = [
    (RequestRefused("x", 415), 415, "Another kind of body"),
    (RequestRefused("x", 401), 401, "No token"),
    (RequestRefused("x", 402), 402, "Asks for consent"),
    (Refused("x"), 403, "Not allowed"),
    (RequestRefused("x", 404), 404, "Not found"),
    (RequestRefused("x", 405), 405, "Another method"),
    (BadInput("x"), 400, "Not possible"),
    (CouldNotFinish("x"), 503, "Not now"),
]


@pytest.mark.parametrize(("error", "status", "title"), REFUSED)
def test_a_refusal_is_a_problem_document(error: DebateError, status: int, title: str) -> None:
    assert status_of(error) == status
    assert problem(error) == {
        "type": "about:blank", "title": title, "status": status, "detail": "x"
    }  # fmt: skip


def test_an_answer_that_did_not_do_the_work_is_an_error() -> None:
    done = DeskAnswer("Taken.")
    assert require_done(done) is done
    answers = (
        DeskAnswer("No.", ok=False),
        DeskAnswer("No.", ok=False, refused=True),
        DeskAnswer("No.", ok=False, code=3),
        DeskAnswer("No.", ok=False, code=2),
        DeskAnswer("$3.", ok=False, priced=Start("panel", "Why?")),
    )
    kinds: list[type[DebateError]] = [
        BadInput, Refused, CouldNotFinish, BadInput, RequestRefused
    ]  # fmt: skip
    for answer, kind, status in zip(answers, kinds, (400, 403, 503, 400, 402), strict=True):
        with pytest.raises(kind) as error:
            require_done(answer)
        assert status_of(error.value) == status


def test_an_address_is_that_of_its_row_alone() -> None:
    rows = {row.name: row for row in OPERATIONS}
    base = rows["list_debates"].address
    assert _stands_at(rows["list_debates"], base)
    assert _stands_at(rows["get_debate"], f"{base}/d1")
    assert _stands_at(rows["stop_debate"], f"{base}/d1/stop")
    for path in (f"{base}/", f"{base}/d1/stop", f"{base}/d1/x", "/x"):
        assert not _stands_at(rows["get_debate"], path)
