"""What the table of MARC says, which cataloguers read in docs/reference/crosswalks, is what reading does."""

import copy

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import MarcRecord
from metadata.formats.marc.table import ROWS, USED
from metadata.reading import read_element
from metadata.xml.parsing import parse
from tests.metadata.formats.common.test_steps import FIELDS, MOST, values
from tests.metadata.formats.marc.test_read import DATA
from tests.metadata.formats.test_round_trip_samples import elements


def check_rows(record: etree._Element) -> None:
    """Take the rows one by one, and look at the fields that each of them changes."""
    marc, draft = MarcRecord(record), Draft()
    for row in ROWS:
        before = values(draft)
        row.read(marc, draft)
        after = values(draft)
        changed = {name for name in before | after if before.get(name, "") != after.get(name, "")}
        assert changed <= set(row.targets.split()), row.words


def without_unused(record: etree._Element) -> etree._Element:
    """Return the record without the subfields that no row names.

    880 belongs to other fields; of 773 only the first has subfields of its own, any further one has those of a link.
    """
    rest = copy.deepcopy(record)
    for field in [child for child in rest if child.get("tag", "") not in ("880", "773", "") and len(child)]:
        used = USED.get(field.get("tag", ""), "") + "6"
        for subfield in [child for child in field if child.get("code", "") not in used]:
            field.remove(subfield)
    return rest


def test_every_row_names_fields_of_the_record():
    assert {name for row in ROWS for name in row.targets.split()} <= FIELDS


def test_a_row_changes_only_the_fields_that_it_names(samples):
    check_rows(parse((DATA / "all_fields.xml").read_bytes()))
    for path in sorted((samples / "marcxml").rglob("*.xml"))[:MOST]:
        for record in elements(path, "marcxml"):
            check_rows(record)


def test_what_no_row_names_is_not_read(samples):
    for path in sorted((samples / "marcxml").rglob("*.xml"))[:MOST]:
        for record in elements(path, "marcxml"):
            assert read_element(without_unused(record), "marcxml").record == read_element(record, "marcxml").record, (
                path
            )
