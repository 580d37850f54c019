"""Libraries and copies in MARC 21: 850, 852 and 866."""

import pytest

from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.record import Identifier, Item
from tests.metadata.formats.marc.test_read import field, read_marc

OSAKA = (Identifier(scheme="ISIL", value="JP-1000001"),)
SAKAI = (Identifier(scheme="ISIL", value="JP-1000002"),)


def items(*fields: str) -> tuple[Item, ...]:
    return read_marc(*fields).record.items


def test_the_isil_in_850_is_that_of_the_library_named_in_852():
    found = items(field("850", a="JP-1000001"), field("852", a="大阪市立図書館", b="本館", h="913.6"))
    assert found == (
        Item(holding_agent="大阪市立図書館", holding_agent_identifiers=OSAKA, location="本館", call_number="913.6"),
    )


def test_an_852_without_a_library_belongs_to_the_one_in_850():
    found = items(field("850", a="JP-1000001"), field("852", b="本館"), field("852", b="東館"))
    assert [(item.holding_agent, item.location) for item in found] == [("JP-1000001", "本館"), ("JP-1000001", "東館")]


def test_several_libraries_in_850_are_items_beside_those_in_852():
    twice = (
        '<datafield tag="850"><subfield code="a">JP-1000001</subfield><subfield code="a">府立</subfield></datafield>'
    )
    found = items(twice, field("852", a="JP-1000002", h="1"))
    assert [(item.holding_agent, item.holding_agent_identifiers) for item in found] == [
        ("JP-1000002", SAKAI),
        ("JP-1000001", OSAKA),
        ("府立", ()),
    ]


def test_an_institution_in_850_that_an_852_names_is_no_further_item():
    assert len(items(field("850", a="JP-1000001"), field("852", a="JP-1000001", h="1"))) == 1


def test_a_code_beside_the_name_in_852_is_kept():
    both = (
        '<datafield tag="852"><subfield code="a">大阪市立図書館</subfield>'
        '<subfield code="a">JP-1000001</subfield></datafield>'
    )
    assert items(both) == (Item(holding_agent="大阪市立図書館", holding_agent_identifiers=OSAKA),)


@pytest.mark.parametrize(
    ("fields", "issues"),
    [
        ([field("852", a="A"), field("866", a="1-12"), field("866", a="14-")], ["1-12 ; 14-"]),
        ([field("852", a="A"), field("866", a="1-12"), field("852", a="B"), field("866", a="3")], ["1-12", "3"]),
        (
            [field("852", a="A", _8="1"), field("852", a="B", _8="2"), field("866", a="3", _8="2.1")],
            ["", "3"],
        ),
        ([field("852", a="A"), field("852", a="B"), field("866", a="3")], ["", ""]),
    ],
)
def test_issues_held_belong_to_the_library_that_the_record_shows(fields, issues):
    assert [item.holding_issues for item in items(*fields)] == issues


def test_libraries_and_issues_come_back_from_what_is_written():
    record = read_marc(
        field("852", a="JP-1000001", h="1"), field("866", a="1-3"), field("852", a="堺市"), field("866", a="2")
    ).record
    assert read(CROSSWALKS["marcxml"].write(record), "marcxml").record.items == record.items
    one = read_marc(field("850", a="JP-1000001"), field("852", a="大阪市立図書館")).record
    assert read(CROSSWALKS["marcxml"].write(one), "marcxml").record.items == one.items
