"""Descriptions of commands and options, which Discord shows in each reader's language. Names stay
English, because people type them and the documentation shows them.
"""

from __future__ import annotations

from collections.abc import Callable

import discord
from discord import app_commands

from core.languages import ENGLISH, accepted, speaking

_LANGUAGES = {locale: accepted(locale.value, ENGLISH) for locale in discord.Locale}


def localized(write: Callable[[], str]) -> app_commands.locale_str:
    """Returns the text that ``write`` says, in English and for Discord's other languages."""
    with speaking(ENGLISH):
        return app_commands.locale_str(write(), write=write)


class Catalogues(app_commands.Translator):
    """Translates only the descriptions made by ``localized``."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        language = _LANGUAGES[locale]
        if language == ENGLISH or (write := string.extras.get("write")) is None:
            return None
        with speaking(language):
            return str(write())
