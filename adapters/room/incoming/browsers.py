"""Names a browser in words by which its person recognizes it."""

from __future__ import annotations

_BROWSERS = ("Firefox", "Edg", "OPR", "Chrome", "Safari", "curl")
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def browser_of(agent: str) -> str:
    """Returns the browser's name and system, read from its user agent."""
    name = next((each for each in _BROWSERS if each in agent), "A browser")
    system = next((label for each, label in _SYSTEMS.items() if each in agent), "")
    name = {"Edg": "Edge", "OPR": "Opera"}.get(name, name)
    if system:
        return f"{name} on {system}"
    return name
