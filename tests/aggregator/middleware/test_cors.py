"""CORS: pages of other sites may read data in a browser, but never a page with a session."""

import pytest

# All CORS headers of a response. They are the same for every origin, so that a cache needs one copy of a page only.
SENT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Content-Disposition, Deprecation, ETag, Link, Retry-After, Sunset, RateLimit, "
    "RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
}
PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Accept-Language, Authorization, Content-Type, If-Modified-Since, "
    "If-None-Match",
    "Access-Control-Max-Age": "86400",
}


def cors_headers(answer) -> dict[str, str]:
    return {name.title(): answer[name] for name in answer.headers if name.lower().startswith("access-control-")}


@pytest.fixture
def source(shelf, library):
    found = shelf.record(library)
    shelf.book(found)
    return found


def test_interfaces_for_programs_are_open_to_every_site(client, source):
    paths = ["/api/search", f"/api/records/{source.public_id}", "/api/repositories", "/api/openapi.json", "/sru"]
    paths += ["/opensearch?q=a", "/opensearch.xml", "/feeds/search.atom", "/repositories.json", "/repositories.csv"]
    paths += ["/oai?verb=Identify"]
    paths += [f"/books/{source.public_id}.{ending}" for ending in ("rdf", "json", "jsonld", "xml", "ris", "bib")]
    for path in paths:
        answer = client.get(path, headers={"Origin": "https://elsewhere.example"})
        assert (path, answer.status_code, answer["Access-Control-Allow-Origin"]) == (path, 200, "*")
        assert "Access-Control-Allow-Credentials" not in answer
        assert not answer.cookies


def test_errors_of_the_api_are_open_as_well(client, shelf):
    for path, status in (("/api/search?size=0", 400), ("/api/nowhere", 404)):
        answer = client.get(path)
        assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (status, "*")


def test_pages_send_no_cors_headers(client, source):
    for path in ("/", "/search?q=a", f"/books/{source.public_id}", "/api/docs", "/data", "/manage/", "/login"):
        answer = client.get(path, headers={"Origin": "https://elsewhere.example", "Accept": "text/html"})
        assert "Access-Control-Allow-Origin" not in answer, path


def test_a_permanent_link_that_redirects_to_data_is_open_as_well(client, source):
    answer = client.get(f"/books/{source.public_id}", headers={"Accept": "application/ld+json"})
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (302, "*")


def test_a_preflight_is_answered_at_once(client, db, django_assert_num_queries):
    headers = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "GET"}
    with django_assert_num_queries(0):
        answer = client.options("/api/search", headers=headers | {"Access-Control-Request-Headers": "authorization"})
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (204, "*")
    assert "Authorization" in answer["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Origin" not in client.options("/manage/", headers=headers)


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://elsewhere.example"}])
def test_the_headers_are_these_with_and_without_an_origin(client, source, origin):
    for path in ("/api/search", "/en/api/search", "/oai?verb=Identify", "/repositories.csv", "/dumps/none"):
        answer = client.get(path, headers=origin)
        assert cors_headers(answer) == SENT
        assert "origin" not in answer.get("Vary", "").lower()
    for more in ({}, {"Access-Control-Request-Method": "GET"}):
        answer = client.options("/sru", headers=origin | more)
        assert (answer.status_code, answer["Allow"]) == (204, PREFLIGHT["Access-Control-Allow-Methods"])
        assert cors_headers(answer) == PREFLIGHT
        assert "Vary" not in answer
