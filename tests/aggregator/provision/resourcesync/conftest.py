"""A catalogue of six records of two providers."""

from pathlib import Path

import pytest

from aggregator.tasks import aggregate
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.stored_once import stored_once


@pytest.fixture(autouse=True)
def folder(settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
@stored_once
def catalogue(shelf: Shelf) -> Shelf:
    for number in range(6):
        shelf.put("ab"[number % 2], f"oai:p:{number}", record(str(number), title=f"{number}冊目の本"))
    aggregate()
    return shelf
