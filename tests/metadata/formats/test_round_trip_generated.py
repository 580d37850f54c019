"""Every format: what it can hold is written and read again the same, for records made by chance."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metadata.formats import CROSSWALKS
from metadata.formats.json import read as json_record
from metadata.reading import read
from tests.metadata.formats.carried import CARRIED
from tests.metadata.records import RECORD

A_FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
EXAMPLES = int(os.environ.get("EXAMPLES", "1000"))  # fewer where time is short
MANY = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
STABLE = ("dcndl_simple", "jpcoar", "junii2", "marcxml", "mods")


@pytest.mark.parametrize("prefix", sorted(CARRIED))
@A_FEW
@given(data=st.data())
def test_a_record_that_the_format_holds_comes_back(prefix, data):
    comes_back(prefix, data.draw(CARRIED[prefix]))


@pytest.mark.slow
@pytest.mark.parametrize("prefix", sorted(CARRIED))
@MANY
@given(data=st.data())
def test_many_records_that_the_format_holds_come_back(prefix, data):
    comes_back(prefix, data.draw(CARRIED[prefix]))


@pytest.mark.parametrize("prefix", STABLE)
@A_FEW
@given(record=RECORD)
def test_any_record_loses_nothing_more_the_second_time(prefix, record):
    is_stable(prefix, record)


@pytest.mark.slow
@pytest.mark.parametrize("prefix", STABLE)
@MANY
@given(record=RECORD)
def test_many_records_lose_nothing_more_the_second_time(prefix, record):
    is_stable(prefix, record)


@A_FEW
@given(record=RECORD)
def test_any_record_comes_back_from_json(record):
    assert read(json_record.write(record), json_record.PREFIX).record == record


def comes_back(prefix, record):
    reading = read(CROSSWALKS[prefix].write(record), prefix)
    assert reading.record is not None, reading.issues
    assert changes(record, reading.record) == {}


def is_stable(prefix, record):
    write = CROSSWALKS[prefix].write
    once = read(write(record), prefix).record
    if once is not None:  # a junii2 needs a page, which not every record has
        twice = read(write(once), prefix).record
        assert twice is not None
        assert changes(once, twice) == {}


def changes(before, after):
    """The fields that are not the same, which pytest shows better than two whole records."""
    fields = {name: (getattr(before, name), getattr(after, name)) for name in before.__struct_fields__}
    return {name: values for name, values in fields.items() if values[0] != values[1]}
