"""What came with records beside the metadata is stored, and a change of it is a change of the record."""

from dataclasses import replace

import pytest

from harvesting.models import RecordAbout, SourceRecord
from metadata.about import NOTHING, About, decode_about
from tests.harvesting.batches import begin_run, gone, live, new_feed, store_records

pytestmark = pytest.mark.django_db

BY_ND = About(rights=("https://creativecommons.org/licenses/by-nd/4.0/",))
BY = About(rights=("https://creativecommons.org/licenses/by/4.0/",))


def stored() -> list[About]:
    return [decode_about(bytes(packed)) for packed in RecordAbout.objects.values_list("packed", flat=True)]


def test_it_is_stored_and_replaced_and_removed_with_the_description_unchanged():
    feed = new_feed()
    for about, expected in ((BY_ND, [BY_ND]), (BY_ND, [BY_ND]), (BY, [BY]), (NOTHING, [])):
        run = store_records(begin_run(feed), [replace(live("a"), about=about), live("b")])
        assert stored() == expected
    run.refresh_from_db()
    assert run.unchanged == 2


def test_a_record_is_aggregated_again_if_only_its_licence_changed():
    feed = new_feed()
    store_records(begin_run(feed), [replace(live("a"), about=BY_ND), live("b")])
    SourceRecord.objects.update(aggregated_at="2024-01-01T00:00:00Z")
    store_records(begin_run(feed), [replace(live("a"), about=BY_ND), live("b")])
    assert not SourceRecord.objects.pending().exists()
    store_records(begin_run(feed), [replace(live("a"), about=BY), live("b")])
    assert [record.about.packed for record in SourceRecord.objects.pending()] != [b""]
    assert SourceRecord.objects.pending().count() == 1


def test_a_deleted_record_keeps_it_for_its_restoration():
    feed = new_feed()
    store_records(begin_run(feed), [replace(live("a"), about=BY)])
    store_records(begin_run(feed), [gone("a")])
    assert stored() == [BY]
