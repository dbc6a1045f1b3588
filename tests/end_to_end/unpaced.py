"""The product's command as a process that a test may kill, which posts as fast as it can."""

from __future__ import annotations

import sys

from bot.__main__ import main
from bot.posting.deliver import PACE

if __name__ == "__main__":
    PACE.clear()
    sys.exit(main(sys.argv[1:]))
