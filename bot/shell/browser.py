"""Opens a page in the browser of the person at this screen."""

from __future__ import annotations

import html
import os
import sys
import webbrowser

from adapters.processes.files import write_temporary

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
_PAGE = (
    '<!doctype html><meta http-equiv="refresh" content="0;url={link}"><a href="{link}">Go on</a>'
)


def has_screen() -> bool:
    """True if a person is at this terminal, with a screen for a browser."""
    if not sys.stdout.isatty() or "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in _SCREENS)


def open_page(link: str) -> bool:
    """Opens a link; False if there is no browser.

    Every account of a machine sees the arguments of its programs. The link admits anyone who has
    it, so the browser gets a file that only this account can read.
    """
    page = write_temporary(_PAGE.format(link=html.escape(link)), ".html")
    try:
        opened = webbrowser.open(page.as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        page.unlink()
    return opened
