"""robots.txt and the sitemaps."""

import re
from urllib.robotparser import RobotFileParser

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import etree

from aggregator.models import Resource, ResourceSet
from aggregator.views.public import sitemaps
from tests.aggregator.shelves import book_id

SPACE = {"s": sitemaps.NAMESPACE}
BASE = "http://127.0.0.1:8000"


def addresses(client, path: str) -> list[str]:
    root = etree.fromstring(b"".join(client.get(path)))
    return root.xpath("//s:loc/text()", namespaces=SPACE)


def test_every_book_is_listed_once_under_its_permanent_address(client, shelf, library, archive):
    first, second, alone = shelf.record(library), shelf.record(archive), shelf.record(library)
    shelf.book(first, second)
    shelf.book(alone)
    assert addresses(client, "/sitemaps/books-0.xml") == [
        f"{BASE}/books/{book_id(source)}" for source in (first, alone)
    ]


def test_every_address_has_the_time_of_its_last_change(client, shelf, library):
    shelf.book(shelf.record(library))
    text = b"".join(client.get("/sitemaps/books-0.xml")).decode()
    assert re.search(r"<lastmod>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00</lastmod>", text)


def test_the_index_lists_a_file_of_pages_and_one_for_each_span(client, shelf, library, monkeypatch):
    monkeypatch.setattr(sitemaps, "SPAN", 2)
    for _number in range(3):
        shelf.book(shelf.record(library))
    files = addresses(client, "/sitemap.xml")
    assert files[0] == f"{BASE}/sitemaps/pages.xml"
    listed = [address for file in files[1:] for address in addresses(client, file.removeprefix(BASE))]
    assert len(listed) == len(set(listed)) == 3
    assert all(len(addresses(client, file.removeprefix(BASE))) <= 2 for file in files[1:])


def test_the_index_of_an_empty_catalogue_lists_only_pages(client, shelf):
    assert addresses(client, "/sitemap.xml") == [f"{BASE}/sitemaps/pages.xml"]


@pytest.mark.parametrize("number", ["1", "99999999999999999999", "184467440737095"])
def test_a_span_without_books_is_not_found(client, shelf, number):
    assert client.get(f"/sitemaps/books-{number}.xml").status_code == 404


def test_listed_pages_of_the_site_and_of_providers_exist(client, shelf, library):
    listed = addresses(client, "/sitemaps/pages.xml")
    assert f"{BASE}/repositories/{library.number}" in listed
    assert {client.get(address.removeprefix(BASE)).status_code for address in listed} == {200}


def test_libraries_that_are_open_have_their_permanent_addresses_in_a_file_of_their_own(client, shelf):
    first = shelf.library("中央図書館", "2101")
    shelf.library("前身の図書館", "2102", merged_into=first)
    assert f"{BASE}/sitemaps/libraries.xml" in addresses(client, "/sitemap.xml")
    assert addresses(client, "/sitemaps/libraries.xml") == [f"{BASE}/libraries/L{first.pk}"]


def test_queries_of_the_index_do_not_grow_with_the_books(client, shelf, library):
    for _number in range(3):
        shelf.book(shelf.record(library))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get("/sitemap.xml")
    assert len(queries) == 2


def test_robots_may_read_records_but_no_searches_in_any_language(client, shelf):
    rules = RobotFileParser()
    rules.parse(client.get("/robots.txt").text.splitlines())
    for start in ("", "/ja", "/en"):
        for path in ("/", "/books/R900000001-Iabc", "/repositories/", "/about", "/rules/"):
            assert rules.can_fetch("*", f"{start}{path}"), path
        for path in ("/search?q=a", "/api/search", "/list", "/feeds/search.atom?q=a", "/openurl?isbn=1"):
            assert not rules.can_fetch("*", f"{start}{path}"), path
    assert rules.site_maps() == [f"{BASE}/sitemap.xml"]


def test_robots_txt_names_the_resource_list_of_every_set(client, shelf):
    for origin, (name, deleted) in enumerate([("merged", False), ("R000000001", False), ("R000000002", True)]):
        ResourceSet.objects.create(origin=origin, name=name)
        Resource.objects.create(id=origin + 1, origin=origin, stamp=1, deleted=deleted)
    rules = RobotFileParser()
    rules.parse(client.get("/robots.txt").text.splitlines())
    lists = [f"{BASE}/resourcesync/{name}/resourcelist.xml" for name in ("merged", "R000000001")]
    assert rules.site_maps() == [f"{BASE}/sitemap.xml", *lists]


def test_robots_txt_names_the_interfaces_for_collecting_records(client, shelf):
    interfaces = client.get("/robots.txt").text.partition("# For collecting records: ")[2].partition("\n")[0]
    assert f"OAI-PMH {BASE}/oai" in interfaces and f"Sitemap {BASE}/sitemap.xml" in interfaces
