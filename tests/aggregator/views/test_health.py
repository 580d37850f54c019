"""Health, robots, languages and the pages for errors."""

import pytest


def test_health_is_ok_when_database_and_index_can_be_read(client, shelf):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "database": "ok", "index": "ok"})


def test_health_names_what_failed(client, shelf, monkeypatch):
    def broken():
        raise OSError("no such folder")

    monkeypatch.setattr("aggregator.views.health.get_index", broken)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["index"], answer.json()["database"]) == (503, "failed", "ok")


def test_the_language_is_switched_by_a_form_and_kept(client, shelf):
    answer = client.post("/language", {"language": "en", "next": "/repositories/"})
    assert answer["Location"] == "/repositories/"
    assert '<html lang="en">' in client.get("/").text


@pytest.mark.parametrize("name", ["/nope", "/books/", "/repositories/R1"])
def test_the_404_page_offers_a_search(client, shelf, name):
    answer = client.get(name)
    assert answer.status_code == 404
    assert 'role="search"' in answer.text


def test_the_500_page_needs_nothing_that_may_be_broken(client, shelf, monkeypatch):
    def broken():
        raise RuntimeError

    monkeypatch.setattr("aggregator.views.search.directory.totals", broken)
    client.raise_request_exception = False
    answer = client.get("/")
    assert answer.status_code == 500
    assert "No data was lost" in answer.text


def test_pages_carry_the_strict_policy_and_obey_it(client, shelf):
    answer = client.get("/")
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "<script" not in answer.text
    assert " style=" not in answer.text
