"""``python -m tests.browser.faces``: the picture of each seat's emoji, for chats that show one
beside a name (Discord takes an address). Only those that are not there are made: Noto's emoji,
whose licence (OFL) leaves pictures of it free, on the room's paper.
"""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

from playwright.async_api import async_playwright

from adapters.text.emoji import character
from core.words.views.language.faces import FACES
from tests.browser.chromium import FLAGS, find
from tests.project import ROOT

FOLDER = ROOT / "adapters/room/static/faces"
_DRAW = """text => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 128;
    const on = canvas.getContext("2d");
    on.fillStyle = "#f2f0ec";
    on.fillRect(0, 0, 128, 128);
    on.font = "79px 'Noto Color Emoji'";
    on.textAlign = "center";
    on.textBaseline = "middle";
    on.fillText(text, 64, 69);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
}"""


def file_of(face: str) -> Path:
    return FOLDER / f"{face}.webp"


async def main() -> None:
    missing = [face for face in sorted(FACES) if not file_of(face).exists()]
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=find(), args=list(FLAGS))
        page = await browser.new_page()
        for face in missing:
            drawn = await page.evaluate(_DRAW, character(face))
            file_of(face).write_bytes(base64.b64decode(drawn))
        await browser.close()
    print(f"{len(missing)} pictures made, {len(FACES)} in all")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    asyncio.run(main())
