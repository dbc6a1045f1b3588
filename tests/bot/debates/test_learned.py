"""Facts about a model that no table holds are asked of its server before a debate is priced, and
again by the process that plays it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot import doctor
from bot.settings import Settings, read
from bot.wire.parts import Parts, open_parts
from core.debate.events import DebateRequest
from tests.standins.openai import OpenAI, Say, openai

NAME = "openrouter/maker/model"
ROW = {
    "id": "maker/model",
    "context_length": 200_000,
    "pricing": {"prompt": "0.000003", "completion": "0.000015"},
}


def settings(folder: Path, server: OpenAI, **env: str) -> Settings:
    return read(
        {
            "DEBATE_DATABASE_URL": str(folder / "debate.db"),
            "DEBATE_MODELS": NAME,
            "OPENROUTER_API_KEY": "k" * 20,
            "OPENROUTER_API_BASE": server.base,
            **env,
        }
    )


@asynccontextmanager
async def parts_on(folder: Path, server: OpenAI) -> AsyncIterator[Parts]:
    async with open_parts(settings(folder, server)) as parts:
        yield parts


async def test_a_price_that_its_server_tells_is_known(tmp_path: Path) -> None:
    async with openai() as server:
        server.listed, server.answers = [ROW], [Say(("{}",))]
        request = DebateRequest("design_doc", "Tabs or spaces?", "shell:ann", "shell:ann")
        async with parts_on(tmp_path, server) as parts:
            prepared = await parts.service.prepare(request)
            id = await parts.service.open(prepared)
        assert prepared.cost.unknown == ()
        assert prepared.cost.likely
        assert len(server.keys) == 1, "asked once for its list"
        async with parts_on(tmp_path, server) as another:
            debate = await another.player.play(id)
    assert debate.usages
    assert all(usage.usd for usage in debate.usages), (
        "whoever plays it in another process knows the price too"
    )


async def test_the_doctor_says_what_a_model_reads_and_costs_or_what_to_write(
    tmp_path: Path,
) -> None:
    async with openai() as server:
        server.listed = [ROW]
        known = doctor.as_text(await doctor.examine(settings(tmp_path, server)))
        server.listed = []
        unknown = doctor.as_text(await doctor.examine(settings(tmp_path, server)))
        gateway = doctor.as_text(
            await doctor.examine(settings(tmp_path, server, DEBATE_MODELS="acme/large"))
        )
    assert (
        f"{NAME}: reads 176,000 tokens; a million tokens cost $3.00 read, $15.00 written" in known
    )
    assert f"{NAME}: reads 16,000 tokens (assumed); nobody knows what it costs" in unknown
    lines = unknown.partition("into the file that DEBATE_MODELS_FILE names:")[2].splitlines()
    file = tmp_path / "models.toml"
    file.write_text("\n".join(line.strip() for line in lines[1:5]))
    async with openai() as server:
        written = settings(tmp_path, server, DEBATE_MODELS_FILE=str(file))
        after = doctor.as_text(await doctor.examine(written))
    assert f"{NAME}: reads" in after
    assert "a million tokens cost $1.00 read, $3.00 written" in after
    assert f"{file}: 1 described" in after
    assert 'name = "acme/large"' in gateway
    assert 'address = "https://HOST/v1"' in gateway
