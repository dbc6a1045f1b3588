"""The rules for every test hold for the tests of the programs, too."""

from __future__ import annotations

from tests.conftest import (
    clean_environment,
    data_folder_of_its_own,
    databases_are_copied,
    logging_as_it_was,
    only_this_machine,
    pytest_collection_finish,
    pytest_sessionstart,
)

__all__ = [
    "clean_environment",
    "data_folder_of_its_own",
    "databases_are_copied",
    "logging_as_it_was",
    "only_this_machine",
    "pytest_collection_finish",
    "pytest_sessionstart",
]
