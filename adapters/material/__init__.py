"""Reading what is to be debated.

``Shelf`` is the library behind ``core.ports.Library``; ``redact`` is for every text that leaves.
"""

from adapters.forges.port import Host, PullFilter, PullRef
from adapters.forges.refusals import RateLimited
from adapters.material.library import Shelf
from adapters.material.settings import ShelfSettings, standard_hosts
from adapters.redaction import redact

__all__ = [
    "Host",
    "PullFilter",
    "PullRef",
    "RateLimited",
    "Shelf",
    "ShelfSettings",
    "redact",
    "standard_hosts",
]
