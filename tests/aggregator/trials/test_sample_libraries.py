"""The libraries that the records of a sample name, before anything is stored."""

import pytest
from msgspec.structs import replace

from aggregator.models import Library
from aggregator.trials.sample import libraries_of
from harvesting.models import Repository
from metadata.record import Item
from tests.books import record

pytestmark = pytest.mark.django_db


def held_by(*names: str):
    items = tuple(Item(uri=f"https://x.example.jp/{name}", holding_agent=name) for name in names)
    return replace(record("a", title="門"), items=items)


def test_the_libraries_of_a_sample_are_counted_and_not_stored(django_assert_max_num_queries):
    records = [held_by("甲図書館"), held_by("甲図書館", "乙図書館"), None]
    with django_assert_max_num_queries(3):
        found = libraries_of(records, Repository(name="見本"))
    assert [(one.library.name, one.records, one.is_known) for one in found] == [
        ("甲図書館", 2, False),
        ("乙図書館", 1, False),
    ]
    assert not Library.objects.exists()


def test_records_without_holdings_belong_to_the_provider_itself():
    found = libraries_of([replace(record("a", title="門"), items=())], Repository(name="見本図書館"))
    assert [one.library.name for one in found] in ([], ["見本図書館"])
