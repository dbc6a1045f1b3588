"""The environment of a program that we start: the folders of programs and homes, and the language.
Keys, tokens, proxies and everything that changes how a program loads or behaves are left out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

_KEPT = frozenset(
    {
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ",
        "USER", "USERPROFILE", "XDG_CACHE_HOME",
    }
)  # fmt: skip
_ABOUT_DOWNLOADS = ("PIP_", "SSL_CERT_", "REQUESTS_CA_BUNDLE", "XDG_CONFIG_HOME")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


def search_path() -> str:
    """Returns the folders in which programs are looked up, without relative ones: a repository that
    one works in may hold programs called git or less.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if os.path.isabs(folder))  # noqa: PTH117


def child_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the environment of a program that we start, with ``more`` variables."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _KEPT or name.startswith("LC_")
    }
    return {**kept, "PATH": search_path(), **(more or {})}


def pip_environment() -> dict[str, str]:
    """Returns the environment for pip, which needs the package index, the proxy and the
    certificates as well.
    """
    return child_environment(
        {
            name: value
            for name, value in os.environ.items()
            if name.startswith(_ABOUT_DOWNLOADS) or name.lower() in _PROXIES
        }
    )
