"""If a source lists the same records in several formats, one of them is chosen and the choice is reported."""

from collections.abc import Iterator

import pytest

from harvesting.transports.resourcesync import tasks
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
    source,
)

DCNDL, OAI_DC = "http://ndl.go.jp/dcndl/terms/", "http://www.openarchives.org/OAI/2.0/oai_dc/"


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


def described(site: Source, name: str, profile: str, of: str) -> str:
    """Add a description of the page `of`, in the format of this profile, and return its entry."""
    site.at[f"/{name}"] = metadata(name)
    links = (ln("profile", profile), ln("describes", site.url(of)))
    return entry(site.url(f"/{name}"), md(type="application/xml"), *links, lastmod="2026-01-02T13:00:00Z")


def both(site: Source, *books: str) -> list[str]:
    return [
        described(site, f"{book}.{ending}.xml", profile, f"/{book}")
        for book in books
        for ending, profile in (("dc", OAI_DC), ("ndl", DCNDL))
    ]


def listed(site: Source, *entries: str) -> None:
    site.offer(resourcelist="/list.xml")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *entries)


def test_of_two_descriptions_of_one_book_the_richer_one_is_taken(site):
    listed(site, *both(site, "a", "b"))
    batches = site.harvest(metadata_prefix="")
    assert names(batches) == ["a.ndl.xml", "b.ndl.xml"]
    (chosen,) = [
        observation for batch in batches for observation in batch.observations if observation.code == "rs.formats"
    ]
    assert (chosen.facts["formats"], chosen.facts["taken"]) == ("dcndl, oai_dc", "dcndl")


def test_a_requested_format_is_taken_without_an_observation(site):
    listed(site, *both(site, "a", "b"))
    batches = site.harvest(metadata_prefix="oai_dc")
    assert names(batches) == ["a.dc.xml", "b.dc.xml"]
    assert "rs.formats" not in observations(batches)


def test_books_of_one_format_each_are_all_taken(site):
    listed(site, described(site, "a.xml", OAI_DC, "/a"), described(site, "b.xml", DCNDL, "/b"))
    batches = site.harvest(metadata_prefix="")
    assert names(batches) == ["a.xml", "b.xml"]
    assert "rs.formats" not in observations(batches)


def sets(site: Source, *formats: str) -> None:
    """Give the source a set for each format, as many systems do."""
    capability_lists = []
    for name in formats:
        path = f"/{name}/r.xml"
        site.at[path] = metadata(name)
        site.at[f"/{name}/list.xml"] = document(md(capability="resourcelist", at=AT), site.listing(path, site.at[path]))
        site.at[f"/{name}/caps.xml"] = document(
            md(capability="capabilitylist"), entry(site.url(f"/{name}/list.xml"), md(capability="resourcelist"))
        )
        capability_lists.append(entry(site.url(f"/{name}/caps.xml"), md(capability="capabilitylist")))
    site.at["/.well-known/resourcesync"] = document(md(capability="description"), *capability_lists)


def taken(site: Source, **request: object) -> list[str]:
    """Return the sets that were read."""
    found = [record for batch in site.harvest(metadata_prefix="", **request) for record in batch.records]
    return [record.identifier.split("/")[-2] for record in found]


def test_of_sets_by_format_the_richest_is_taken_also_for_later_changes(site):
    sets(site, "oai_dc", "dcndl")
    assert taken(site) == ["dcndl"]
    assert site.harvest(metadata_prefix="")[-1].memory["format"] == "dcndl"
    assert taken(site, memory={"format": "oai_dc"}) == ["oai_dc"]
    assert taken(site, memory={"format": "oai_dc"}, full=True) == ["dcndl"]


def test_sets_that_are_not_divided_by_format_are_all_read(site):
    sets(site, "dcndl", "photographs")
    assert sorted(taken(site)) == ["dcndl", "photographs"]


def test_a_resumed_run_keeps_its_format(site, monkeypatch):
    monkeypatch.setattr(tasks, "BATCH_RECORDS", 1)
    listed(site, *both(site, "a", "b"))
    first = site.harvest(metadata_prefix="")[0]
    assert names(site.harvest(metadata_prefix="", resumption_token=first.resumption_token)) == ["b.ndl.xml"]
