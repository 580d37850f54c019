"""Every format: what it can hold is the same after writing and reading, for generated records."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metadata.formats import CROSSWALKS
from metadata.formats.json import read as json_record
from metadata.reading import read
from tests.metadata.formats.generated_records import RECORDS_BY_FORMAT
from tests.metadata.formats.stated_languages import with_stated_languages
from tests.metadata.records import RECORD

A_FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
EXAMPLES = int(os.environ.get("EXAMPLES", "1000"))  # set it lower if time is short
MANY = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
STABLE = ("dcndl_simple", "jpcoar", "junii2", "marcxml", "mods")


@pytest.mark.parametrize("prefix", sorted(RECORDS_BY_FORMAT))
@A_FEW
@given(data=st.data())
def test_a_record_that_the_format_can_hold_is_unchanged(prefix, data):
    assert_unchanged(prefix, data.draw(RECORDS_BY_FORMAT[prefix]))


@pytest.mark.slow
@pytest.mark.parametrize("prefix", sorted(RECORDS_BY_FORMAT))
@MANY
@given(data=st.data())
def test_many_records_that_the_format_can_hold_are_unchanged(prefix, data):
    assert_unchanged(prefix, data.draw(RECORDS_BY_FORMAT[prefix]))


@pytest.mark.parametrize("prefix", STABLE)
@A_FEW
@given(record=RECORD)
def test_any_record_is_stable_after_one_round_trip(prefix, record):
    assert_stable(prefix, record)


@pytest.mark.slow
@pytest.mark.parametrize("prefix", STABLE)
@MANY
@given(record=RECORD)
def test_many_records_are_stable_after_one_round_trip(prefix, record):
    assert_stable(prefix, record)


@A_FEW
@given(record=RECORD)
def test_any_record_is_unchanged_in_json(record):
    assert read(json_record.write(record), "json").record == record


def assert_unchanged(prefix, record):
    reading = read(CROSSWALKS[prefix].write(record), prefix)
    assert reading.record is not None, reading.issues
    assert changes(record, with_stated_languages(reading.record, record)) == {}


def assert_stable(prefix, record):
    write = CROSSWALKS[prefix].write
    once = read(write(record), prefix).record
    if once is not None:  # junii2 requires a page, which not every record has
        twice = read(write(once), prefix).record
        assert twice is not None
        assert changes(once, twice) == {}


def changes(before, after):
    """The fields that differ, because pytest shows them better than two whole records."""
    fields = {name: (getattr(before, name), getattr(after, name)) for name in before.__struct_fields__}
    return {name: values for name, values in fields.items() if values[0] != values[1]}
