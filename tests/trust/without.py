"""``python -m tests.trust.without [WORD]``: takes away, in a copy of the project, each defence that
was attacked without success, one after the other, and runs the test that attacks
it. The test must fail; it ends with 1 where one does not. ``WORD`` chooses tests by their names.

A race need not be lost each time: its test runs up to ``_TRIES`` times.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.project import ROOT

_TRIES = 4
_LEFT_OUT = (".git", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")


@dataclass(frozen=True, slots=True)
class Defence:
    """``old`` stands once in ``file``; with ``new`` in its place the ``test`` must fail. Where two
    defences stand behind each other, ``behind`` is the other one, which is taken away with it.
    """

    test: str
    file: str
    old: str
    new: str
    behind: tuple[str, str, str] | None = None

    @property
    def taken(self) -> tuple[tuple[str, str, str], ...]:
        """Returns file, old and new of everything that is taken away."""
        first = (self.file, self.old, self.new)
        return (first, self.behind) if self.behind else (first,)

    @property
    def name(self) -> str:
        """Returns the test's name, without its choice of parameters."""
        return self.test.rpartition("::")[2].partition("[")[0]


_BESIDE = "tests/trust/test_documents_beside.py::"
_WAITING = "tests/trust/test_waiting.py::"
_AGENTS = "tests/trust/test_agents.py::"
_HOOKS = "tests/bot/hooks/test_hooks.py::"
_API = "tests/bot/room/test_api.py::"
_PERMISSIONS = "tests/trust/test_permissions.py::"
_FIELDS = "tests/end_to_end/test_hostile_fields.py::"
_EVIDENCE = "tests/adapters/material/test_evidence.py::"
_LOOKUPS = "tests/adapters/material/test_lookups.py::"
_ASSISTANTS = "tests/trust/test_assistants.py::"
_DOCUMENTS = "tests/trust/test_documents.py::"
_TERMINAL = "tests/trust/test_terminal.py::"
_RECEIPT = "tests/core/words/receipt/test_receipt.py::"
_EVENTS = "tests/adapters/forges/test_events.py::"
_FENCES = "tests/trust/test_prompt_fences.py::"
_RACES = "tests/trust/test_races.py::"
_AT_ONCE = "tests/end_to_end/test_at_once.py::"
_PRINTING, _CANONICAL = "adapters/terminal/printing.py", "core/words/receipt/canonical.py"
_SIGNING, _HAPPENED = "core/words/receipt/signing.py", "adapters/forges/events.py"
_WRITER = '    if not reads:\n        sa.event.listen(engine, "begin", begun)'
_SHOWN = "    if _PLAIN.fullmatch(text):\n        return text"
_UNSHOWN = "    if text:\n        return text"
_ONE_STOP = "        case c.Stop(by, reason, detail) if debate.stop is None:"
_ANY_STOP = "        case c.Stop(by, reason, detail):"
_DUMPED = "    import json\n\n    return json.dumps(value, sort_keys=True).encode()"

DEFENCES = (
    Defence(
        f"{_PERMISSIONS}test_a_program_is_asked_by_the_same_table",
        "core/application/permissions/__init__.py",
        "        if caller.program:\n            surface = Surface.PROGRAM\n",
        "",
    ),
    Defence(
        f"{_API}test_a_token_of_a_person_is_as_good_as_their_membership",
        "bot/room/holders.py",
        "        if member is None:\n            return None\n",
        "        member = member or Member(token.name, admin=False)\n",
    ),
    Defence(
        f"{_API}test_a_token_of_the_machine_has_nothing_of_its_shell",
        "bot/room/holders.py",
        "    return str(places.place(workspace)) if workspace else person",
        '    return str(places.place(workspace)) if workspace else "shell:ann"',
    ),
    Defence(
        f"{_BESIDE}test_pages_files_and_receipts_are_made_beside_the_loop",
        "adapters/processes/threads.py",
        "    return await loop.run_in_executor(_THREADS, partial(run, make, *args, **kwargs))",
        "    return make(*args, **kwargs) if loop else partial(make, *args, **kwargs)()",
    ),
    Defence(
        f"{_WAITING}test_one_person_follows_so_many_pages_and_others_theirs",
        "adapters/routes/waiting.py",
        "        if self._open[who] >= (most or MOST):",
        "        if not who and most:",
    ),
    Defence(
        "tests/trust/test_loop_reads_little.py"
        "::test_a_command_of_thousands_of_words_is_read_beside_the_loop",
        "bot/desk/dispatch.py",
        "await asyncio.to_thread(parse, text, templates=known, prefix=caller.prefix)",
        "parse(text, templates=known, prefix=caller.prefix)",
    ),
    Defence(
        "tests/bot/desk/test_hot_seat.py"
        "::test_a_statement_is_defended_in_the_thread[missed_of_a_guest-1-False]",
        "bot/desk/taking_part/reactions.py",
        '    caller = Caller(account, place, "recount", guest=guest)',
        '    caller = Caller(account, place, "recount", guest=guest and False)',
    ),
    Defence(
        "tests/adapters/slack/test_people.py::test_of_whom_slack_says_nothing_is_a_guest",
        "adapters/slack/workspaces.py",
        'NOBODY = SlackPerson("", admin=False, bot=False, guest=True)',
        'NOBODY = SlackPerson("", admin=False, bot=False)',
    ),
    Defence(
        f"{_PERMISSIONS}test_a_workspace_that_removes_the_bot_ends_its_debates",
        "storage/places.py",
        "            conn.execute(sa.delete(HOOK).where("
        "HOOK.c.place.startswith(within, autoescape=True)))\n",
        "",
    ),
    Defence(
        f"{_HOOKS}test_a_place_has_twenty_webhooks_at_most",
        "bot/desk/hooks.py",
        " >= _MOST:",
        " >= _MOST * 9:",
    ),
    Defence(
        f"{_HOOKS}test_an_address_to_which_nothing_is_sent_is_refused",
        "adapters/hooks/receiver.py",
        "    if host not in inside:",
        "    if not host:",
    ),
    Defence(
        "tests/bot/room/test_webhooks.py"
        "::test_an_admin_sees_those_of_their_own_workspace_and_a_member_none",
        "bot/desk/hooks.py",
        " if workspace_of(hook.place) == home]",
        "]",
    ),
    Defence(
        f"{_AGENTS}test_every_place_but_a_shell_s_own_debates_refuses_it",
        "adapters/models/__init__.py",
        "        if not self.agents:",
        "        if False:",
    ),
    Defence(
        f"{_AGENTS}test_an_agent_ends_with_all_that_it_started",
        "adapters/processes/starting.py",
        "            os.killpg(program.pid, signal.SIGKILL)",
        "            pass",
    ),
    Defence(
        f"{_AGENTS}test_an_answer_after_the_use_of_a_tool_is_none",
        "adapters/models/agents/__init__.py",
        "        if answer.used:",
        "        if False:",
    ),
    Defence(
        "tests/trust/test_installed_packages.py"
        "::test_an_installed_package_runs_only_where_it_is_named",
        "bot/plugins/__init__.py",
        "        if normal(plugin.distribution) in wanted:",
        "        if wanted is not None:",
    ),
    Defence(
        f"{_FIELDS}test_every_field_is_words_in_slack[mixed]",
        "adapters/slack/outgoing/markup.py",
        '    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")',
        "    return visible(text)",
    ),
    Defence(
        f"{_FIELDS}test_every_field_is_words_in_discord[mixed]",
        "adapters/discord/outgoing/markup.py",
        '    text = _SPECIAL.sub(r"\\\\\\g<0>", text)\n    text = _MASS.sub("@" + _GAP, text)\n',
        "",
    ),
    Defence(
        f"{_EVIDENCE}test_places_that_are_none_are_elsewhere",
        "adapters/material/evidence.py",
        "    ends = [path for path in paths if name == path or "
        '(whole and name.endswith(f"/{path}"))]',
        "    ends = list(paths)",
    ),
    Defence(
        f"{_EVIDENCE}test_what_is_no_sarif_is_refused_in_one_sentence",
        "adapters/material/evidence.py",
        "in read_results(data)]\n    except ValueError as error:",
        "in read_results(data)]\n    except KeyError as error:",
    ),
    Defence(
        "tests/adapters/discord/test_messages.py"
        "::test_a_file_is_read_as_it_is_whatever_is_told_with_it",
        "adapters/discord/incoming/attachments.py",
        "web.get(file.url, allow_redirects=False)",
        "web.get(file.url)",
    ),
    Defence(
        f"{_FENCES}test_no_foreign_line_stands_outside_a_fence_or_without_its_mark",
        "core/debate/prompting/frame.py",
        '    return text.replace(token, "…")',
        "    return text",
    ),
    Defence(
        f"{_FENCES}test_line_breaks_in_a_challenge_forge_no_statement_and_close_no_fence",
        "core/debate/prompting/frame.py",
        '    return "\\n".join(f"{MARK}{line}".rstrip() for line in lines)',
        '    return "\\n".join(lines)',
    ),
    Defence(
        f"{_ASSISTANTS}test_a_file_of_another_folder_is_not_read",
        "bot/mcp/local.py",
        "        if not there.is_relative_to(here):",
        "        if not there.name:",
    ),
    Defence(
        "tests/bot/mcp/test_steering.py::test_a_challenge_is_answered_and_a_stop_ends_it",
        "adapters/mcp/server.py",
        "quoted=show_hidden(quoted))",
        "quoted=quoted)",
    ),
    Defence(
        "tests/core/debate/replies/test_forms.py::test_more_than_one_object_is_unreadable",
        "core/debate/replies/objects.py",
        "    if any(piece.value != value for piece in whole):",
        "    if not whole:",
    ),
    Defence(
        f"{_LOOKUPS}test_what_a_model_asks_for_is_refused_and_never_raises",
        "adapters/text/documents.py",
        "    except (ValueError, OverflowError, RecursionError) as error:",
        "    except KeyError as error:",
    ),
    Defence(
        f"{_LOOKUPS}test_what_is_not_there_is_said",
        "adapters/repository/lookups.py",
        "    if path not in tree.files:",
        "    if not path:",
    ),
    Defence(
        f"{_DOCUMENTS}test_a_broken_file_of_models_is_refused_in_one_sentence",
        "adapters/models/catalogue/models_file.py",
        '    if not _is_address(row.get("address", "https://host")):',
        "    if not path:",
    ),
    Defence(
        f"{_DOCUMENTS}test_a_list_of_models_names_no_window_that_is_none",
        "adapters/models/exchange.py",
        "    if 0 <= value < _BEYOND:",
        "    if value is not None:",
    ),
    Defence(
        f"{_TERMINAL}test_no_command_of_the_table_prints_what_it_was_given_unseen",
        "core/debate/material/escaping.py",
        _SHOWN,
        _UNSHOWN,
    ),
    Defence(
        f"{_TERMINAL}test_no_setting_is_printed_unseen",
        _PRINTING,
        "    print(show_hidden(text), file",
        "    print(text, file",
    ),
    Defence(
        f"{_TERMINAL}test_what_git_says_is_printed_seen",
        "core/debate/material/escaping.py",
        _SHOWN,
        _UNSHOWN,
    ),
    Defence(
        f"{_RECEIPT}test_the_known_receipt_verifies_and_is_signed_again_byte_by_byte",
        _CANONICAL,
        "    return rfc8785.dumps(_sayable(value))",
        _DUMPED,
    ),
    Defence(
        f"{_RECEIPT}test_defect_37_no_change_goes_unnoticed",
        _SIGNING,
        "    except InvalidSignature:\n        return ReceiptCheck(name, False",
        "    except InvalidSignature:\n        return ReceiptCheck(name, True",
    ),
    Defence(
        f"{_RECEIPT}test_an_unsigned_receipt_or_another_key_proves_nothing",
        _SIGNING,
        '        ReceiptCheck("signed by this key", bool(ours)',
        '        ReceiptCheck("signed by this key", True',
    ),
    Defence(
        f"{_RECEIPT}test_defect_38_numbers_and_keys_are_canonical_and_not_what_json_dumps_writes",
        _CANONICAL,
        "    return rfc8785.dumps(_sayable(value))",
        _DUMPED,
    ),
    Defence(
        f"{_EVENTS}test_a_payload_with_anything_in_any_place_is_read_or_refused",
        _HAPPENED,
        "    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:",
        "    except KeyError as error:",
    ),
    Defence(
        f"{_EVENTS}test_a_number_that_no_forge_gives_is_refused",
        _HAPPENED,
        "        if not (0 <= self.number < _MOST and 0 <= self.installation < _MOST):",
        "        if self.number is None:",
    ),
    Defence(
        f"{_EVENTS}test_a_bot_of_gitlab_is_not_answered",
        "adapters/forges/gitlab/events.py",
        ' or is_bot(payload["user"]["username"])',
        "",
    ),
    Defence(
        "tests/trust/test_exports.py::test_an_exported_page_runs_nothing_and_loads_nothing",
        "adapters/posts/export/page.py",
        'MarkdownIt("commonmark", {"html": False})',
        'MarkdownIt("commonmark", {"html": True})',
        ("core/debate/material/plaintext.py", '.replace("<", "&lt;")', ""),
    ),
    Defence(
        f"{_RACES}test_many_replicas_never_set_the_same_cent_aside[postgresql]",
        "storage/database/servers.py",
        _WRITER,
        _WRITER.replace("not reads", "pooled"),
    ),
    Defence(
        f"{_RACES}test_twenty_programs_with_one_token_take_no_more_than_its_budget[postgresql]",
        "storage/database/servers.py",
        _WRITER,
        _WRITER.replace("not reads", "pooled"),
    ),
    Defence(
        "tests/trust/test_replies.py::"
        "test_seats_that_copy_the_ids_of_others_and_say_all_thirty_times_count_once",
        "core/debate/replies/parsing.py",
        "        return items[: _most(name)]",
        "        return items",
    ),
    Defence(
        f"{_RACES}test_two_processes_start_no_more_than_the_limit",
        "storage/database/alone.py",
        "            if self._db.sqlite:",
        "            if self._db:",
    ),
    Defence(
        "tests/adapters/discord/test_markup.py::test_no_code_ends_where_its_writer_wants_it_to",
        "adapters/discord/outgoing/markup.py",
        "_TICKS.sub(lambda run: _GAP.join(run[0]), visible(code))",
        'visible(code).replace("```", f"`{_GAP}`{_GAP}`")',
    ),
    Defence(
        "tests/bot/room/test_at_once.py::test_what_is_pressed_at_once_happens_once_and_each_is_told",
        "bot/desk/commanding.py",
        "        raise Refused(refusal)\n",
        "        pass\n",
    ),
    Defence(
        "tests/bot/debates/test_money.py::test_calls_whose_process_is_killed_count_as_spent",
        "core/debate/speaking.py",
        "            if known.state == CallState.INTENT:\n",
        "            if not known:\n",
    ),
    Defence(
        f"{_RACES}test_a_button_that_two_people_press_at_once_does_it_once",
        "storage/work.py",
        '"key": piece.key, "kind"',
        '"key": f"{piece.key} {piece.by}", "kind"',
    ),
    Defence(
        f"{_AT_ONCE}test_a_review_that_slack_and_the_room_post_at_once_is_posted_once",
        "storage/work.py",
        '"key": piece.key, "kind"',
        '"key": f"{piece.key} {piece.by}", "kind"',
    ),
    Defence(
        f"{_AT_ONCE}test_a_debate_that_slack_and_the_room_stop_at_once_is_stopped_once",
        "core/debate/commands/decisions.py",
        _ONE_STOP,
        _ANY_STOP,
    ),
)


def main() -> int:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    held = [each for each in DEFENCES if word in each.test]
    with TemporaryDirectory() as name:
        folder = Path(name) / "project"
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        wrong = sum(not _fails(folder, each) for each in held)
    print(f"{len(held)} defences taken away one by one, {wrong} of them unnoticed")
    return 1 if wrong else 0


def _fails(folder: Path, defence: Defence) -> bool:
    whole = {file: (folder / file).read_text("utf-8") for file, *_ in defence.taken}
    try:
        for file, old, new in defence.taken:
            (folder / file).write_text(whole[file].replace(old, new, 1), "utf-8")
        tries = _TRIES if defence.test.startswith((_RACES, _AT_ONCE)) else 1
        seen = any(_failed(folder, defence.test) for _ in range(tries))
    finally:
        for file, text in whole.items():
            (folder / file).write_text(text, "utf-8")
    print(f"{'fails' if seen else 'PASSES ALL THE SAME':<20} {defence.name} without {defence.file}")
    sys.stdout.flush()
    return seen


def _failed(folder: Path, test: str) -> bool:
    """Tells whether pytest says that a test failed, which differs from one that could not run."""
    typed = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test)
    ran = subprocess.run(typed, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        print(ran.stdout[-2_000:], ran.stderr[-2_000:])
    return ran.returncode == 1


if __name__ == "__main__":
    sys.exit(main())
