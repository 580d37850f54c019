"""Rows in steps, asked for once."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.database.keyset import steps
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record


@pytest.mark.django_db
def test_all_rows_come_in_order_and_are_asked_for_once():
    shelf = Shelf()
    pks = [shelf.put("a", f"{n}", record(f"{n}", title="本", creator="人", issued="2000")).pk for n in range(7)]
    rows = SourceRecord.objects.filter(repository__number=shelf.put("a", "8", None).public_id[:10], pk__lte=pks[-1])
    with CaptureQueriesContext(
        connection,
    ) as asked:
        found = list(steps(rows.order_by("-pk"), 3))
    assert found == [pks[:3], pks[3:6], pks[6:]]
    assert sum(each["sql"].startswith("SELECT") for each in asked) <= 1
    assert list(steps(rows.none(), 3)) == []
