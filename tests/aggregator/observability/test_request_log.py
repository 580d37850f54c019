"""The request log: every request has an id, and a log line without private data."""

import logging

import pytest

from aggregator.observability.request_log import KINDS, kind


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/books/R000000001-Iabc", "page"),
        ("/en/books/R000000001-Iabc", "page"),
        ("/books/R000000001-Iabc.json", "data"),
        ("/search", "search"),
        ("/suggest", "suggest"),
        ("/static/css/site.css", "static"),
        ("/oai", "oai"),
        ("/api/search", "api"),
        ("/resourcesync/all/resourcelist.xml", "resourcesync"),
        ("/manage/harvests/", "staff"),
        ("/admin/", "staff"),
        ("/metrics", "operation"),
        ("/", "other"),
        ("/../../etc/passwd", "other"),
    ],
)
def test_the_address_determines_the_part_of_the_site(path, expected):
    assert kind(path) == expected
    assert expected in KINDS


def test_every_response_has_its_own_request_id(client, db):
    numbers = {client.get("/about")["X-Request-ID"] for _ in range(2)}
    assert len(numbers) == 2
    assert all(len(number) == 32 for number in numbers)


@pytest.mark.parametrize(
    ("proxies", "given", "kept"),
    [(["127.0.0.1"], "number-of-nginx", True), ([], "number-of-nginx", False), (["127.0.0.1"], "a b\n", False)],
)
def test_the_request_id_of_a_trusted_proxy_is_used(client, db, settings, proxies, given, kept):
    settings.TRUSTED_PROXIES = proxies
    answer = client.get("/about", headers={"X-Request-ID": given})
    assert (answer["X-Request-ID"] == given) is kept


@pytest.mark.parametrize(("proxies", "secure"), [(["127.0.0.1"], True), ([], False)])
def test_only_a_trusted_proxy_can_say_that_a_request_was_encrypted(client, db, settings, proxies, secure):
    settings.TRUSTED_PROXIES = proxies
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_HSTS_SECONDS = 60
    answer = client.get("/about", headers={"X-Forwarded-Proto": "https"})
    assert ("Strict-Transport-Security" in answer) is secure


def test_the_log_line_contains_neither_the_search_nor_the_address(client, db, settings, caplog):
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    caplog.set_level(logging.INFO, "aggregator.access")
    client.get("/about?q=a+private+search", headers={"X-Forwarded-For": "203.0.113.77"})
    (record,) = [entry for entry in caplog.records if entry.name == "aggregator.access"]
    assert record.getMessage() == "GET /about 200"
    assert record.about["network"] == "203.0.113.0/24"
    assert "private" not in str(record.__dict__)
    assert "113.77" not in str(record.__dict__)
