"""Finding the lists of a ResourceSync source from any of its addresses, and following them safely."""

import gzip
from collections.abc import Iterator

import pytest

from harvesting.transports.resourcesync.links import header_links, html_links, registered_domain, robots_sitemaps
from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, Request
from tests.harvesting.transports.resourcesync_source import (
    AT,
    Source,
    document,
    entry,
    index,
    ln,
    md,
    names,
    observations,
    part,
    records,
    source,
)


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


def simple(site: Source) -> None:
    site.offer(resourcelist="/list.xml")
    site.at["/list.xml"] = document(
        ln("up", site.url("/caps.xml")), md(capability="resourcelist", at=AT), *site.resources(2)
    )


@pytest.mark.parametrize("path", ["/", "/.well-known/resourcesync", "/caps.xml", "/list.xml"])
def test_any_address_of_the_source_leads_to_its_lists(site, path):
    simple(site)
    site.at["/"] = Answer(body=b"<html><head><title>x</title></head></html>", headers={"Content-Type": "text/html"})
    assert names(site.harvest(path)) == ["r0.xml", "r1.xml"]


def test_a_page_may_link_to_its_capability_list(site):
    simple(site)
    del site.at["/.well-known/resourcesync"]
    site.at["/page"] = b'<html><head><link rel="resourcesync" href="/caps.xml"/></head><p>x'
    assert names(site.harvest("/page")) == ["r0.xml", "r1.xml"]
    site.at["/page"] = Answer(body=b"<html>", headers={"Link": '</caps.xml>; rel="resourcesync"'})
    assert names(site.harvest("/page")) == ["r0.xml", "r1.xml"]


@pytest.mark.parametrize("page", [Answer(status=404), Answer(status=410), Answer(body=b"<html>under repair</html>")])
def test_an_address_without_lists_is_not_replaced_by_other_sources_of_the_host(site, page):
    simple(site)
    site.at["/library/caps.xml"] = page
    with pytest.raises(TransportError) as caught:
        site.harvest("/library/caps.xml")
    assert (caught.value.code, caught.value.permanent) == ("rs.elsewhere", True)
    assert caught.value.facts["found"] == site.url("/.well-known/resourcesync")


def test_a_source_in_the_requested_folder_is_not_reported(site):
    simple(site)
    site.at["/library/.well-known/resourcesync"] = site.at.pop("/.well-known/resourcesync")
    assert names(site.harvest("/library/")) == ["r0.xml", "r1.xml"]
    assert not observations(site.harvest("/library"))


def test_robots_names_resource_lists_before_plain_sitemaps(site):
    site.at["/plain.xml"] = document(entry(site.url("/index.html")))
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    site.at["/robots.txt"] = f"User-agent: *\nSitemap: {site.url('/plain.xml')}\nsitemap: /list.xml".encode()
    batches = site.harvest("/")
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert "rs.plain_sitemap" not in observations(batches)


def test_a_plain_sitemap_is_read_and_reported(site):
    site.resources(1)
    site.at["/sitemap.xml"] = document(entry(site.url("/r0.xml"), lastmod="2026-01-02"))
    batches = site.harvest("/sitemap.xml")
    assert names(batches) == ["r0.xml"]
    assert {"rs.plain_sitemap", "rs.no_date"} <= set(observations(batches))


@pytest.mark.parametrize("body", [None, b"<html><title>Login</title><p>x", b"hello"])
def test_where_there_is_nothing_the_error_names_what_was_tried(site, body):
    if body:
        site.at["/"] = body
    with pytest.raises(TransportError) as caught:
        site.harvest("/")
    assert (caught.value.code, caught.value.permanent) == ("rs.not_found", True)
    assert "/.well-known/resourcesync" in caught.value.facts["tried"]


def test_several_sets_are_all_read_or_the_one_named(site):
    site.at["/.well-known/resourcesync"] = document(
        md(capability="description"),
        *(
            entry(site.url(f"/{name}/caps.xml"), ln("describedby", f"http://x.example/{name}"))
            for name in ("books", "maps")
        ),
    )
    for start, name in enumerate(("books", "maps")):
        entries = site.resources(1, start)
        site.at[f"/{name}/caps.xml"] = document(
            md(capability="capabilitylist"), entry(site.url(f"/{name}.xml"), md(capability="resourcelist"))
        )
        site.at[f"/{name}.xml"] = document(
            md(capability="resourcelist", at=f"2026-01-0{3 - start}T00:00:00Z"), *entries
        )
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert batches[0].response_date.day == 2  # the older list
    assert names(site.harvest(set_spec="maps")) == ["r1.xml"]
    assert [listed_set.spec for listed_set in site.transport().sets()] == [
        site.url("/books/caps.xml"),
        site.url("/maps/caps.xml"),
    ]
    with pytest.raises(TransportError) as caught:
        site.harvest(set_spec="films")
    assert caught.value.code == "rs.unknown_set"
    assert "/books/caps.xml" in caught.value.facts["available"]


def test_a_capability_list_with_several_lists_of_a_kind_is_read_whole(site):
    """WEKO3 has a list for each index, and capability="capability" in the Capability List."""
    site.at["/.well-known/resourcesync"] = document(
        md(capability="description"), entry(site.url("/caps.xml"), md(capability="capability"))
    )
    site.at["/caps.xml"] = document(
        md(capability="capabilitylist"),
        *(entry(site.url(f"/{number}.xml"), md(capability="resourcelist")) for number in range(2)),
    )
    for number in range(2):
        site.at[f"/{number}.xml"] = document(md(capability="resourcelist"), *site.resources(2, number * 2))
    assert names(site.harvest()) == ["r0.xml", "r1.xml", "r2.xml", "r3.xml"]


def indexed(site: Source, *parts: str) -> None:
    site.offer(resourcelist="/index.xml")
    site.at["/index.xml"] = index(md(capability="resourcelist", at=AT), *(part(site.url(path)) for path in parts))
    for number in range(3):
        site.at[f"/p{number}.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2, number * 2))


def test_an_index_is_read_list_by_list(site):
    indexed(site, "/p0.xml", "/p1.xml", "/p2.xml")
    batches = site.harvest()
    assert names(batches) == [f"r{number}.xml" for number in range(6)]
    assert batches[-1].exhaustive


def test_relative_addresses_are_those_of_the_document(site):
    indexed(site)
    site.at["/index.xml"] = index(md(capability="resourcelist", at=AT), part("p1.xml"))
    assert names(site.harvest()) == ["r2.xml", "r3.xml"]


def test_an_index_that_lists_itself_or_a_list_twice_ends(site):
    indexed(site, "/p0.xml", "/index.xml", "/p0.xml")
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert "rs.loop" in observations(batches)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [("/nested.xml", "rs.nested_index"), ("/none.xml", "http.404"), ("/cut.xml", "xml.malformed")],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_bad_part_of_an_index_leaves_a_gap_and_the_others_are_read(site, bad, reason, first):
    indexed(site, *([bad, "/p0.xml"] if first else ["/p0.xml", bad]))
    site.at["/nested.xml"] = site.at["/index.xml"]
    site.at["/cut.xml"] = site.at["/p1.xml"][:-60]
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert "rs.list_missing" in observations(batches)
    assert [(gap.from_, gap.until, gap.facts) for gap in batches[-1].gaps] == [
        ("", "", {"url": site.url(bad), "reason": reason})
    ]
    assert not batches[-1].exhaustive


def test_a_part_of_an_index_that_can_be_read_later_leaves_no_gap(site):
    indexed(site, "/p1.xml", "/p0.xml")
    real, tries = site.answer, []

    def missing_once(request: Request) -> Answer:
        tries.append(request.path)
        return Answer(status=404) if request.path == "/p1.xml" and tries.count("/p1.xml") < 3 else real(request)

    site.server.answer = missing_once
    batches = site.harvest()
    assert (names(batches), batches[-1].gaps) == (["r0.xml", "r1.xml", "r2.xml", "r3.xml"], ())
    assert batches[-1].exhaustive


def test_a_capability_list_that_cannot_be_read_leaves_a_gap(site):
    simple(site)
    site.at["/.well-known/resourcesync"] = document(
        md(capability="description"),
        entry(site.url("/caps.xml"), md(capability="capabilitylist")),
        entry(site.url("/none.xml"), md(capability="capabilitylist")),
    )
    assert [gap.facts["url"] for gap in site.harvest()[-1].gaps] == [site.url("/none.xml")]


def test_gzip_files_are_unpacked(site):
    simple(site)
    site.at["/list.xml.gz"] = Answer(
        body=gzip.compress(site.at["/list.xml"]), headers={"Content-Type": "application/gzip"}
    )
    site.offer(resourcelist="/list.xml.gz")
    assert names(site.harvest()) == ["r0.xml", "r1.xml"]


def test_a_truncated_list_is_requested_again(site):
    simple(site)
    whole = site.at["/list.xml"]
    answers = iter([whole[:-40], whole])
    real = site.answer
    site.server.answer = lambda request: Answer(body=next(answers)) if request.path == "/list.xml" else real(request)
    assert names(site.harvest()) == ["r0.xml", "r1.xml"]


XXE = b'<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/hostname">]><urlset><url><loc>&a;</loc></url></urlset>'


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<html><title>Maintenance</title><p>", "rs.not_resourcesync"),
        (b"<urlset><url><loc>http://a.example/</loc>", "xml.malformed"),
        (XXE, "xml.forbidden"),
        (b"<!DOCTYPE urlset><urlset><url><loc>http://a/&b;</loc></url></urlset>", "xml.malformed"),
        (b"", "rs.not_resourcesync"),
    ],
)
@pytest.mark.parametrize("path", ["/caps.xml", "/list.xml"])
def test_documents_of_other_kinds_get_specific_errors(site, body, code, path):
    simple(site)
    site.at[path] = body or Answer(body=b" ")
    with pytest.raises(TransportError) as caught:
        site.harvest()
    assert caught.value.code == code


def test_hub_links_outside_documents_are_understood():
    links = list(header_links('<http://h.example/>; rel="hub", </t>;rel=self', "http://a.example/x/"))
    assert [(link.rel, link.href) for link in links] == [("hub", "http://h.example/"), ("self", "http://a.example/t")]
    page = b"<HTML><head><LINK href='c.xml' REL=resourcesync></head>"
    assert [link.href for link in html_links(page, "http://a.example/x/")] == ["http://a.example/x/c.xml"]
    assert robots_sitemaps(b"Sitemap: /a.xml\nSITEMAP: http://b.example/b.xml", "http://a.example/robots.txt") == (
        "http://a.example/a.xml",
        "http://b.example/b.xml",
    )


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://repo.lib.example.ac.jp/x", "example.ac.jp"),
        ("http://www.example.jp/", "example.jp"),
        ("http://data.example.com:8080/", "example.com"),
        ("http://192.0.2.1/", "192.0.2.1"),
        ("http://[2001:db8::1]/", "2001:db8::1"),
        ("http://localhost/", "localhost"),
        ("http://[broken/", ""),
    ],
)
def test_the_owner_of_a_host_is_recognised_by_its_name(url, expected):
    assert registered_domain(url) == expected


def test_an_entry_without_an_address_is_skipped_and_reported(site):
    simple(site)
    site.at["/list.xml"] = document(
        md(capability="resourcelist", at=AT), entry("javascript:alert(1)"), "<url/>", *site.resources(1)
    )
    batches = site.harvest()
    assert len(records(batches)) == 1
    assert "rs.bad_entry" in observations(batches)
    assert not batches[-1].exhaustive
