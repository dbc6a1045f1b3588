"""The places of the project's files, for tests that read them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
TEMPLATES = ROOT / "core" / "debate" / "templates"
