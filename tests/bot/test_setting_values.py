"""What each reader of a setting takes, to the edge of what is allowed, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.settings import values
from bot.settings.choices import UnknownPrice
from core.debate.errors import BadInput

Reader = Callable[[str, str], object]


def test_a_value_is_read() -> None:
    cases: list[tuple[Reader, str, object]] = [
        (values.as_text, " as it is ", " as it is "),
        (values.as_names, "a, b,,c ,", ("a", "b", "c")),
        (values.as_names, "", ()),
        (values.as_people, "slack:T1/U1,discord:G1/2", frozenset({"slack:T1/U1", "discord:G1/2"})),
        (values.as_starters, "admins,slack:T1/U1", frozenset({"slack:T1/U1", "admins"})),
        (values.as_workspaces, "slack:T1,discord:@me", frozenset({"slack:T1", "discord:@me"})),
        (values.as_url, "https://a.example/x/", "https://a.example/x"),
        (values.as_address, "ws://a.example/x/", "ws://a.example/x/"),
        (values.as_origin, "https://a.example/", "https://a.example"),
        (values.as_origin, "http://a.example:8080", "http://a.example:8080"),
        (values.as_path, "~/x", Path.home() / "x"),
        (values.as_usd, "0", 0.0),
        (values.as_usd, "$2.50", 2.5),
        (values.as_usd, "999999.99", 999999.99),
        (values.within(2.0), "0", 0.0),
        (values.within(2.0), "2", 2.0),
        (values.as_seconds, "30m", 1800.0),
        (values.as_seconds, "1", 1.0),
        (values.as_seconds, "off", None),
        (values.as_keep, "90d", 90 * 86400.0),
        (values.as_keep, "0", 0.0),
        (values.as_long_keep, "1h", 3600.0),
        (values.as_long_keep, "off", None),
        (values.as_port, "0", 0),
        (values.as_port, "65535", 65535),
        (values.as_level, "WARNING", "warning"),
        (values.one_of(UnknownPrice), "Allow", UnknownPrice.ALLOW),
        *((values.as_switch, text, True) for text in ("1", "true", "YES", "on")),
        *((values.as_switch, text, False) for text in ("0", "False", "no", "off")),
        (values.as_accounts, "x:a=y:b/c, x:d = y:e", {"x:a": "y:b/c", "x:d": "y:e"}),
        (values.as_accounts, "", {}),
        (values.as_whole, "1", 1),
        (values.as_wait, "90s", 90.0),
        *(
            (values.as_local, text, text)
            for text in ("lab", "lab:1234", "http://lab:1/", "[::1]:1")
        ),
        (values.as_hosts, "Git.acme.com, lab:8443", ("git.acme.com", "lab:8443")),
    ]
    for read, text, value in cases:
        assert read("NAME", text) == value


def test_a_value_that_means_nothing_is_refused() -> None:
    cases: list[tuple[Reader, str, str]] = [
        (values.as_address, "ftp://a.example", "is no address"),
        (values.as_address, "https://", "is no address"),
        (values.as_url, "a.example", "is no address"),
        (values.as_origin, "https://a.example/x", "without a path"),
        (values.as_origin, "https://a.example?x", "without a path"),
        (values.as_origin, "https://a.example#x", "without a path"),
        (values.as_origin, "https://ann@a.example", "without a path"),
        (values.as_origin, "https:///", "without a path"),
        (values.as_origin, "ws://a.example", "without a path"),
        (values.as_usd, "-0.01", "no amount"),
        (values.as_usd, "1000000", "no amount"),
        (values.as_usd, "much", "no amount"),
        (values.within(2.0), "2.01", "from 0 to 2"),
        (values.within(2.0), "-0.01", "from 0 to 2"),
        (values.within(2.0), "two", "from 0 to 2"),
        (values.as_seconds, "soon", "is no time"),
        (values.as_keep, "soon", "is no time"),
        (values.as_long_keep, "3599s", "at least an hour"),
        (values.as_long_keep, "1s", "at least an hour"),
        (values.as_port, "65536", "is no port"),
        (values.as_port, "-1", "is no port"),
        (values.as_port, "²", "is no port"),
        (values.as_level, "loud", "is one of debug, info, warning, error"),
        (values.one_of(UnknownPrice), "maybe", "is one of "),
        (values.as_switch, "maybe", "is 1 or 0"),
        *(
            (values.as_accounts, text, "comma list of accounts")
            for text in ("x:a", "x:a=x:b=x:c", "x:a= ", "x:a=x:b,=x:d", "ann=slack:T1/U1", "x:a=")
        ),
        (values.as_names, " , ,", "only commas"),
        (values.as_people, "slack:T1/U1,bob", "'bob' is no person"),
        (values.as_people, "T1/U1", "is no person"),
        (values.as_people, "slack:T1", "is no person"),
        (values.as_people, "admins", "is no person"),
        (values.as_starters, "admin", "'admin' is no person"),
        (values.as_workspaces, "T1", "'T1' is no workspace"),
        (values.as_workspaces, "slack:T1/U1", "is no workspace"),
        (values.as_whole, "0", "is a whole number"),
        (values.as_whole, "two", "is a whole number"),
        (values.as_wait, "soon", "like 90s or 5m"),
        (values.as_local, "lab!", "is no address"),
        (values.as_local, "lab:x", "is no address"),
        (values.as_file, "/dev/null/none", "not a file"),
        *(
            (read, text, "")
            for read in (values.as_address, values.as_url, values.as_origin, values.as_local)
            for text in ("http://[::1", "http://a b", "http://a:port", "https://!")
        ),
        (values.as_hosts, "a.example,https://b", "'https://b' is no host's name"),
        (values.as_hosts, "a.example:", "'a.example:' is no host's name"),
    ]
    for read, text, reason in cases:
        with pytest.raises(BadInput, match=f"^NAME.*{reason}"):
            read("NAME", text)
