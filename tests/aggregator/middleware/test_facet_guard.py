"""The facet guard: clients without the readers' cookie must press a button before a search with many conditions."""

import pytest

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


def test_the_cookie_says_nothing_about_the_reader(client, shelf):
    cookie = client.get("/search?q=x").cookies["reader"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("1", True, "Lax")


def test_the_button_leads_to_no_other_site(client, shelf):
    answer = client.post("/search/continue?next=https://evil.example/&q=x")
    assert answer["Location"].startswith("/search?")


def test_the_api_has_no_facet_guard(client, shelf):
    assert client.get(DEEP.replace("/search", "/api/search")).status_code == 200
