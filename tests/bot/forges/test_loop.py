"""The loop that a team lives in, whole: label, debate, review, reply, push, merge, question."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientSession

from adapters.posts.export import markdown
from adapters.terminal.terminal import Style, Terminal
from bot.forges.review import preview_review
from bot.forges.write import issue_post
from bot.library.results import result_of
from bot.shell.cli import show
from bot.shell.cli import take as typed
from bot.shell.playing.run import Shell, shell_caller
from core.application.commands import PostReview
from core.application.desk import Button
from core.debate.errors import CouldNotFinish
from core.debate.events import ChallengeRaised, FollowUpDue, ForgeNoted
from core.debate.verdict.action_items import action_items
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from core.debate.verdict.learned.judged import outcomes_of
from core.words.outcome import outcome
from core.words.outcome.record import decision_record
from tests.bot.forges.test_ledger import defect, reply_of
from tests.bot.forges.town import MAINTAINER, NUMBER, REPO, Town, diff, town
from tests.standins.github import redirect
from tests.standins.github_state import Person

AT = (REPO, NUMBER)


async def installed(t: Town) -> None:
    """The workspace's admin follows the link of ``setup github`` and installs the App."""
    text = (await t.ask("setup github")).text
    link = re.search(rf"on {t.host} for this workspace: (\S+/installations/new\?\S+)", text)
    assert link is not None, text
    assert "debatebot-of-acme" in link[1]
    one = t.github.app.install("o", REPO)
    one.contents = "write"
    t.github.app.codes["once"] = Person("olga", 7, {one.id: {REPO: True}})
    t.github.written.permissions[REPO, "olga"] = "admin"
    given = {
        "state": parse_qs(urlsplit(link[1]).query)["state"][0],
        "installation_id": f"{one.id}",
        "code": "once",
    }
    async with (
        ClientSession() as session,
        session.get(f"{t.hooks}/github/app/installed", params=given) as answer,
    ):
        page = await answer.text()
        state = re.search(r'name="state" value="([^"]+)"', page)
        assert state is not None, page
        yes = {"state": state[1]}
        async with session.post(f"{t.hooks}/github/app/given", data=yes) as done:
            assert done.status == 200


async def test_from_the_label_to_the_question_whether_it_held(tmp_path: Path) -> None:
    first = diff(
        a=["x = 1 # BUG one"], b=["y = 2 # BUG two"], c=["z = 3"], d=["pass # BUG imagined"]
    )
    async with town(tmp_path, app=True, diff=first, labels=("debate",), private=True) as t:
        await installed(t)
        answer = await t.ask("setup github o/r --labels debate --on comment,push")
        assert answer.text.startswith("This channel can now debate pull requests of o/r. Starts a")
        listed = (await t.ask("setup github")).text
        assert listed.startswith("o/r: Starts a debate: the label debate; a comment /debate by")

        assert await t.label() == 202
        debate = await t.play()
        imagined = next(m for m in merge_findings(debate) if "imagined" in m.wording.title)
        for person in ("slack:T1/U2", "slack:T1/U3"):
            vote = Button("vote", "Not real", f"{debate.id}:{imagined.id}:not_real")
            assert (await t.press(vote, person)).ok
        debate = await t.settle()
        (run,) = t.github.written.checks[REPO]
        assert (run.conclusion, run.head_sha) == ("neutral", t.pull.head)
        assert run.title == "Advice: Changes requested: 2 findings must be fixed before merging"
        assert run.details_url == f"https://bot.example/d/{debate.id}"

        post = Button("post", "Post the review", debate.id)
        preview = await t.press(post)
        (exactly,) = preview.buttons
        refused = await t.press(exactly, "slack:T1/U4", name=t.pull.author)
        assert (refused.ok, "You wrote this change" in refused.text) == (False, True)
        assert "only a named maintainer" in (await t.press(exactly)).text
        older = Button("approve", "", f"{debate.id}:{'0' * 16}")
        assert "has changed since you saw it" in (await t.press(older, MAINTAINER)).text
        await t.work()
        assert t.github.written.reviews[AT] == []
        approved = await t.press(exactly, MAINTAINER)
        assert approved.text.startswith("Approved. The thread says when")
        await t.work()
        (review,) = t.github.written.reviews[AT]
        comments = t.github.written.comments[AT]
        assert [(c.path, c.line) for c in comments] == [("src/a.py", 11), ("src/b.py", 11)]
        assert (review.event, review.commit_id) == ("COMMENT", t.pull.head)
        assert "Left out, because people called it not real: 1." in review.body
        for text in (review.body, *(c.body for c in comments)):
            assert text in preview.text
        assert "posted" in await t.noted()
        assert "The review was posted: https://" in (await t.press(post)).text

        comment = comments[0]
        t.github.written.answer_in_thread(AT, comment.id, "mallory", "It is never called.")
        reply = {"id": 9001, "in_reply_to_id": comment.id, "body": "It is never called."}
        await t.tell("pull_request_review_comment", "created", comment=reply, sender="mallory")
        reopened = await t.settle()
        assert [e.by for e in reopened.endings] == ["github:github.com/mallory"]
        assert reopened.final
        (reply_to,) = [
            c for c in t.github.written.comments[AT] if c.in_reply_to and c.user != "mallory"
        ]
        assert reply_to.in_reply_to == comment.id
        assert "mallory's objection" in reply_to.body
        (run,) = t.github.written.checks[REPO]
        assert run.status == "completed"

        second = diff(a=["x = 1 # fine now"], b=["y = 2 # BUG two"], c=["z = 3", "# BUG three"])
        rerun = await t.push("c", second)
        assert rerun.request.after == debate.id
        assert rerun.request.story == debate.id
        raised = [e for e in await t.events(rerun.id) if isinstance(e, ChallengeRaised)]
        assert raised == [], "the seats have answered it"
        states = {m.wording.title: m.state for m in merge_findings(rerun)}
        assert states == {
            "Defect one": FindingState.RESOLVED,
            "Defect two": FindingState.OPEN,
            "Defect three": FindingState.OPEN,
            "Defect imagined": FindingState.DISPUTED,
        }
        await t.approve()
        reviews = t.github.written.reviews[AT]
        assert len(reviews) == 2
        comments = t.github.written.comments[AT]
        new = [c for c in comments if c.review == reviews[1].id]
        assert [(c.path, c.line) for c in new] == [("src/c.py", 12)]
        assert "It is never called." in reviews[1].body
        assert "mallory's objection" in reviews[1].body
        replies = [c for c in comments if c.in_reply_to and c.user != "mallory"]
        (answered,) = [c for c in replies if c.id != reply_to.id]
        assert answered.body.startswith("Resolved as of `ccccccc`. I looked\n")
        opened = [c for c in comments if c.in_reply_to is None]
        assert [(c.path, c.resolved) for c in opened] == [
            ("src/a.py", False),  # mallory wrote in it
            ("src/b.py", False),
            ("src/c.py", False),
        ]
        echo = {"id": answered.id, "in_reply_to_id": comment.id, "body": answered.body}
        status = await t.tell(
            "pull_request_review_comment", "created", comment=echo, sender="debatebot[bot]"
        )
        assert status == 200  # our own words come back as an event and mean nothing

        t.pull.state, t.pull.merged_at = "closed", "2026-05-03T12:00:00Z"
        t.pull.merge_commit = "e" * 40
        await t.tell("pull_request", "closed")
        await t.play()
        assert "merged" in await t.noted()
        t.github.written.commits[REPO] += [
            {"sha": "d" * 40, "message": "Tidy", "paths": {"README.md": "@@ -1,1 +1,1 @@\n-a\n+b"}},
            {"sha": "f" * 40, "message": f"Revert it\n\nThis reverts commit {'e' * 40}.",
             "paths": {"src/b.py": "@@ -11,1 +11,1 @@\n-y = 2 # BUG two\n+y = 3"}},
        ]  # fmt: skip
        t.clock.go(days=2, hours=2)
        await t.work()
        assert "reverted" in await t.noted()
        became = {one.mark: one.became for one in outcomes_of(await t.latest())}
        assert sorted(became.values()) == ["fixed", "not_real", "reverted", "reverted"]
        t.clock.go(days=12)
        await t.work()
        t.clock.go(days=30)
        await t.work()
        questions = [e for e in await t.events(rerun.id) if isinstance(e, FollowUpDue)]
        assert questions == []  # code knows what became of everything that was demanded
        assert len(await t.debates()) == 2
        tokens = {one.authorization for one in t.github.seen if one.path.startswith("/repos/")}
        assert all("ghs_" in token for token in tokens)


async def test_an_app_that_is_suspended_for_a_while_stays_linked(tmp_path: Path) -> None:
    async with town(tmp_path, app=True, private=True) as t:
        await installed(t)
        await t.ask("setup github o/r --labels debate")
        await t.label()
        await t.settle()
        (one,) = t.github.app.installations.values()
        payload = {"id": one.id, "html_url": "https://github.com/x", "account": {"login": "o"}}
        for suspended, line in ((True, "not_posted"), (False, "posted")):
            one.suspended = suspended
            action = "suspend" if suspended else "unsuspend"
            await t.tell("installation", action, installation=payload)
            await t.approve()
            assert (await t.noted())[-1] == line
        (why,) = [e.text for e in await t.events((await t.latest()).id)
                  if isinstance(e, ForgeNoted) and e.what == "not_posted"]  # fmt: skip
        assert "This installation has been suspended" in why


async def test_an_action_item_that_a_person_chose_becomes_one_issue(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        debate = await t.review()
        items = action_items(debate)
        listed = await t.press(Button("issues", "Create issues", debate.id))
        assert len(listed.buttons) == len(items) > 0
        for _ in range(2):
            assert (await t.press(listed.buttons[0])).ok
            t.github.lose("/issues$")
            await t.work()
        (issue,) = t.github.written.issues[REPO]
        assert f"https://github.com/{REPO}/pull/{NUMBER}" in issue.body
        assert issue.body.startswith(f"To do: {items[0]}")
        assert (await t.noted()).count("issue") == 1


async def test_a_long_review_is_shown_whole_in_a_file(tmp_path: Path) -> None:
    what = ("apples", "bridges", "clouds", "drums", "elephants")
    many = {one[0]: [f"{one}() # BUG LONG {one}"] for one in what}
    async with town(tmp_path, diff=diff(**many)) as t:
        debate = await t.review()
        answer = await t.press(Button("post", "Post the review", debate.id))
        _, review = await preview_review(t.parts.context, debate.id)
        assert len(review.render()) > 4000
        assert [file.text for file in answer.files] == [review.render()]
        assert [button.value for button in answer.buttons] == [f"{debate.id}:{review.digest}"]


async def test_the_shell_prints_the_text_with_its_hash_and_posts_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with town(tmp_path) as t:
        debate = await t.review()
        shell = Shell(t.bot, Terminal(StringIO(), style=Style.PLAIN, width=80), "shell:me")
        ask = PostReview(debate.id)
        show(ask, await t.bot.desk.take(ask, shell_caller("shell:me")), shell)
        _, review = await preview_review(t.parts.context, debate.id)
        printed = capsys.readouterr().out
        assert review.render() in printed
        last = f"Post exactly this: debate post {debate.id} --approve {review.digest}"
        assert printed.rstrip().endswith(last)
        wrong = PostReview(debate.id, approve="0" * 16)
        refused = await t.bot.desk.take(wrong, shell_caller("shell:me"))
        assert (refused.ok, refused.code) == (False, 2)
        right = PostReview(debate.id, approve=review.digest)
        capsys.readouterr()
        assert await typed(right, shell, ()) == 0
        assert len(t.github.written.reviews[AT]) == 1, "nobody else wrote it"
        (row,) = [r for r in await t.parts.context.work.of(debate.id) if r.work.kind == "review"]
        assert row.result["url"].startswith("http")
        assert capsys.readouterr().out == f"The review was posted: {row.result['url']}\n"
        assert await typed(right, shell, ()) == 0, "again says where it stands"
        assert len(t.github.written.reviews[AT]) == 1
        await t.play()
        assert "posted" in await t.noted(debate.id)


async def test_the_shell_says_why_a_review_was_not_posted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with town(tmp_path) as t:
        debate = await t.review()
        shell = Shell(t.bot, Terminal(StringIO(), style=Style.PLAIN, width=80), "shell:me")
        _, review = await preview_review(t.parts.context, debate.id)
        t.pull.state = "closed"
        with pytest.raises(CouldNotFinish) as why:
            await typed(PostReview(debate.id, approve=review.digest), shell, ())
        assert str(why.value) == (
            "The review was not posted: o/r#412 was closed meanwhile. Try again: debate post "
            f"{debate.id} · after new commits: debate {debate.open.material.source} --recheck"
        )
        ask = PostReview(debate.id)
        again = await t.bot.desk.take(ask, shell_caller("shell:me"))
        assert again.text.startswith("The review was not posted: o/r#412 was closed meanwhile.")
        assert [one.value for one in again.buttons] == [f"{debate.id}:{review.digest}"]
        t.pull.state = "open"
        assert await typed(PostReview(debate.id, approve=review.digest), shell, ()) == 0
        assert capsys.readouterr().out.startswith("The review was posted: ")


async def test_a_reply_that_is_refused_is_told_why_and_answered_by_the_next_run(
    tmp_path: Path,
) -> None:
    async with town(tmp_path) as t:
        debate = await t.review()
        await t.approve()
        (comment,) = t.github.written.comments[AT]
        for number in range(4):  # one person may object three times to one verdict
            body = f"It is never called {number}."
            t.github.written.answer_in_thread(AT, comment.id, "mallory", body)
            reply = {"id": 9001 + number, "in_reply_to_id": comment.id, "body": body}
            await t.tell("pull_request_review_comment", "created", comment=reply, sender="mallory")
            await t.settle()
        assert await t.debates() == [debate.id]
        replies = [c for c in t.github.written.comments[AT] if c.in_reply_to]
        ours = [c.body for c in replies if c.user != "mallory"]
        assert len(ours) == 4
        assert "You have objected 3 times to this verdict" in ours[-1]
        assert "put to the seats of the next review" in ours[-1]
        await t.press(Button("recheck", "Let the seats answer now", debate.id))
        await t.work()
        again = await t.settle()
        assert again.request.after == debate.id
        assert not again.failure
        raised = [e for e in await t.events(again.id) if isinstance(e, ChallengeRaised)]
        assert [e.author for e in raised] == ["github:github.com/mallory"]
        (finding,) = merge_findings(again)
        assert finding.demand is not None
        await t.approve()
        comments = [c for c in t.github.written.comments[AT] if c.in_reply_to is None]
        assert len(comments) == 1  # never repeated


async def test_a_change_that_was_closed_and_reopened_is_not_asked_about(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.review()
        t.pull.state = "closed"
        await t.tell("pull_request", "closed")
        await t.play()
        t.pull.state = "open"
        t.clock.go(minutes=1)
        await t.tell("pull_request", "reopened")
        await t.play()
        assert (await t.noted())[-2:] == ["closed", "reopened"]
        t.clock.go(days=15)
        await t.work()
        debate = await t.latest()
        assert not [e for e in await t.events(debate.id) if isinstance(e, FollowUpDue)]


async def test_after_a_rebase_the_check_says_what_still_holds(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_GATE": "always"}) as t:
        debate = await t.review()
        count = len(t.provider.requests)
        again = await t.push("c", t.pull.diff, base="d" * 40, how="diverged")
        assert again.request.story == debate.id
        assert "has the same changes as before (it was rebased)" in again.failure
        assert len(t.provider.requests) == count
        states = [one["state"] for one in t.github.written.statuses[REPO, "c" * 40]]
        assert states[-1] == "failure"
        descriptions = [one["description"] for one in t.github.written.statuses[REPO, "c" * 40]]
        assert descriptions[-1] == "Changes requested: 1 finding must be fixed before merging"
        before = len(await t.debates())
        await t.label()
        await t.settle()
        assert len(await t.debates()) == before
        more = diff(a=["x = 1 # BUG one"], b=["y = 1 # BUG two"])
        third = await t.push("e", more, base="d" * 40)
        assert {m.wording.title for m in merge_findings(third)} == {"Defect one", "Defect two"}


async def test_a_repository_that_was_renamed_gets_its_review(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.review()
        t.github.pulls["o/new", NUMBER] = t.pull
        there = f"{t.github.url}/repos/o/new/pulls/{NUMBER}/reviews"
        t.github.spoil("o/r/pulls/412/reviews", redirect(there, 307), method="POST")
        await t.approve()
        assert (await t.noted())[-1] == "posted"
        assert len(t.github.written.reviews["o/new", NUMBER]) == 1


async def test_nobody_requests_changes_on_their_own_pull_request(tmp_path: Path) -> None:
    """GitHub refuses that, and so the review comments."""
    async with town(tmp_path, author="bob", env={"DEBATE_GATE": "always"}) as t:
        await t.review(request_changes=True)
        await t.approve()
        assert [(one.user, one.event) for one in t.github.written.reviews[AT]] == [
            ("bob", "COMMENT")
        ]
        assert len(t.github.written.comments[AT]) == 1


async def test_who_wrote_the_change_is_known_by_their_account_too(tmp_path: Path) -> None:
    same = {"DEBATE_SAME_PERSON": "github:github.com/mallory=slack:T1/U5"}
    async with town(tmp_path, env=same) as t:
        debate = await t.review()
        (button,) = (await t.press(Button("post", "Post the review", debate.id))).buttons
        refused = await t.press(button, "slack:T1/U5", name="Molly")
        assert (refused.ok, "You wrote this change" in refused.text) == (False, True)
        assert (await t.press(button, "slack:T1/U6", name="Nick")).ok


def test_an_issue_begins_with_our_words() -> None:
    """A line that begins with a slash is an order to GitLab."""
    post = issue_post("d", 1, "https://gitlab.com/o/r/-/merge_requests/1", "", "/move o/other", "")
    assert [x for x in str(post.payload["issue"]["body"]).split("\n") if x.startswith("/")] == []


async def test_an_issue_shows_the_action_item_as_it_was_written(tmp_path: Path) -> None:
    fix = "Escape <script> & co, ask @bob"
    one = defect("Markup is shown", "src/a.py", 11, "x = 1 # BUG one", fix)
    async with town(tmp_path) as t:
        t.provider.reply = reply_of([one])
        debate = await t.review()
        listed = await t.press(Button("issues", "Create issues", debate.id))
        assert (await t.press(listed.buttons[0])).ok
        await t.work()
        (issue,) = t.github.written.issues[REPO]
        assert issue.title == "Escape <script> & co, ask `@bob`"
        assert issue.body.startswith("To do: Escape &lt;script> & co, ask `@bob`\n")


async def test_programs_get_an_action_item_as_written_and_documents_get_it_escaped_once(
    tmp_path: Path,
) -> None:
    fix = "Escape <script>, ask @bob, see [it](https://evil.example) and &lt;b>"
    harmless = "Escape &lt;script>, ask `@bob`, see it (`https://evil.example`) and &amp;lt;b>"
    one = defect("Markup is shown", "src/a.py", 11, "x = 1 # BUG one", fix)
    async with town(tmp_path) as t:
        t.provider.reply = reply_of([one])
        debate = await t.review()
        document = outcome(debate)
        assert document["verdict"]["action_items"] == [fix]
        assert result_of(debate).verdict.actions == (fix,)
        listed = await t.press(Button("issues", "Create issues", debate.id))
        record = decision_record(debate, "")
        for text in (document["report"], markdown(debate), record, listed.text):
            assert harmless in text
            assert not re.search(r"^.*(?:<script>|\[it\]\().*$", text, re.MULTILINE)
