"""The requests that people can make, typed: Slack text, Discord options and the shell all become
one of these.

One module for each group of the help. A class is its command's row
(``core.application.commands.row``): its words and options are its fields, its help is above it, its
permission and what is stored are in it.
"""

from core.application.commands.requests.starting import *  # noqa: F403, I001
from core.application.commands.requests.scheduling import *  # noqa: F403
from core.application.commands.requests.taking_part import *  # noqa: F403
from core.application.commands.requests.reading import *  # noqa: F403
from core.application.commands.requests.operating import *  # noqa: F403
