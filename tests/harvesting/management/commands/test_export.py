"""`manage.py export` and the import of its file as a feed; whole harvests of tables, MARC files and RSS feeds."""

import json

import pytest
from django.core.management import CommandError, call_command

from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.records.compression import unpack_record
from harvesting.registry.registration import register
from tests.harvesting.fakeserver import serving
from tests.harvesting.transports.feeds import answer, item, rss
from tests.harvesting.transports.files import marc, write


def run(feed: Feed, **scope: bool) -> Harvest:
    done = harvest(create_harvest(feed, **scope))
    assert done.state == Harvest.State.SUCCEEDED, (done.code, done.facts)
    return done


def registered_feed(address: object, protocol: str = "file", **fields: object) -> Feed:
    feed = Feed(protocol=protocol, base_url=str(address), metadata_prefix=fields.pop("prefix", "json"), **fields)
    register(Repository(name="見本図書館"), [feed])
    return feed


def stored_records(feed: Feed) -> dict[str, object]:
    """The records of the feed's repository by identifier; None for deleted ones."""
    rows = SourceRecord.objects.filter(repository=feed.repository)
    return {row.identifier: None if row.deleted else unpack_record(row.record) for row in rows}


def test_an_exported_file_can_be_harvested_as_a_feed(feed_of, source, tmp_path):
    first = feed_of(source)
    run(first)
    SourceRecord.objects.filter(identifier="oai:sample:b2").update(deleted=True)
    path = tmp_path / "export.jsonl"
    call_command("export", first.repository.number, output=path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [set(line) for line in lines if line["deleted"]] == [
        {"identifier", "datestamp", "deleted", "sets", "prefix", "id"}
    ]
    second = registered_feed(path)
    run(second, full=True)
    assert stored_records(second) == stored_records(first)


def test_an_unknown_repository_is_refused(db):
    with pytest.raises(CommandError):
        call_command("export", "R999999999")


def test_harvesting_a_table_twice_changes_nothing(db, tmp_path):
    feed = registered_feed(write(tmp_path, "ID,書名,著者,出版年\n1,猫,夏目漱石,1906\n2,犬,,\n3,,,\n"))
    first = run(feed)
    assert (first.created, first.rejected) == (2, 1)
    again = run(feed, full=True)
    assert (again.unchanged, again.updated, again.rejected) == (2, 0, 1)


def test_marc_records_are_harvested_with_deletions(db, tmp_path):
    path = write(tmp_path, marc("1", "猫") + marc("2", "犬"))
    feed = registered_feed(path, prefix="marcxml")
    assert run(feed).created == 2
    write(tmp_path, marc("1", "猫") + marc("2", "犬", status="d"))
    done = run(feed)
    assert (done.unchanged, done.deleted) == (1, 1)


def test_an_rss_item_with_the_same_link_replaces_the_record(db):
    with serving() as server:
        server.answers(answer(rss(item(1), item(2))))
        feed = registered_feed(f"{server.url}/rss", "rss", prefix="rss")
        assert run(feed).created == 2
        server.answers(answer(rss(item(2, title="新しい題"))))
        done = run(feed)
        assert (done.updated, done.deleted) == (1, 0)
        titles = {record.title for record in stored_records(feed).values()}
    assert titles == {"見本の本1", "新しい題"}
