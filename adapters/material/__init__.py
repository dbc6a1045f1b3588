"""Reading what is to be debated.

``MaterialLibrary`` implements ``ports.MaterialLibrary``; ``redact`` is for every text that
leaves.
"""

from adapters.forges.port import Host, PullFilter
from adapters.forges.refusals import RateLimited
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings, standard_hosts
from adapters.redaction import redact

__all__ = [
    "Host",
    "LibrarySettings",
    "MaterialLibrary",
    "PullFilter",
    "RateLimited",
    "redact",
    "standard_hosts",
]
