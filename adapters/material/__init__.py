"""Reading what is to be debated. ``Shelf`` is the library behind ``core.ports.Library``; ``redact`` is for every text that leaves."""

from adapters.material.forges import Host, PullFilter, PullRef
from adapters.material.redaction import redact
from adapters.material.refusals import RateLimited
from adapters.material.shelf import Shelf
from adapters.material.shelf_settings import ShelfSettings, standard_hosts

__all__ = ["Host", "PullFilter", "PullRef", "RateLimited", "Shelf", "ShelfSettings", "redact", "standard_hosts"]
