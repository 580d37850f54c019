"""The facet guard: clients without the readers' cookie must press a button before a search with many conditions."""

import pytest
import time_machine

from aggregator.query.costly_paths import condition_count, kind

DEEP = "/search?q=%E5%BF%83&repository=R900000001&repository=R900000002&type=Book&from=1900&until=2000"


@pytest.mark.parametrize(
    ("pairs", "count"),
    [
        ([("q", "x"), ("title", "y"), ("sort", "newest"), ("page", "2")], 0),
        ([("repository", "R1"), ("repository", "R2"), ("type", "Book")], 3),
        ([("from", "1900"), ("until", "2000")], 1),
        ([("until", "2000")], 1),
        ([("-type", "Map"), ("language", "ja"), ("type", "")], 2),
    ],
)
def test_conditions_counts_the_parameters_that_narrow_a_search(pairs, count):
    assert condition_count(pairs) == count


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/search", "search"),
        ("/en/search", "search"),
        ("/api/search", "search"),
        ("/search/values/creator", "search"),
        ("/suggest", "suggest"),
        ("/thumbnail/9784003101018.jpg", "thumbnail"),
        ("/searching", ""),
        ("/search/continue", ""),
        ("/books/R900000001-Ix", ""),
        ("/static/css/base.css", ""),
    ],
)
def test_only_searches_and_suggestions_are_limited(path, expected):
    assert kind(path) == expected


def test_a_client_without_the_cookie_is_redirected_to_the_button(client, shelf):
    answer = client.get(DEEP)
    assert answer.status_code == 303
    page = client.get(answer["Location"])
    assert page.status_code == 200
    assert 'method="post"' in page.text
    assert "noindex" in page.text


def test_the_button_leads_to_the_same_search_and_is_shown_only_once(client, shelf):
    address = client.get(DEEP)["Location"]
    answer = client.post(address)
    assert (answer.status_code, answer["Location"]) == (303, DEEP)
    assert client.get(DEEP).status_code == 200


def test_the_language_of_the_address_is_kept(client, shelf):
    address = client.get(f"/en{DEEP}")["Location"]
    assert address.startswith("/en/search/continue?")
    assert client.post(address)["Location"] == f"/en{DEEP}"


def test_a_reader_who_narrows_step_by_step_never_sees_the_button(client, shelf):
    assert client.get("/search?q=x&type=Book").status_code == 200
    assert client.get(DEEP).status_code == 200


def test_the_cookie_says_nothing_about_the_reader_but_the_time(client, shelf):
    cookie = client.get("/search?q=x").cookies["reader"]
    assert (cookie.value[:2], cookie["httponly"], cookie["samesite"]) == ("1:", True, "Lax")
    assert "127" not in cookie.value.partition(":")[0]


@pytest.mark.parametrize("written", ["1", "", "1:1tabcd:c2lnbmF0dXJl", "1:1tabcd"])
def test_a_cookie_that_somebody_wrote_is_worth_nothing(client, shelf, written):
    client.cookies["reader"] = written
    assert client.get(DEEP).status_code == 303


def test_a_cookie_is_valid_in_the_network_that_it_was_given_to(client, shelf):
    assert client.get("/search?q=x", REMOTE_ADDR="203.0.113.4").status_code == 200
    assert client.get(DEEP, REMOTE_ADDR="203.0.113.250").status_code == 200
    assert client.get(DEEP, REMOTE_ADDR="198.51.100.4").status_code == 303


def test_a_cookie_is_valid_for_a_short_time_and_renewed_while_it_is_used(client, shelf):
    with time_machine.travel("2026-03-01T10:00:00Z", tick=False) as clock:
        client.get("/search?q=x")
        clock.shift(1.5 * 60 * 60)
        assert "reader" in client.get("/search?q=y").cookies
        clock.shift(1.5 * 60 * 60)
        assert client.get(DEEP).status_code == 200
        clock.shift(3 * 60 * 60)
        assert client.get(DEEP).status_code == 303


def test_the_button_leads_to_no_other_site(client, shelf):
    answer = client.post("/search/continue?next=https://evil.example/&q=x")
    assert answer["Location"].startswith("/search?")


def test_the_api_has_no_facet_guard(client, shelf):
    assert client.get(DEEP.replace("/search", "/api/search")).status_code == 200
