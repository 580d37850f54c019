import pytest
from msgspec import structs

from metadata.record import Title
from tests.aggregator.provision.ndl.helpers import ARTICLE, FIELDS
from tests.aggregator.views.shelf import KOKORO
from tests.stored_once import stored_once


@pytest.fixture
@stored_once
def kokoro(shelf, library):
    """A book with everything that clients read; returns its source record."""
    record = structs.replace(KOKORO, **FIELDS)
    source = shelf.record(library, record)
    shelf.book(source, record=record)
    return source


@pytest.fixture
@stored_once
def article(shelf, library):
    record = structs.replace(
        KOKORO,
        titles=(Title(value="こころの構造"),),
        identifiers=(),
        issued="2011",
        material_types=(ARTICLE,),
        items=(),
    )
    source = shelf.record(library, record)
    shelf.book(source, record=record)
    return source


@pytest.fixture
@stored_once
def many(shelf, library):
    """Seven books from 1990 to 1996."""
    for number in range(7):
        record = structs.replace(
            KOKORO, titles=(Title(value=f"図書 {number}"),), identifiers=(), issued=str(1990 + number)
        )
        shelf.book(shelf.record(library, record), record=record)
