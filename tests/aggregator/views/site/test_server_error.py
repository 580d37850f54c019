"""While the database cannot be reached, every interface answers 503 in its own form; faults of the program stay 500."""

import sqlite3

import pytest
from django.db import OperationalError, close_old_connections, connection

from core.database.dialects import dialect
from tests.sessions import end_session

DOORS = {
    "/libraries/": "text/html",
    "/en/libraries/": "text/html",
    "/login": "text/html",
    "/repositories.json": "application/problem+json",
    "/api/repositories": "application/problem+json",
    "/api/records/M1": "application/problem+json",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc": "text/plain",
    "/.well-known/resourcesync": "text/plain",
    "/feeds/search.atom?q=x": "text/plain",
    "/sru?operation=searchRetrieve&version=1.2&query=x": "application/xml",
}
pytestmark = pytest.mark.django_db


def lost(*_args):
    raise OperationalError("server closed the connection unexpectedly")


def answer(client, address, failure=lost):
    client.raise_request_exception = False
    client.cookies["sessionid"] = "x" * 32
    accept = "text/html" if DOORS.get(address, "text/html") == "text/html" else "*/*"
    with connection.execute_wrapper(failure):
        return client.get(address, headers={"Accept": accept})


@pytest.mark.parametrize("address", DOORS)
def test_a_lost_connection_is_503_in_the_form_of_the_interface(client, address):
    response = answer(client, address)
    assert (response.status_code, response["Retry-After"]) == (503, "30")
    assert response["Content-Type"].startswith(DOORS[address])


def test_the_page_says_it_in_japanese_and_english(client):
    text = answer(client, "/libraries/").text
    assert "データベースに接続できません" in text
    assert "The database cannot be reached" in text


@pytest.mark.parametrize(("code", "status"), [("BUSY", 503), ("FULL", 503), ("READONLY", 503), ("ERROR", 500)])
def test_sqlites_locks_and_disk_are_503_and_a_missing_table_is_500(client, code, status):
    def failure(*_args):
        cause = sqlite3.OperationalError(code)
        cause.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{code}")
        raise OperationalError(code) from cause

    assert answer(client, "/libraries/", failure).status_code == status


def test_a_connection_is_checked_before_it_is_used_again(settings):
    assert settings.DATABASES["default"]["CONN_HEALTH_CHECKS"] is True


@pytest.mark.skipif(not dialect().is_networked, reason="SQLite has no server that could end a session")
@pytest.mark.django_db(transaction=True)
def test_a_session_that_the_server_ended_is_503_at_every_door_and_the_next_request_works(client):
    client.raise_request_exception = False
    for address, media in DOORS.items():
        accept = "text/html" if media == "text/html" else "*/*"
        end_session()
        response = client.get(address, headers={"Accept": accept})
        if response.status_code != 200:  # a page that reads nothing from the database
            assert (address, response.status_code, response["Retry-After"]) == (address, 503, "30")
            assert response["Content-Type"].startswith(media), address
        close_old_connections()  # as at the beginning and end of a request, which the test client leaves out
        assert client.get(address).status_code < 500, address
