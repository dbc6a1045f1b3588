"""The environment is read once, checked, and its secrets are never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.env_file import Trust
from bot.logs import struck
from bot.settings import ELSEWHERE, VARIABLES, Settings, read
from core.debate.errors import BadInput

_ADDRESSES = ("bogus", "ftp://lab/", "http://[::1", "http://lab:port", "http://two words")
_PEOPLE = ("bob", "T1/U1", "slack:T1", ",")
_WORKSPACES = ("T1", "slack", "slack:T1/U1", ",")
SENSELESS = {
    **dict.fromkeys(("OPENAI_API_BASE", "DEBATE_EMBEDDED_URL", "DEBATE_PUBLIC_URL"), _ADDRESSES),
    **dict.fromkeys(("SLACK_API_URL", "DISCORD_API_URL", "DISCORD_GATEWAY_URL"), _ADDRESSES),
    **dict.fromkeys(("GITHUB_API_URL", "GITLAB_API_URL", "DEBATE_CLONE_URL"), _ADDRESSES),
    **dict.fromkeys(("OLLAMA_HOST", "LM_STUDIO_API_BASE"), _ADDRESSES[1:]),
    "LLAMA_SERVER_API_BASE": _ADDRESSES[1:],
    **dict.fromkeys(("DEBATE_MODERATORS", "DEBATE_STARTERS"), _PEOPLE),
    **dict.fromkeys(("DEBATE_WORKSPACES", "DEBATE_PRIVATE_WORKSPACES"), _WORKSPACES),
    "DEBATE_SAME_PERSON": ("slack:T1/U1", "ann=slack:T1/U1", ","),
    **dict.fromkeys(("DEBATE_LOCAL_WINDOW", "DEBATE_EMBEDDED_THREADS"), ("many", "0", "-1")),
    "DEBATE_EMBEDDED_WEIGHTS": ("/nothing/there",),
    **dict.fromkeys(("DEBATE_MODELS", "DEBATE_ALLOWED_MODELS", "DEBATE_PLUGINS"), (",",)),
    "DEBATE_DRAIN": ("soon",),
}


def test_nothing_set_gives_the_defaults(tmp_path: Path) -> None:
    settings = read({}, tmp_path)
    assert settings == Settings(folder=tmp_path)
    assert (settings.database_url, settings.host, settings.port, settings.log_level) == (
        "",
        "127.0.0.1",
        8765,
        "info",
    )


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        'DEBATE_PORT=1\nDEBATE_MODELS="a, '
        'b"\nSLACK_BOT_TOKEN=xoxb-$HOME\nOPENAI_API_KEY=sk-file\n# note\n',
        encoding="utf-8",
    )
    assert [read({"DEBATE_TIME_LIMIT": text}, tmp_path).time_limit for text in ("30m", "off")] == [
        1800.0,
        None,
    ]
    settings = read({"DEBATE_PORT": "2", "DEBATE_BUDGET": "$1.50"}, tmp_path, trust=Trust.WHOLE)
    assert (settings.port, settings.models, settings.budget, settings.slack_bot_token) == (
        2,
        ("a", "b"),
        1.5,
        "xoxb-$HOME",
    )
    assert settings.env["OPENAI_API_KEY"] == "sk-file"


def test_only_what_belongs_to_others_is_shared_and_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "OPENAI_API_KEY=file\nGEMINI_API_KEY=file\nSLACK_BOT_TOKEN=xoxb-1\n", encoding="utf-8"
    )
    environ = {"GEMINI_API_KEY": "there"}
    read(environ, tmp_path, trust=Trust.WHOLE).share(environ)
    assert environ == {"GEMINI_API_KEY": "there", "OPENAI_API_KEY": "file"}


SECRET = "s3cr3t-value"


def test_secrets_are_known_and_never_shown(tmp_path: Path) -> None:
    addresses = ("DEBATE_DATABASE_URL", "DEBATE_DATABASE_DIRECT_URL")
    names = [v.name for v in VARIABLES.values() if v.secret and v.name not in addresses]
    assert "GITHUB_TOKEN" in names
    environ = {name: f"{SECRET}-{name}" for name in names}
    environ["DEBATE_DATABASE_URL"] = f"postgresql+psycopg://me:{SECRET}-db@localhost/debates"
    environ["DEBATE_DATABASE_DIRECT_URL"] = f"postgresql://me:{SECRET}-past@localhost/debates"
    environ["DEBATE_GITHUB_HOSTS"], environ["GITHUB_TOKEN_GIT_ACME_COM"] = (
        "git.acme.com",
        f"{SECRET}-own",
    )
    settings = read(environ, tmp_path)
    assert SECRET not in repr(settings)
    assert SECRET not in repr(settings.hosts)
    assert set(settings.secrets) == {
        *(environ[n] for n in names),
        *(f"{SECRET}-{one}" for one in ("db", "past", "own")),
    }


def test_a_password_that_is_a_word_is_removed_from_its_address_alone(tmp_path: Path) -> None:
    for password in (
        "debate",
        "debatebot",
        "localhost",
        "postgres",
        "test",
    ):
        address = f"postgresql://debatebot:{password}@localhost/debates"
        secrets = read({"DEBATE_DATABASE_URL": address}, tmp_path).secrets
        words = "debatebot: postgresql on localhost, test the debates"
        assert struck(words, secrets) == words
        assert struck(f"no {address}", secrets).endswith("debatebot[secret]localhost/debates")


def test_own_forges_get_their_own_tokens_only(tmp_path: Path) -> None:
    settings = read(
        {
            "DEBATE_GITHUB_HOSTS": "Git.acme.com, acme.ghe.com",
            "DEBATE_GITLAB_HOSTS": "lab:8443",
            "GITHUB_TOKEN": "public",
        },
        tmp_path,
    )
    hosts = {name: (host.forge, host.api, host.token) for name, host in settings.own_hosts.items()}
    assert hosts == {
        "git.acme.com": ("github", "https://git.acme.com/api/v3", ""),
        "acme.ghe.com": ("github", "https://api.acme.ghe.com", ""),
        "lab:8443": ("gitlab", "https://lab:8443/api/v4", ""),
    }


def test_a_host_is_of_one_forge_only(tmp_path: Path) -> None:
    both = {"DEBATE_GITHUB_HOSTS": "git.acme.com,b.acme.com", "DEBATE_GITLAB_HOSTS": "b.acme.com"}
    with pytest.raises(BadInput, match="both name b"):
        read(both, tmp_path)
    assert len(read(both, tmp_path, faulty=True).faults) == 1


def test_github_com_is_read_as_ever_if_it_is_named_as_an_own_forge(tmp_path: Path) -> None:
    settings = read({"DEBATE_GITHUB_HOSTS": "github.com", "GITHUB_TOKEN": "public"}, tmp_path)
    host = settings.hosts["github.com"]
    assert (host.api, host.token) == ("https://api.github.com", "public")


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe\n")
    with pytest.raises(BadInput, match="cannot be read: it is not UTF-8 text"):
        read({}, tmp_path, trust=Trust.WHOLE)


def test_a_name_without_a_value_in_the_file_sets_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DEBATE_PORT\nDEBATE_HOST=\nDEBATE_LOG_LEVEL=debug\n", "utf-8")
    settings = read({}, tmp_path, trust=Trust.WHOLE)
    assert (settings.port, settings.host, settings.log_level) == (8765, "127.0.0.1", "debug")


@pytest.mark.parametrize("name", SENSELESS)
def test_a_value_that_can_mean_nothing_is_refused_by_name(tmp_path: Path, name: str) -> None:
    assert name in {one.name for one in (*VARIABLES.values(), *ELSEWHERE)}
    for value in SENSELESS[name]:
        with pytest.raises(BadInput, match=f"^{name}[: ].*[.]$"):
            read({name: value}, tmp_path)
        settings = read({name: value}, tmp_path, faulty=True)
        assert [fault.startswith(name) for fault in settings.faults] == [True]
        assert name not in settings.env
