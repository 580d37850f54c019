"""Contents and their metadata: which of them is the record, its identifier and format, hashes and lengths."""

import base64
import gzip
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from harvesting.transports.resourcesync.documents import Entry, Link
from harvesting.transports.resourcesync.fixity import check_data, listed_hashes
from harvesting.transports.resourcesync.linking import ResourceKind, Style, best_link, kind_of, style_of, target_of
from harvesting.types import TransportError
from metadata.about import About
from tests.harvesting.fakeserver import Answer
from tests.harvesting.transports.resourcesync_source import (
    AT,
    Source,
    document,
    entry,
    ln,
    md,
    metadata,
    names,
    observations,
    records,
    sha256,
    source,
)

DC, JPCOAR = "http://purl.org/dc/elements/1.1/", "https://github.com/JPCOAR/schema/blob/master/2.0/"
DATA = metadata("本")


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


def listed(site: Source, *entries: str) -> None:
    site.offer(resourcelist="/list.xml")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *entries)


def content(site: Source, *links: str) -> str:
    return entry(site.url("/a.pdf"), md(type="application/pdf", hash="md5:00", length="1"), *links)


def test_a_content_stands_for_its_metadata_where_only_contents_are_listed(site):
    site.at["/a.xml"] = DATA
    link = ln("describedby", site.url("/a.xml"), type="application/xml", hash=sha256(DATA), length=str(len(DATA)))
    listed(site, content(site, link))
    batches = site.harvest()
    (record,) = records(batches)
    assert (record.identifier, record.payload, record.issues) == (site.url("/a.pdf"), DATA, ())
    assert batches[-1].memory["style"] == "linked"
    site.offer(resourcelist="/list.xml", changelist="/changes.xml")
    site.at["/changes.xml"] = document(
        md(capability="changelist", from_="2026-01-01T00:00:00Z"), site.change("/a.pdf", "deleted", AT)
    )
    later = site.harvest(since=datetime(2026, 1, 3, tzinfo=UTC), memory=batches[-1].memory)
    assert names(later) == ["-a.pdf"]


def test_metadata_with_entries_of_their_own_are_read_once(site):
    site.at["/a.xml"] = DATA
    listed(
        site,
        content(site, ln("describedby", site.url("/a.xml"))),
        entry(site.url("/a.xml"), md(type="application/xml"), ln("describes", site.url("/a.pdf"))),
    )
    batches = site.harvest()
    assert names(batches) == ["a.xml"]
    assert site.requested_paths.count("/a.xml") == 1
    assert "rs.skipped_content" in observations(batches)


def test_contents_without_metadata_are_counted_and_not_fetched(site):
    listed(site, content(site), entry(site.url("/b.jpg")), *site.resources(1))
    batches = site.harvest()
    assert names(batches) == ["r0.xml"]
    assert [observation.facts["count"] for observation in batches[-1].observations] == [2]
    assert not {"/a.pdf", "/b.jpg"} & set(site.requested_paths)


def test_the_wanted_format_is_chosen_among_several(site):
    site.at["/dc.xml"], site.at["/jpcoar.xml"] = DATA, metadata("他")
    listed(
        site,
        entry(site.url("/jpcoar.xml"), md(type="application/xml"), ln("profile", JPCOAR)),
        entry(site.url("/dc.xml"), md(type="application/xml"), ln("profile", DC)),
    )
    batches = site.harvest()
    assert names(batches) == ["dc.xml"]
    assert "rs.skipped_format" in observations(batches)
    with pytest.raises(TransportError) as caught:
        site.harvest(metadata_prefix="dcndl")
    assert caught.value.code == "rs.format"


def test_a_page_for_people_may_lead_to_its_metadata(site):
    site.at["/records/1"] = Answer(
        body=b"<html><title>x</title>", headers={"Link": '</1.xml>; rel="describedby"; type="application/xml"'}
    )
    site.at["/records/2"] = b'<html><link rel="alternate" type="application/rdf+xml" href="/2.rdf"><p>x'
    site.at["/records/3"] = b"<!DOCTYPE html><html><p>x</p></html>"
    site.at["/1.xml"] = site.at["/2.rdf"] = DATA
    listed(site, *(entry(site.url(f"/records/{number}"), lastmod="2026-01-01") for number in (1, 2, 3)))
    batches = site.harvest()
    assert names(batches) == ["1", "2"]
    assert records(batches)[0].payload == DATA
    assert "rs.skipped_page" in observations(batches)


def test_pages_that_lead_nowhere_are_not_fetched_for_ever(site):
    for number in range(40):
        site.at[f"/{number}.html"] = b"<html><p>x"
    listed(site, *(entry(site.url(f"/{number}.html")) for number in range(40)))
    batches = site.harvest()
    assert sum(path.endswith(".html") for path in site.requested_paths) == 20
    assert batches[-1].observations[-1].facts["count"] == 40


def test_declared_metadata_that_is_a_page_is_kept_for_the_report(site):
    listed(site, *site.resources(1))
    site.at["/r0.xml"] = b"<html><p>Login"
    (record,) = records(site.harvest())
    assert record.payload == b"<html><p>Login"
    assert record.root is None


def test_a_resource_in_gzip_is_verified_packed_and_stored_unpacked(site):
    packed = gzip.compress(DATA)
    site.at["/r.xml.gz"] = Answer(body=packed, headers={"Content-Type": "application/gzip"})
    listed(site, entry(site.url("/r.xml.gz"), md(hash=sha256(packed), length=str(len(packed)), type="application/xml")))
    (record,) = records(site.harvest())
    assert (record.payload, record.issues) == (DATA, ())


def test_other_encodings_become_utf_8(site):
    site.at["/r.xml"] = '<?xml version="1.0" encoding="UTF-16"?><r>本</r>'.encode("utf-16")
    listed(site, entry(site.url("/r.xml")))
    assert "本".encode() in records(site.harvest())[0].payload


def test_links_to_licences_are_kept(site):
    site.at["/a.xml"] = DATA
    listed(
        site,
        entry(
            site.url("/a.xml"), md(type="application/xml"), ln("license", "https://l.example/by"), ln("license", "x:y")
        ),
    )
    (record,) = records(site.harvest())
    assert record.about == About(rights=("https://l.example/by",))


def test_collections_are_sets(site):
    site.at["/r.xml"] = DATA
    listed(site, entry(site.url("/r.xml"), ln("collection", "http://a.example/set")))
    assert records(site.harvest())[0].set_specs == ("http://a.example/set",)


@pytest.mark.parametrize(
    ("loc", "type", "expected"),
    [
        ("http://a.example/1", "application/rdf+xml; charset=utf-8", ResourceKind.METADATA),
        ("http://a.example/1", "image/svg+xml", ResourceKind.CONTENT),
        ("http://a.example/1", "text/html", ResourceKind.PAGE),
        ("http://a.example/1.PDF?x=1", "", ResourceKind.CONTENT),
        ("http://a.example/1.xml.gz", "", ResourceKind.METADATA),
        ("http://a.example/1", "", ResourceKind.UNKNOWN),
    ],
)
def test_the_kind_is_recognised_by_type_or_else_by_name(loc, type, expected):
    assert kind_of(Entry(loc=loc, attributes={"type": type} if type else {})) is expected


def test_the_style_is_recognised_by_the_links_of_a_list():
    linked = Entry(loc="http://a.example/1.pdf", links=(Link(rel="describedby", href="http://a.example/1.xml"),))
    assert style_of([linked]) is Style.LINKED
    assert style_of([linked, Entry(loc="http://a.example/1.xml")]) is Style.LISTED
    assert style_of([Entry(loc="http://a.example/1.xml")]) is Style.UNKNOWN
    assert target_of(linked, Style.LISTED, "").skip_reason == "content"


def test_priority_decides_between_equivalent_links():
    links = [
        Link(rel="describedby", href="http://a.example/2", attributes={"pri": "2"}),
        Link(rel="describedby", href="http://a.example/1", attributes={"pri": "1"}),
        Link(rel="describedby", href="http://a.example/j", attributes={"profile": JPCOAR}),
    ]
    assert best_link(links, "oai_dc") == links[1]
    assert best_link(links, "jpcoar") == links[2]


@pytest.mark.parametrize("name", ["md5", "sha-1", "sha-256", "sha-512"])
def test_each_known_algorithm_is_checked(name):
    found = hashlib.new(name.replace("-", "")).name
    digest = hashlib.new(found, DATA).hexdigest()
    assert check_data(DATA, {"hash": f"{name}:{digest.upper()}"}) == ()
    assert [issue.code for issue in check_data(b"other", {"hash": f"{name}:{digest}"})] == ["rs.E001"]


def test_one_wrong_hash_among_right_ones_is_wrong():
    right = f"md5:{hashlib.md5(DATA).hexdigest()}"
    assert [issue.code for issue in check_data(DATA, {"hash": f"{right}\n  sha-256:{'0' * 64}"})] == ["rs.E001"]


def test_hashes_in_base64_are_understood_and_others_reported():
    digest = base64.urlsafe_b64encode(hashlib.sha256(DATA).digest()).decode().rstrip("=")
    assert check_data(DATA, {"hash": f"sha-256:{digest}"}) == ()
    assert [issue.code for issue in check_data(DATA, {"hash": "md5:xyz crc32:00"})] == ["rs.W002", "rs.W002"]
    assert listed_hashes("") == ()


def test_the_length_of_a_compressed_transfer_is_accepted_too():
    assert check_data(DATA, {"length": "7"}, "7") == ()
    assert [issue.code for issue in check_data(DATA, {"length": "7"}, "8")] == ["rs.W001"]
    assert check_data(DATA, {"length": "many"}) == ()
