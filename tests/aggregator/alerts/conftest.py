"""A site with a mail server, books, and an alert that is confirmed."""

import pytest
from django.core import mail
from msgspec import structs

from aggregator.alerts import requests
from aggregator.models import Manifestation, SearchAlert
from aggregator.views.keeping import alerts as pages
from core.http.rate_limit import Counts, RateLimit
from metadata.record import Title
from tests.aggregator.alerts.mails import ask, deliver, links
from tests.aggregator.views.shelf import KOKORO


@pytest.fixture(autouse=True)
def limits(settings, monkeypatch):
    """A mail server, and counts that no other test has used."""
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "host": "mail.example.jp"}
    for module, name, amount in ((requests, "_mails", 3), (pages, "_limit", 5)):
        limit = RateLimit(Counts(""), name, amount, 3600)
        monkeypatch.setattr(module, name, lambda limit=limit: limit)


@pytest.fixture
def add_book(shelf, library):
    def add(title: str = "こころ", **values) -> Manifestation:
        return shelf.book(shelf.record(library), record=structs.replace(KOKORO, titles=(Title(value=title),), **values))

    return add


@pytest.fixture
def alert(client, db) -> SearchAlert:
    """A confirmed daily alert."""
    ask(client)
    deliver()
    client.post(links()[0])
    mail.outbox.clear()
    return SearchAlert.objects.get()
