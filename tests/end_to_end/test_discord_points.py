"""The points of a review of a Discord bot, each with the tests that hold it; and the points that no
other file holds.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.doctor import examine
from core.application.check import DoctorState
from tests.end_to_end.discord_child import untold
from tests.end_to_end.discord_city import City, city, read
from tests.end_to_end.played import LINK, configured
from tests.end_to_end.world import CRITICS
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import ALL_PERMISSIONS, REACT, render, until
from tests.standins.github import GitHubStandIn

POINTS: dict[str, tuple[str, ...]] = {
    "1 acknowledged within 3 s while database and models stall": (
        "adapters.discord.test_people.test_an_interaction_is_acknowledged_while_the_desk_stalls",
        "end_to_end.test_discord_debate.test_the_starter_is_acknowledged_at_once_and_edited_in_place",
    ),
    "2 the same event twice has one effect, also after a restart": (
        "adapters.discord.test_people.test_a_redelivered_interaction_has_one_effect",
        "end_to_end.test_discord_points.test_a_redelivery_starts_nothing_twice_even_after_a_restart",
        "end_to_end.test_discord_debate.test_votes_by_reaction_on_findings_and_the_verdict_are_counted",
    ),
    "4 a post of unknown outcome is there once": (
        "adapters.discord.test_delivery.test_a_post_that_took_effect_behind_an_error_is_not_doubled",
        "adapters.discord.test_delivery.test_a_cut_connection_is_uncertain_and_sending_again_doubles_nothing",
        "end_to_end.test_discord_many.test_errors_after_the_effect_cut_connections_and_new_sessions_double_and_lose_nothing",
    ),
    "5 kill -9 between a post and its note doubles nothing": (
        "end_to_end.test_discord_killed.test_killed_at_a_few_points_everything_is_told_once",
        "end_to_end.test_discord_killed.test_killed_at_every_point",
    ),
    "6 a request to wait is obeyed, other channels go on, tries are bounded": (
        "adapters.discord.test_delivery.test_a_short_rate_limit_is_waited_for_and_a_long_one_handed_back",
        "end_to_end.test_discord_many.test_ten_debates_in_three_channels_and_one_channel_is_told_to_wait",
        "bot.posting.test_deliver.test_tries_are_bounded_and_the_reason_is_kept",
    ),
    "7 bursts: what Discord limits is waited for, in order": (
        "end_to_end.test_discord_many.test_ten_debates_in_three_channels_and_one_channel_is_told_to_wait",
    ),
    "8 5xx and time-outs are tried again, then fail visibly": (
        "adapters.discord.test_delivery.test_lasting_server_errors_are_uncertain",
        "bot.posting.test_deliver.test_where_the_chat_cannot_tell_a_person_decides",
    ),
    "10 manifest and code name the same commands, intents, scopes and permissions": (
        "adapters.discord.test_manifest.test_the_file_is_what_the_code_does",
        "adapters.discord.test_manifest.test_the_bot_identifies_with_the_declared_intents",
        "adapters.discord.test_grammar.test_every_command_and_option_of_the_grammar_is_there",
    ),
    "11 every body that is sent is valid against schema and limits": (
        "adapters.discord.test_layout.test_every_post_becomes_messages_that_discord_takes",
        "adapters.discord.test_standin.test_bad_messages_are_named",
        "end_to_end.test_discord_debate.test_a_whole_review_word_for_word",
    ),
    "13 text of models and strangers never pings, links or breaks out": (
        "adapters.discord.test_markup.test_no_text_makes_a_mention",
        "adapters.discord.test_delivery.test_no_message_may_ping_anybody_or_unfurl",
        "end_to_end.test_discord_places.test_what_a_pull_request_orders_pings_nobody_and_secrets_stand_nowhere",
    ),
    "14 a long argument is split within limits, whole and in order": (
        "adapters.discord.test_markup.test_no_text_breaks_the_limit_or_a_fence",
        "adapters.discord.test_markup.test_no_word_is_lost",
        "adapters.discord.test_layout.test_a_long_statement_is_numbered_and_keeps_its_fences",
    ),
    "15 everything of a debate stands in its thread, nothing strays into the channel": (
        "end_to_end.test_discord_debate.test_a_whole_review_word_for_word",
        "end_to_end.test_discord_many.test_ten_debates_in_three_channels_and_one_channel_is_told_to_wait",
    ),
    "16 embeds of links are suppressed": (
        "adapters.discord.test_delivery.test_no_message_may_ping_anybody_or_unfurl",
    ),
    "17 votes: own ignored, tones and aliases merged, removal, unknown emoji, double events": (
        "adapters.discord.test_people.test_reactions_reach_the_desk_with_bare_names",
        "end_to_end.test_discord_debate.test_votes_by_reaction_on_findings_and_the_verdict_are_counted",
    ),
    "18 votes cast while we were away count": (
        "end_to_end.test_discord_debate.test_votes_made_and_taken_back_while_the_bot_was_away_are_counted_on_its_return",
        "end_to_end.test_discord_debate.test_a_vote_whose_event_was_lost_is_read_before_the_vote_closes",
    ),
    "19 bots, webhooks and edits are never challenges": (
        "adapters.discord.test_people.test_replies_in_threads_mentions_and_direct_messages_are_offered_to_the_desk",
        "end_to_end.test_discord_debate.test_challenges_by_reply_mention_and_form_are_answered_and_receipted",
    ),
    "20 challenges: live threads only, capped, attributed, fenced": (
        "end_to_end.test_discord_debate.test_challenges_by_reply_mention_and_form_are_answered_and_receipted",
        "end_to_end.test_attacks.test_attack_a16_an_order_in_a_challenge_is_quoted_and_answered",
    ),
    "21 deferred first, results by the channel, also after the token's fifteen minutes": (
        "adapters.discord.test_thread.test_a_debate_longer_than_an_interactions_token_goes_on",
        "end_to_end.test_discord_debate.test_a_debate_of_an_hour_needs_no_interaction_token",
    ),
    "22 nonces of at most 25 characters, made from the post, the same at every try": (
        "adapters.discord.test_delivery.test_nonces_are_made_from_the_post_and_the_channel",
        "end_to_end.test_discord_killed.test_killed_at_a_few_points_everything_is_told_once",
    ),
    "23 RESUME and an invalid session lose and repeat nothing": (
        "adapters.discord.test_gateway.test_a_resumed_session_delivers_what_happened_meanwhile_once",
        "adapters.discord.test_gateway.test_an_invalid_session_is_replaced_and_reactions_are_counted_again",
        "end_to_end.test_discord_many.test_errors_after_the_effect_cut_connections_and_new_sessions_double_and_lose_nothing",
    ),
    "24 buttons work after a restart, stale ones answer politely": (
        "adapters.discord.test_people.test_stale_buttons_and_forms_answer_politely",
        "end_to_end.test_discord_debate.test_buttons_outlive_the_bot_and_old_ones_answer_politely",
    ),
    "25 a missing permission is one clear line and no storm": (
        "adapters.discord.test_delivery.test_missing_permissions_are_named_before_anything_is_sent",
        "end_to_end.test_discord_many.test_missing_permissions_are_one_sentence_to_the_starter_and_rest_the_schedules",
        "end_to_end.test_discord_many.test_a_thread_that_was_archived_is_opened_and_a_deleted_one_is_no_storm",
        "end_to_end.test_discord_points.test_the_doctor_names_what_discord_lacks",
    ),
    "26 without the message-content intent it starts, says so, and mentions and forms work": (
        "adapters.discord.test_gateway.test_without_the_message_content_intent_the_bot_starts_says_so_and_works",
        "end_to_end.test_discord_debate.test_without_the_message_content_intent_mentions_and_forms_challenge",
    ),
    "27 stop: starter or admin, ends the spending, idempotent": (
        "end_to_end.test_discord_debate.test_pause_resume_and_stop_are_for_the_starter_and_admins",
    ),
    "28 two guilds never mix, removing the bot purges": (
        "end_to_end.test_discord_places.test_two_guilds_never_mix_and_one_that_leaves_takes_its_schedules_and_bindings",
        "end_to_end.test_discord_places.test_one_account_is_one_person_in_the_guild_elsewhere_and_in_direct_messages",
        "end_to_end.test_discord_places.test_a_debate_is_told_in_another_channel_only_where_its_starter_may_write",
        "end_to_end.test_discord_places.test_what_is_asked_in_a_private_thread_stays_in_it",
    ),
    "29 the token is in no log, error, database or transcript": (
        "adapters.discord.test_gateway.test_the_token_is_in_no_log_and_no_error",
        "end_to_end.test_discord_places.test_what_a_pull_request_orders_pings_nobody_and_secrets_stand_nowhere",
        "end_to_end.test_discord_killed.test_killed_at_a_few_points_everything_is_told_once",
    ),
    "30 schedules: misfires, clock changes, one run, off when the channel is gone": (
        "bot.schedules.test_schedules.test_late_firings_are_one_and_very_late_ones_are_missed",
        "bot.schedules.test_cron.test_spring_a_time_that_does_not_exist_comes_when_the_clock_has_jumped",
        "bot.schedules.test_cron.test_autumn_a_time_that_comes_twice_fires_the_first_time",
        "bot.schedules.test_schedules.test_twenty_schedules_and_two_replicas_fire_each_once",
        "end_to_end.test_discord_places.test_a_schedule_fires_when_due_speaks_of_what_changed_and_pauses_when_its_channel_is_gone",
    ),
}
"""Points 3, 9 and 12 are Slack's alone: two events for one mention, signed requests, texts beside
blocks.
"""


@pytest.mark.parametrize("point", POINTS)
def test_every_point_has_its_tests(point: str) -> None:
    for name in POINTS[point]:
        module, _, function = name.rpartition(".")
        assert inspect.isfunction(getattr(importlib.import_module(f"tests.{module}"), function)), (
            name
        )


@pytest.fixture
async def town(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[City]:
    github.load_case("py-static-prefix")
    async with city(tmp_path, github) as town:
        yield town


async def test_a_redelivery_starts_nothing_twice_even_after_a_restart(town: City) -> None:
    command = await town.discord.command(
        "start", {"template": "code_review", "target": LINK, "vote_window": "0s"}
    )
    id = read(await town.discord.answer(command)).split("`")[1]
    await town.reaches(id, "finished")
    await town.wait_for_posts()
    for restarted in (False, True):
        if restarted:
            await town.restart()
        command.acknowledged, command.original, command.born = None, None, town.discord.world.now()
        command.followups.clear()
        await town.discord.gateway.dispatch(
            "INTERACTION_CREATE", command.payload, guild=town.discord.guild
        )
        assert f"`{id}`" in await town.discord.answer(command)
    await town.wait_for_posts()
    assert len(await town.parts.service.list()) == 1
    assert len(town.discord.messages(town.discord.general)) == 1
    assert town.discord.world.syncs == 1  # the commands have not changed


async def test_told_to_stop_in_the_middle_it_goes_on_at_the_next_start_and_doubles_nothing(
    town: City,
) -> None:
    town.time.let(CRITICS)
    id = await town.started(vote_window="0s")
    root = await town.root(id)
    await until(
        lambda: "[Not real]" in "".join(town.discord.texts(root["id"])), what="the first finding"
    )
    await town.restart()
    town.time.let()
    await town.reaches(id, "finished")
    await town.wait_for_posts(id, hurry=1)
    assert await untold(town.discord, town.parts.stores.database, id) == []


async def test_a_message_and_an_attached_diff_are_debated(town: City) -> None:
    discord = town.discord
    diff = town.github.pulls["o/r", 412].diff
    there = await discord.reply(
        discord.general, "What of this?", discord.bob, files={"change.diff": diff}
    )
    menu = await discord.context_menu("Debate this", discord.general, there["id"], user=discord.bob)
    reply = read(
        await discord.answer(
            await discord.submit_modal(menu, {"Template": "code_review"}, user=discord.bob)
        )
    )
    debate = await town.reaches(reply.split("`")[1], "waiting")
    assert [c.path for c in debate.open.material.coverage] == ["starlette/staticfiles.py"]
    assert debate.request.asker == f"discord:{discord.guild}/{discord.bob}"


async def test_the_doctor_names_what_discord_lacks(tmp_path: Path) -> None:
    async with DiscordStandIn() as discord:
        env = {
            "DISCORD_TOKEN": discord.token,
            "DISCORD_API_URL": discord.api_url,
            "DISCORD_GATEWAY_URL": discord.gateway_url,
        }

        async def read_states(**changes: str) -> list[tuple[DoctorState, str]]:
            findings = await examine(configured(tmp_path, env | changes))
            return [(f.state, f.what) for f in findings if f.part == "Discord"]

        assert await read_states() == [
            (DoctorState.OK, "Discord knows the bot, and it may all it needs")
        ]
        discord.world.guilds[discord.guild]["roles"][0]["permissions"] = str(
            ALL_PERMISSIONS & ~REACT
        )
        assert await read_states() == [(DoctorState.CARE, "in guild the bot lacks Add Reactions")]
        assert await read_states(DISCORD_TOKEN="of-yesterday") == [
            (DoctorState.BROKEN, "DISCORD_TOKEN is refused")
        ]
        assert await read_states(DISCORD_TOKEN="") == [(DoctorState.OFF, "not configured")]


async def test_answers_of_every_reading_command_are_private(town: City) -> None:
    """A person's look-ups are shown to them alone, and an empty channel says how to begin."""
    for name in ("status", "list", "templates", "help", "leaderboard", "schedule list"):
        command = await town.discord.command(name)
        reply = await town.discord.answer(command)
        assert command.ephemeral, name
        assert reply.strip(), name
        assert command.original is not None
        assert command.original["attachments"] == []  # JSON is for those who ask for it
    assert "Start one: @Debatebot code_review" in read(await town.ask("list"))
    reply = await town.ask("help", topic="mirror")
    assert reply.startswith(
        "Type `/debate` and choose a command: its words are options there. Or mention me and "
        "write a line."
    )
    assert "\n@Debatebot mirror ID PLACE\n" in reply
    assert town.discord.messages(town.discord.general) == []
    assert "no debate 'zzz'" in await town.ask("show", debate="zzz")
    dm = town.discord.world.dm(town.discord.ada)["id"]
    await town.discord.reply(dm, "list --json")
    (answer,) = await until(lambda: town.discord.messages(dm)[1:], what="an answer")
    assert [attachment["filename"] for attachment in answer["attachments"]] == ["debates.json"]


async def test_the_verdict_s_buttons_give_the_transcript_and_start_again(town: City) -> None:
    id = await town.started(vote_window="0s")
    await town.reaches(id, "finished")
    await town.wait_for_posts()
    root = await town.root(id)
    verdict = next(m for m in town.discord.messages(root["id"]) if "Transcript · " in render(m))
    press = await town.discord.press(root["id"], verdict, "Transcript", user=town.discord.bob)
    await town.discord.answer(press)
    assert f"debate-{id}.md" in [
        f["filename"] for m in [press.original, *press.followups] if m for f in m["attachments"]
    ]
    again = (await town.pressed(verdict, "Re-run", town.discord.bob)).split("`")[1]
    await town.reaches(again, "waiting", "finished")
    reply = await town.pressed(root, "Fork", town.discord.bob, "it runs on Windows")
    forked = reply.split("`")[1]
    await town.reaches(forked, "waiting", "finished")
    assert len({id, again, forked}) == 3
