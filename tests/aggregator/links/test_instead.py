"""Where readers are led instead of a dead link."""

from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from msgspec import structs

from aggregator.catalogue.etags import page_tag
from aggregator.links.addresses import host_of, key_of, pattern_of
from aggregator.links.dead import CACHE
from aggregator.links.instead import links_instead
from aggregator.models import CheckedLink, Holding, Library, LinkHost, LinkPattern, Manifestation
from aggregator.tasks import aggregate
from metadata.record import Item
from tests.aggregator.links.conftest import Catalogue, book
from tests.aggregator.shelves import match_and_merge

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
OWN, OPENURL = "https://town.example/find?isbn={isbn}", "https://union.example/openurl?isbn={isbn}"
PAGE, HOME, TOP = "https://union.example/r/1", "https://union.example/", "https://town.example/"


@pytest.fixture
def held(catalogue: Catalogue) -> Catalogue:
    """A book with every kind of link: the library's template, the provider's, a page, and two home pages."""
    catalogue.add(book(1, PAGE, ISBN))
    Library.objects.update(link_template=OWN, page=TOP)
    repository = catalogue.repository
    repository.link_template, repository.home_page = OPENURL, HOME
    repository.save()
    match_and_merge()
    return catalogue


def merged_again() -> None:
    Manifestation.objects.update(merge_since="2026-01-01T00:00:00Z")
    match_and_merge()


def dies(url: str, catalogue: Catalogue, **changes: Any) -> None:
    host = LinkHost.objects.get_or_create(name=host_of(url), defaults={"repository": catalogue.repository})[0]
    pattern = LinkPattern.objects.get_or_create(text=pattern_of(url), defaults={"host": host})[0]
    row = {"url": url, "repository": catalogue.repository, "library": catalogue.library, "pattern": pattern}
    row |= {"book": Holding.objects.values_list("manifestation", flat=True)[0], "state": "dead", **changes}
    CheckedLink.objects.update_or_create(key=key_of(url), defaults=row)
    caches[CACHE].clear()


def lives(url: str) -> None:
    CheckedLink.objects.filter(url=url).update(state="alive")
    caches[CACHE].clear()


def link_on_page(client: Client) -> tuple[str, str]:
    data = client.get(f"/api/records/M{number()}").json()
    library = data["libraries"][0]
    return library["link"], library["link_kind"]


def number() -> int:
    return Holding.objects.values_list("manifestation", flat=True)[0]


def filled(template: str) -> str:
    return template.format(isbn=ISBN)


def test_readers_are_led_to_the_next_kind_of_link_and_back(held: Catalogue, client: Client) -> None:
    merged_again()
    order = [
        (filled(OWN), "openurl"),
        (filled(OPENURL), "openurl"),
        (PAGE, "detail"),
        (TOP, "top"),
        (HOME, "top"),
        ("", ""),
    ]
    for link in order:
        assert link_on_page(client) == link
        if link[0]:
            dies(link[0], held)
    for url, kind in reversed(order[:-1]):
        lives(url)
        assert link_on_page(client) == (url, kind)


def test_a_dead_pattern_leads_readers_elsewhere_from_links_that_were_not_checked(
    held: Catalogue, client: Client
) -> None:
    merged_again()
    host = LinkHost.objects.create(name="town.example", repository=held.repository)
    pattern = LinkPattern.objects.create(text=pattern_of(filled(OWN)), host=host, dead=True)
    caches[CACHE].clear()
    assert link_on_page(client) == (filled(OPENURL), "openurl")
    pattern.delete()
    host.state = "gone"
    host.save()
    caches[CACHE].clear()
    assert link_on_page(client) == (filled(OPENURL), "openurl")
    host.state = "unreachable"  # not for long
    host.save()
    caches[CACHE].clear()
    assert link_on_page(client) == (filled(OWN), "openurl")


def test_every_page_with_the_link_leads_elsewhere(held: Catalogue, client: Client) -> None:
    merged_again()
    dead, pages = filled(OWN), ("/books/M{}", "/books/M{}/holdings", "/books/M{}/holders.json", "/search?q=本の題名")
    for page in pages:
        path = page.format(number())
        before = client.get(path)
        assert before.status_code == 200, path
        body = before.content.decode()
        if "search" not in page:
            assert "town.example/find" in body, path
    dies(dead, held)
    for page in pages:
        body = client.get(page.format(number())).content.decode()
        assert "town.example/find" not in body, page
        if "search" not in page:
            assert "union.example/openurl" in body, page


def test_the_tag_of_a_page_changes_with_its_links_only(held: Catalogue) -> None:
    merged_again()
    name = f"M{number()}"
    before = page_tag(name)
    dies("https://elsewhere.example/1", held, book=999)
    assert page_tag(name) == before
    dies(filled(OWN), held)
    assert page_tag(name) != before
    lives(filled(OWN))
    assert page_tag(name) == before


def test_a_dead_link_of_a_copy_is_left_out(catalogue: Catalogue, client: Client) -> None:
    record = book(1, "", ISBN)
    copies = (("1", "https://union.example/r/1"), ("2", "https://union.example/r/2"))
    items = tuple(Item(holding_agent="町立図書館", call_number=name, see_also=(page,)) for name, page in copies)
    catalogue.add(structs.replace(record, items=items))
    path = f"/books/M{number()}"
    assert b"union.example/r/2" in client.get(path).content
    dies("https://union.example/r/2", catalogue)
    body = client.get(path).content
    assert b"union.example/r/2" not in body
    assert b"union.example/r/1" in body


def test_nothing_is_read_where_no_link_is_dead(held: Catalogue, django_assert_num_queries: Any) -> None:
    merged_again()
    links = [(number(), held.library.pk, filled(OWN))]
    with django_assert_num_queries(1):  # once a minute
        assert links_instead(links) == {}
    with django_assert_num_queries(0):
        assert links_instead(links) == {}
    dies(filled(OWN), held)
    with django_assert_num_queries(1 + 4):
        assert links_instead(links)[links[0][:2]].url == filled(OPENURL)


def test_what_is_given_on_stays_as_recorded(held: Catalogue, client: Client) -> None:
    merged_again()
    aggregate()
    path = "/oai?verb=ListRecords&metadataPrefix=dcndl"
    before = client.get(path).content
    assert b"town.example/find" in before
    dies(filled(OWN), held)
    assert client.get(path).content.partition(b"<request")[2] == before.partition(b"<request")[2]
