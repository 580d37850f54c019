"""Deep facet pages: open to people, one button for strangers."""

import pytest

from aggregator.query.costly_paths import conditions, kind

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
def test_a_condition_is_what_narrows(pairs, count):
    assert conditions(pairs) == count


@pytest.mark.parametrize(
    ("path", "found"),
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
def test_only_searches_cost(path, found):
    assert kind(path) == found


def test_a_stranger_on_a_deep_page_is_asked_first(client, shelf):
    answer = client.get(DEEP)
    assert answer.status_code == 303
    asked = client.get(answer["Location"])
    assert asked.status_code == 200
    assert 'method="post"' in asked.text
    assert "noindex" in asked.text


def test_the_button_leads_to_the_very_search_and_never_comes_again(client, shelf):
    asked = client.get(DEEP)["Location"]
    answer = client.post(asked)
    assert (answer.status_code, answer["Location"]) == (303, DEEP)
    assert client.get(DEEP).status_code == 200


def test_the_language_of_the_address_is_kept(client, shelf):
    asked = client.get(f"/en{DEEP}")["Location"]
    assert asked.startswith("/en/search/continue?")
    assert client.post(asked)["Location"] == f"/en{DEEP}"


def test_who_came_step_by_step_is_not_asked(client, shelf):
    assert client.get("/search?q=x&type=Book").status_code == 200
    assert client.get(DEEP).status_code == 200


def test_the_cookie_says_nothing_about_the_reader(client, shelf):
    cookie = client.get("/search?q=x").cookies["reader"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("1", True, "Lax")


def test_the_page_that_asks_leads_nowhere_else(client, shelf):
    answer = client.post("/search/continue?next=https://evil.example/&q=x")
    assert answer["Location"].startswith("/search?")


def test_programs_at_the_api_are_not_asked(client, shelf):
    assert client.get(DEEP.replace("/search", "/api/search")).status_code == 200
