"""Batches of ids come from one query."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.database.keyset import pk_batches
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record


@pytest.mark.django_db
def test_all_ids_come_in_order_from_one_query():
    shelf = Shelf()
    pks = [shelf.put("a", f"{n}", record(f"{n}", title="本", creator="人", issued="2000")).pk for n in range(7)]
    rows = SourceRecord.objects.filter(repository__number=shelf.put("a", "8", None).public_id[:10], pk__lte=pks[-1])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        batches = list(pk_batches(rows.order_by("-pk"), 3))
    assert batches == [pks[:3], pks[3:6], pks[6:]]
    assert sum(query["sql"].startswith("SELECT") for query in queries) <= 1
    assert list(pk_batches(rows.none(), 3)) == []
