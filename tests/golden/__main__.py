"""See the package."""

from __future__ import annotations

import os

from tests.conftest import is_setting
from tests.golden.written import FOLDER, TEXTS, written


def main() -> None:
    for name in [name for name in os.environ if is_setting(name)]:
        del os.environ[name]
    for old in FOLDER.iterdir():
        old.unlink()
    for name in TEXTS:
        (FOLDER / name).write_text(written(name), "utf-8")


if __name__ == "__main__":
    main()
