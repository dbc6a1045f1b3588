"""The requests that people can make, typed: Slack text, Discord options and the shell all become
one of these.

One module for each group of the help. A class is its command's row (``adapters.commands.row``): its
words and options are its fields, its help is above it, its permission and what is stored are in it.
"""

from adapters.commands.requests.starting import *  # noqa: F403, I001
from adapters.commands.requests.scheduling import *  # noqa: F403
from adapters.commands.requests.taking_part import *  # noqa: F403
from adapters.commands.requests.reading import *  # noqa: F403
from adapters.commands.requests.operating import *  # noqa: F403
