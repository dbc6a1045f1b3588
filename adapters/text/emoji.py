"""Emoji under the short names that templates and votes use, and as characters.

Slack sends short names, Discord characters (or the name of a server's own emoji), and people pick
skin tones: all ways to say one emoji become one name.
"""

from __future__ import annotations

_NAMED = {
    "+1": "👍", "-1": "👎", "white_check_mark": "✅", "heavy_check_mark": "✔️",
    "ballot_box_with_check": "☑️", "x": "❌", "negative_squared_cross_mark": "❎",
    "heavy_multiplication_x": "✖️", "arrow_double_up": "⏫", "arrow_double_down": "⏬",
    "arrow_up": "⬆️", "arrow_down": "⬇️", "arrow_left": "⬅️", "arrow_right": "➡️",
    "arrow_up_small": "🔼", "arrow_down_small": "🔽", "arrows_counterclockwise": "🔄",
    "arrows_clockwise": "🔃", "leftwards_arrow_with_hook": "↩️", "repeat": "🔁",
    "zero": "0️⃣", "one": "1️⃣", "two": "2️⃣", "three": "3️⃣", "four": "4️⃣",
    "five": "5️⃣", "six": "6️⃣", "seven": "7️⃣", "eight": "8️⃣", "nine": "9️⃣",
    "keycap_ten": "🔟", "hash": "#️⃣", "a": "🅰️", "b": "🅱️", "test_tube": "🧪",
    "octagonal_sign": "🛑", "hourglass": "⌛", "hourglass_flowing_sand": "⏳",
    "scales": "⚖️", "rocket": "🚀", "wrench": "🔧", "hammer": "🔨", "warning": "⚠️",
    "speech_balloon": "💬", "straight_ruler": "📏", "triangular_ruler": "📐",
    "pencil2": "✏️", "pencil": "📝", "memo": "📝", "grey_question": "❔", "question": "❓",
    "grey_exclamation": "❕", "exclamation": "❗", "bangbang": "‼️", "interrobang": "⁉️",
    "thinking_face": "🤔", "eyes": "👀", "heart": "❤️", "broken_heart": "💔", "star": "⭐",
    "tada": "🎉", "fire": "🔥", "bulb": "💡", "shield": "🛡️", "lock": "🔒", "unlock": "🔓",
    "key": "🔑", "bug": "🐛", "mag": "🔍", "mag_right": "🔎", "no_entry": "⛔",
    "no_entry_sign": "🚫", "raised_hand": "✋", "hand": "✋", "raised_hands": "🙌",
    "clap": "👏", "wave": "👋", "pray": "🙏", "ok_hand": "👌", "point_up": "☝️",
    "point_right": "👉", "point_left": "👈", "fist": "✊", "handshake": "🤝", "shrug": "🤷",
    "red_circle": "🔴", "large_orange_circle": "🟠", "large_yellow_circle": "🟡",
    "large_green_circle": "🟢", "large_blue_circle": "🔵", "large_purple_circle": "🟣",
    "white_circle": "⚪", "black_circle": "⚫", "large_green_square": "🟩",
    "large_red_square": "🟥", "large_yellow_square": "🟨", "checkered_flag": "🏁",
    "triangular_flag_on_post": "🚩", "white_flag": "🏳️", "bell": "🔔",
    "money_with_wings": "💸", "moneybag": "💰", "chart_with_upwards_trend": "📈",
    "chart_with_downwards_trend": "📉", "books": "📚", "clipboard": "📋", "calendar": "📆",
    "clock3": "🕒", "stopwatch": "⏱️", "alarm_clock": "⏰", "crossed_swords": "⚔️",
    "snail": "🐌", "turtle": "🐢",
    "zap": "⚡", "boom": "💥", "construction": "🚧", "package": "📦", "recycle": "♻️",
    "wastebasket": "🗑️", "scissors": "✂️", "link": "🔗", "pushpin": "📌",
    "round_pushpin": "📍", "trophy": "🏆", "medal": "🏅", "crown": "👑", "gem": "💎",
    "seedling": "🌱", "evergreen_tree": "🌲", "sunny": "☀️", "cloud": "☁️",
    "umbrella": "☔", "snowflake": "❄️", "ocean": "🌊", "smile": "😄", "cry": "😢",
    "confused": "😕", "neutral_face": "😐", "sleeping": "😴", "robot_face": "🤖",
    "ghost": "👻", "skull": "💀", "stop_sign": "🛑", "heavy_plus_sign": "➕",
    "heavy_minus_sign": "➖", "heavy_division_sign": "➗", "100": "💯",
    "double_vertical_bar": "⏸️", "arrow_forward": "▶️", "black_square_for_stop": "⏹️",
    "new": "🆕", "ok": "🆗", "sos": "🆘", "up": "🆙", "free": "🆓", "cool": "🆒",
}  # fmt: skip
_ALIASES = {"thumbsup": "+1", "thumbsdown": "-1", "thumbs_up": "+1", "thumbs_down": "-1"}
_TONES = range(0x1F3FB, 0x1F400)
_VARIATION = "\ufe0f"


def _bare(character: str) -> str:
    """Returns an emoji without skin tone, gender and variation selectors; all ways to type it
    become one.
    """
    plain = "".join(each for each in character if ord(each) not in _TONES and each != _VARIATION)
    return plain.partition("\u200d")[0]


_BY_CHARACTER: dict[str, str] = {}
for _name, _character in _NAMED.items():
    _BY_CHARACTER.setdefault(_bare(_character), _name)


def plain_name(name: str) -> str:
    """Returns a short name as Slack sends it, without its skin tone; aliases become one."""
    plain = name.strip(":").split("::")[0]
    return _ALIASES.get(plain, plain)


def character(name: str) -> str:
    """Returns the character of a short name; an emoji passes as it is, an unknown name gives ""."""
    name = name.strip(":")
    if name and not name.isascii():
        return name
    return _NAMED.get(_ALIASES.get(name, name), "")


def short_name(character: str) -> str:
    """Returns the short name of an emoji (or of a server's own emoji, which is its name); an emoji
    without one stays as it is.
    """
    plain = _bare(character)
    return _BY_CHARACTER.get(plain) or _ALIASES.get(plain, plain)
