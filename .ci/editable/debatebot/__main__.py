"""``python -m debatebot`` and the commands ``debate`` and ``debatebot``."""

from __future__ import annotations

import sys

from bot.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
