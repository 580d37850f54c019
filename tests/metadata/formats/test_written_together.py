"""Formats that write many records at once write each as if it were alone."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metadata.formats import WRITERS
from metadata.record import BibliographicRecord
from tests.metadata.full_records import FULL_RECORD
from tests.metadata.records import RECORD

AT_ONCE = [name for name, writer in WRITERS.items() if writer.write_all]
A_FEW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
# Between full records, ones that have nothing, so that anything kept from a neighbour would show.
SEVERAL = st.lists(FULL_RECORD | RECORD | st.just(BibliographicRecord()), min_size=2, max_size=4)


@given(records=SEVERAL)
@A_FEW
def test_a_record_is_the_same_alone_and_among_others(records):
    for writer in map(WRITERS.__getitem__, AT_ONCE):
        assert writer.documents(records) == [writer.write(record) for record in records], writer.name


@pytest.mark.parametrize("name", WRITERS)
def test_no_records_are_no_documents(name):
    assert WRITERS[name].documents([]) == []


def test_the_formats_that_harvesters_ask_for_most_are_written_together():
    assert {"oai_dc", "dcndl", "jpcoar", "jpcoar_2.0", "marcxml"} <= set(AT_ONCE)
