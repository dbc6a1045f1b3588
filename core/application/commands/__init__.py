"""One command grammar for every surface: Slack text, Discord options and the shell all become the
same ``Request``.

Parsing never fails silently: whatever is wrong becomes a ``BadInput`` whose message shows the
nearest right form.
"""

from core.application.commands.help import usage as usage
from core.application.commands.parsing import parse as parse
from core.application.commands.parsing import parse_with_file as parse_with_file
from core.application.commands.requests import *  # noqa: F403
from core.application.commands.row import Request as Request
from core.application.commands.stored import PricedRequest as PricedRequest
