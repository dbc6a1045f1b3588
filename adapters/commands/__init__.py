"""One command grammar for every surface: Slack text, Discord options and the shell all become the
same ``Request``.

Parsing never fails silently: whatever is wrong becomes a ``BadInput`` whose message shows the
nearest right form.
"""

from adapters.commands.help import usage as usage
from adapters.commands.parsing import parse as parse
from adapters.commands.parsing import parse_beside as parse_beside
from adapters.commands.requests import *  # noqa: F403
from adapters.commands.row import Request as Request
from adapters.commands.stored import PricedRequest as PricedRequest
