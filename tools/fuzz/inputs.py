"""Texts that parsers trip over: pieces of their grammars spliced at random, good texts with damage,
and short pieces repeated many times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from tests.project import EXAMPLES

Make = Callable[[Random], str]

COMMON = (
    "", " ", "\n", "\n\n", "\t", "\r\n", "\r", "\x00", "\x1b[31m", "\u202e", "\u200b", "\u2028", "ä", "漢", "😀",
    "\ud800", "\U000e0041", "\\", "/", "'", '"', "`", "```", "~~~", "|", "||", "-", "--", "#", "@everyone", "<@U1>",
    "<!channel>", "0", "1", "9" * 30, "a", "word", "https://github.com/o/r/pull/1", "http://x", "www.a.b", "://",
)  # fmt: skip
MARKDOWN = (
    "[", "]", "(", ")", "](", "![", "[a](", "[a](https://github.com/a)", "**", "*", "_", "__", "~~", "<", ">", "<b>",
    "&amp;", "&#", "&#x", "&#9;", "- ", "1. ", "> ", "    ", "| a | b |\n| - | - |\n", "|\n", "-|-\n", "===\n",
    "---\n", "# ", "<!--", "-->", "[x]: y\n", "\\[", "`` ` ``", "$", "$$", ": ",
)  # fmt: skip
HTML = (
    "<p>", "</p>", "<div hidden>", "</div>", "<script>", "</script>", "<style>", "<textarea>", "<title>", "</title>",
    "<!--", "-->", "<!", "<?", "<a href='", "<a b=\"", ">", "/>", "<li>", "<td>", "<br>", "&lt;", "&notit", "&#",
    "&#99999999999999;", "&#x110000;", "&#xd800;", "<p style='display:none'>", "<", "</", "<img alt=x>",
)  # fmt: skip
DIFF = (
    "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "--- /dev/null\n", "@@ -1,2 +1,2 @@\n", "@@ -0,0 +1 @@\n",
    "@@ -1 +1 @@ def f():\n", "+x = 1\n", "-x = 2\n", " x\n", "\\ No newline at end of file\n",
    "new file mode 100644\n", "deleted file mode 100755\n", "old mode 100644\nnew mode 100755\n",
    "index 1..2 160000\n", "Binary files a/x and b/x differ\n", "GIT binary patch\n", "rename from a\nrename to b\n",
    'diff --git "a/\\303\\274" "b/\\303\\274"\n', '+++ "b/\\', "From x\nSubject: [PATCH] y\n\n", "@@ -99999999999,1 +1 @@\n",
    "diff --cc x\n", "+password = 'abcdefg12345'\n", "+\r\n", "similarity index 90%\n",
)  # fmt: skip
REPLY = (
    "{", "}", "[", "]", '{"', '{"text": "x"', '{"text": "x"}', '"stance": ', '{"option": "approve", "confidence": 0.9}',
    '"findings": []', '"findings": [{"severity": "high", "confidence": 1, "title": "t", "path": "a", "line": 1}]',
    '"claims": [{"text": "c", "quote": "q"}]', '"answers": [{"to": "t1.f1", "position": "agree"}]', ",", ":", "null",
    "true", "1e999", "-0", "9" * 400, '"\\ud800"', "```json\n", "```", '"scores": {"a": 0.5}', '"sections": {"s": ["x"]}',
    '"grades": {"t1": "broken"}', '"estimate": 0.5', '"metrics": {"agreement": 1}', '"called": ["P1"]', '"text": "y"',
)  # fmt: skip
COMMAND = (
    "code_review", "design_doc", "help", "templates", "check", "status", "show", "list", "challenge", "vote",
    "pause", "resume", "stop", "fork", "schedule", "add", "remove", "export", "receipt", "mirror", "setup", "github",
    "--rounds", "--rounds=3", "--models", "a,b", "--budget", "$1", "-1", "--threshold", "0.5", "--vote-window", "10m",
    "--quiet", "--json", "--yes", "--at", "--without", "--assume", "--tz", "Europe/Helsinki", '"every weekday 09:00"',
    "* * * * *", "slack:C1", "discord:1", "o/r", "—rounds", "“quoted”", "path:src/", "git:HEAD", "github:o/r", "-h",
)  # fmt: skip
SECRET = (
    "password = ", '"abcdefg12345"', "token: ", "AKIAIOSFODNN7EXAMPLQ", "ghp_" + "a1B2" * 9, "Bearer ", "api_key=",
    "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n", "eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxIn0.",
    "postgres://u:", "@host/db", "https://hooks.slack.com/services/T0/B0/", "xoxb-1-", "sk-or-v1-", "gsk_", "xai-",
    "a1b2c3d4e5f6", "=", ":", ";", "SECRET",
)  # fmt: skip


def sample(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def spliced(pieces: Sequence[str], separator: str = "") -> Make:
    """Returns mostly a few dozen pieces, now and then one of them a few thousand times."""
    every = (*pieces, *pieces, *COMMON)

    def make(random: Random) -> str:
        if random.random() < 0.02:
            unit = separator.join(random.choices(every, k=random.randint(1, 3)))
            return unit * random.randint(1, max(1, 6_000 // (len(unit) or 1)))
        return separator.join(random.choices(every, k=random.randint(0, 40)))

    return make


def damaged(good: Sequence[str], pieces: Sequence[str]) -> Make:
    """Returns a good text with some of it cut, doubled or replaced."""
    every = (*pieces, *COMMON)

    def make(random: Random) -> str:
        text = random.choice(good)
        for _ in range(random.randint(1, 6)):
            at = random.randint(0, len(text))
            end = min(len(text), at + random.randint(0, 30))
            text = text[:at] + random.choice((random.choice(every), text[at:end] * 2)) + text[end:]
        return text

    return make


def either(*makers: Make) -> Make:
    return lambda random: random.choice(makers)(random)
