"""How a list names the change that a debate is about."""

import pytest

from core.application.listing import Hit
from tests.adapters.api.test_asks import hit

FORGE = "https://forge.example/acme/shop"


@pytest.mark.parametrize(
    ("source", "repository", "change"),
    [
        (f"{FORGE}/pull/42", "acme/shop", "acme/shop#42"),
        (f"{FORGE}/pull/42/files", "acme/shop", "acme/shop#42"),
        (f"{FORGE}/-/merge_requests/7", "acme/shop", "acme/shop!7"),
        (f"{FORGE}/pull/42", "", ""),
        (f"{FORGE}/commit/42", "acme/shop", "acme/shop"),
        ("", "acme/shop", "acme/shop"),
        ("", "", ""),
    ],
)
def test_a_change_is_named_as_its_forge_names_it(source: str, repository: str, change: str) -> None:
    one = Hit(hit("d1").line, "", False, "", source=source, repository=repository)
    assert one.change == change
