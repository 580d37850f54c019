"""The archives: lists and dumps of earlier times."""

import time

import pytest
from django.test import Client

from aggregator.models import ResourcePackage
from aggregator.provision.resourcesync import changes, packages, snapshots
from harvesting.models import Repository
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, next_second
from tests.aggregator.provision.resourcesync.reading import NS, capability, entries, get_xml, locs, path_of, texts
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db


def test_the_archive_of_change_dumps_has_one_for_each_closed_list(client: Client, catalogue: Shelf) -> None:
    changes.close_lists(int(time.time()), everything=True)
    list(packages.pack())
    archive = get_xml(client, capability(client, "merged", "changedump-archive"))
    assert texts(archive, "/s:urlset/rs:md/@capability") == ["changedump-archive"]
    dumps = [get_xml(client, url) for url in texts(archive, "//s:loc")]
    spans = [dict(md.attrib) for md in archive.xpath("//s:url/rs:md", namespaces=NS)]
    assert [dict(dump.xpath("/s:urlset/rs:md", namespaces=NS)[0].attrib) for dump in dumps] == spans
    current = get_xml(client, capability(client, "merged", "changedump"))
    assert [texts(dump, "//s:loc") for dump in dumps] == [[url] for url in texts(current, "//s:loc")]


def test_the_archives_have_the_lists_and_dumps_of_earlier_weeks(
    client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(packages.pack())
    before = {name: locs(entries(client, "merged", name)) for name in ("resourcelist", "resourcedump")}
    catalogue.put("a", "oai:p:9", record("9", title="後から来た本"))
    aggregate_a_second_later()
    monkeypatch.setattr(snapshots, "SPACING", 0)
    list(packages.pack())
    packages.delete_unreferenced(0)
    for name in ("resourcelist", "resourcedump"):
        archive = get_xml(client, capability(client, "merged", f"{name}-archive"))
        assert texts(archive, "/s:urlset/rs:md/@capability") == [f"{name}-archive"]
        assert texts(archive, "//s:url/rs:md/@capability") == [name, name]
        first, last = texts(archive, "//s:loc")
        assert archived(client, first) == before[name]
        assert archived(client, last) == locs(entries(client, "merged", name)) != before[name]
        for url in before["resourcedump"]:
            assert client.get(path_of(url)).status_code == 200  # also long after another file took its place


def archived(client: Client, url: str) -> list[str]:
    """Return the addresses in an archived list or dump."""
    root = get_xml(client, url)
    parts = texts(root, "//s:loc")
    if root.tag.endswith("urlset"):
        return parts
    return [loc for part in parts for loc in texts(get_xml(client, part), "//s:loc")]


def test_snapshots_are_taken_once_a_week_and_kept_for_a_month(
    catalogue: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(packages.pack())
    (first,) = snapshots.snapshots("merged")
    catalogue.put("a", "oai:p:9", record("9", title="後から来た本"))
    aggregate_a_second_later()
    list(packages.pack())
    assert snapshots.snapshots("merged") == [first]
    monkeypatch.setattr(snapshots, "KEPT", -10)
    snapshots.delete_old()
    assert snapshots.snapshots("merged") == []


def test_a_provider_that_withdraws_its_records_is_not_in_the_archives_any_more(
    client: Client, catalogue: Shelf
) -> None:
    list(packages.pack())
    repository = catalogue.repository("a")
    Repository.objects.filter(pk=repository.pk).update(give_on=False)
    aggregate_a_second_later()
    list(packages.pack())
    assert snapshots.snapshots(repository.number) == []
    (kept,) = snapshots.snapshots("merged")
    archived_now = {entry.findtext("{*}loc") for package in kept.packages for entry in snapshots.resources(package)}
    assert archived_now == set(locs(entries(client, "merged", "resourcelist")))


def test_a_dump_that_was_written_again_has_another_etag(client: Client, catalogue: Shelf) -> None:
    list(packages.pack())
    url = path_of(capability(client, "merged", "resourcedump"))
    etag = client.get(url)["ETag"]
    next_second()
    ResourcePackage.objects.update(at=0)  # out of date
    list(packages.pack())
    assert client.get(url, headers={"If-None-Match": etag}).status_code == 200
