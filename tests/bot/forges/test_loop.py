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
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from core.debate.verdict.learned.judged import outcomes_of
from core.words.outcome import outcome
from core.words.outcome.record import decision_record
from tests.bot.forges.past import reviewed
from tests.bot.forges.test_ledger import defect, reply_of
from tests.bot.forges.town import MAINTAINER, MERGE_COMMIT, NUMBER, REPO, Town, diff, town
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
        await t.reply("It is never called.")
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
        assert t.threads() == [
            ("src/a.py", 11, False),  # mallory wrote in it
            ("src/b.py", 11, False),
            ("src/c.py", 12, False),
        ]
        echo = {"id": answered.id, "in_reply_to_id": comment.id, "body": answered.body}
        status = await t.tell(
            "pull_request_review_comment", "created", comment=echo, sender="debatebot[bot]"
        )
        assert status == 200  # our own words come back as an event and mean nothing

        await t.merge()
        assert "merged" in await t.noted()
        t.github.written.commits[REPO] += [
            {"sha": "d" * 40, "message": "Tidy", "paths": {"README.md": "@@ -1,1 +1,1 @@\n-a\n+b"}},
            {"sha": "f" * 40, "message": f"Revert it\n\nThis reverts commit {MERGE_COMMIT}.",
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


async def test_a_long_review_is_a_file_in_the_channel_and_the_shell_prints_and_posts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    what = ("apples", "bridges", "clouds", "drums", "elephants")
    many = {one[0]: [f"{one}() # BUG LONG {one}"] for one in what}
    async with town(tmp_path, diff=diff(**many)) as t:
        debate = await t.review()
        _, review = await preview_review(t.parts.context, debate.id)
        assert len(review.render()) > 4000
        answer = await t.press(Button("post", "Post the review", debate.id))
        assert [file.text for file in answer.files] == [review.render()]
        assert [button.value for button in answer.buttons] == [f"{debate.id}:{review.digest}"]
        shell = Shell(t.bot, Terminal(StringIO(), style=Style.PLAIN, width=80), "shell:me")
        ask = PostReview(debate.id)
        show(ask, await t.bot.desk.take(ask, shell_caller("shell:me")), shell)
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
    async with reviewed(tmp_path) as t:
        debate = await t.latest()
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


async def test_a_repository_that_was_renamed_gets_its_review(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        t.github.pulls["o/new", NUMBER] = t.pull
        there = f"{t.github.url}/repos/o/new/pulls/{NUMBER}/reviews"
        t.github.spoil("o/r/pulls/412/reviews", redirect(there, 307), method="POST")
        await t.approve()
        assert (await t.noted())[-1] == "posted"
        assert len(t.github.written.reviews["o/new", NUMBER]) == 1


async def test_who_wrote_the_change_approves_no_review_of_it_and_requests_no_changes(
    tmp_path: Path,
) -> None:
    """The author is known by their account too. GitHub refuses a request for changes on one's own
    pull request, and so the review comments.
    """
    same = {"DEBATE_SAME_PERSON": "github:github.com/bob=slack:T1/U5", "DEBATE_GATE": "always"}
    async with town(tmp_path, author="bob", env=same) as t:
        debate = await t.review(request_changes=True)
        (button,) = (await t.press(Button("post", "Post the review", debate.id))).buttons
        refused = await t.press(button, "slack:T1/U5", name="Molly")
        assert (refused.ok, "You wrote this change" in refused.text) == (False, True)
        assert (await t.press(button, "slack:T1/U6", name="Nick")).ok
        await t.work()
        assert [(one.user, one.event) for one in t.github.written.reviews[AT]] == [
            ("bob", "COMMENT")
        ]
        assert len(t.github.written.comments[AT]) == 1


def test_an_issue_begins_with_our_words() -> None:
    """A line that begins with a slash is an order to GitLab."""
    post = issue_post("d", 1, "https://gitlab.com/o/r/-/merge_requests/1", "", "/move o/other", "")
    assert [x for x in str(post.payload["issue"]["body"]).split("\n") if x.startswith("/")] == []


async def test_an_action_item_becomes_one_issue_and_is_escaped_in_documents_alone(
    tmp_path: Path,
) -> None:
    """Programs get the title as it was written."""
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
        assert len(listed.buttons) == 1
        for _ in range(2):
            assert (await t.press(listed.buttons[0])).ok
            t.github.lose("/issues$")
            await t.work()
        (issue,) = t.github.written.issues[REPO]
        assert issue.title.startswith(
            "Escape <script>, ask `@bob`, see it (`https://evil.example`) and "
        )
        assert issue.body.startswith(f"To do: {harmless}\n")
        assert f"https://github.com/{REPO}/pull/{NUMBER}" in issue.body
        assert (await t.noted()).count("issue") == 1
