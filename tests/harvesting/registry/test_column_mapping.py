"""Column mappings as people type them."""

import pytest

from harvesting.registry.column_mapping import parse_columns, write_columns

FIELDS = ("title", "creator", "isbn")


def test_lines_become_headings_with_their_fields():
    assert parse_columns(["書名 = title", "", "  著者=creator "], FIELDS) == ({"書名": "title", "著者": "creator"}, [])


def test_what_is_written_is_read_again():
    columns = {"書名": "title", "a=b": "isbn"}
    assert parse_columns(write_columns(columns).splitlines()) == (columns, [])


def test_a_full_width_equals_sign_is_accepted():
    assert parse_columns(["書名＝title"])[0] == {"書名": "title"}


@pytest.mark.parametrize(
    ("line", "code"), [("書名", "form"), ("= title", "form"), ("書名 =", "form"), ("書名 = titel", "field")]
)
def test_a_line_without_a_mapping_is_reported(line, code):
    columns, [fault] = parse_columns([line], FIELDS)
    assert (columns, fault.code, fault.line) == ({}, code, line)


def test_a_heading_twice_is_named():
    _columns, [fault] = parse_columns(["書名 = title", "書名 = creator"], FIELDS)
    assert (fault.code, fault.text) == ("twice", "書名")


def test_a_list_without_end_is_refused():
    _columns, faults = parse_columns([f"h{number} = title" for number in range(1000)], FIELDS)
    assert [error.code for error in faults] == ["many"]
