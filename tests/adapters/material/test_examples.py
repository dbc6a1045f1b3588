"""The example changes are what their notes say, and small enough for a small model."""

from __future__ import annotations

import pytest

from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from core.debate.material import Material, Read
from core.debate.material.coverage import tokens_in
from core.debate.material.library import ReadRequest
from tests.project import EXAMPLES
from tests.quoting import stands_there

TITLES = {
    "01-retry-payments": "payments: ask the gateway again when it stumbles",
    "02-remember-rights": "access: remember rights for five minutes",
    "03-orders-as-csv": "reports: orders as CSV",
}


async def material_of(name: str) -> Material:
    return await MaterialLibrary(LibrarySettings(allow_files=True, cwd=EXAMPLES)).read(
        ReadRequest(f"{name}.diff", kind="pull_request", budget=2_500, files=True)
    )


async def test_the_demonstration_s_change_is_small_and_code_proves_one_finding() -> None:
    material = await material_of("04-pictures-in-folders")
    assert material.title == "pictures: names may hold folders"
    assert {one.state for one in material.coverage} == {Read.FULL}
    assert tokens_in(material.text + material.body) < 330
    assert [one.title for one in material.proven] == [
        "The test test_no_name_leads_out_of_the_folder is removed"
    ]
    startswith = "not str(path).startswith(str(FOLDER))"
    assert stands_there(material, "shop/pictures.py", 12, "RIGHT", startswith)
    assert (EXAMPLES / "04-pictures-in-folders.md").is_file()


@pytest.mark.parametrize("name", TITLES)
async def test_an_example_is_read_whole_by_a_small_model(name: str) -> None:
    material = await material_of(name)
    assert material.title == TITLES[name]
    assert material.body.startswith(
        ("About one charge", "Looking up the rights", "The accountants")
    )
    assert {one.state for one in material.coverage} == {Read.FULL}
    assert tokens_in(material.text + material.body) < 2_500
    assert 60 <= int(material.facts["lines"]) <= 150
    assert (material.redacted, material.proven) == (0, ())
    assert (EXAMPLES / f"{name}.md").is_file()
