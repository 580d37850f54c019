"""Two libraries with their members, a book that the lender holds, and clients for everybody."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from msgspec import structs

from aggregator.libraries.holdings import Copy, pack_copies
from aggregator.models import Holding, Manifestation
from harvesting.records.compression import pack_encoded
from metadata.record import Item
from tests.aggregator.loan_desk.desks import Desks
from tests.aggregator.loan_desk.desks import desks as make_desks
from tests.aggregator.views.shelf import KOKORO, Shelf


@pytest.fixture
def desks(db: None) -> Desks:
    return make_desks(email="ill@osaka.example.jp", days=21)


@pytest.fixture
def manifestation(shelf: Shelf, library: Any, desks: Desks) -> Manifestation:
    """A book that the lender holds."""
    item = Item(holding_agent="大阪府立図書館", library_code="2127", call_number="913.6", location="2階")
    record = structs.replace(KOKORO, items=(item,))
    made = shelf.book(shelf.record(library, record), record=record, libraries=[desks.lender])
    Holding.objects.update(packed=pack_encoded(pack_copies([Copy(record="R1-I1", item=item)])))
    return made


@pytest.fixture
def enter() -> Callable[[Any], Client]:
    """Return a client of a user: enter(user)."""

    def entered(user: Any) -> Client:
        client = Client(headers={"accept-language": "en"})
        client.force_login(user)
        return client

    return entered
