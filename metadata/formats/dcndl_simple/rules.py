"""Rules for records read from DC-NDL (Simple): what a record must and should have. Their texts are in rules.toml.

The values follow the rules of DC-NDL(RDF), under other element names. What only the source can show is noted while
reading, in `read`.
"""

from collections.abc import Iterator

import msgspec

from metadata.formats.dcndl.rules import (
    class_numbers_are_well_formed,
    dates_can_be_read,
    languages_are_codes,
    material_type_is_known,
    one_isbn,
    places_are_countries,
    readings_are_katakana,
    volumes_are_separate_from_titles,
)
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Check, Rules

rule = Rules()

# Element of DC-NDL(RDF) → element with another name in flat formats.
_ELEMENTS = {
    "dcterms:identifier": "dc:identifier",
    "dcterms:language": "dc:language",
    "dcterms:subject": "dc:subject",
    "dcterms:creator": "dcndl:creatorTranscription",
    "dcterms:publisher": "dc:publisher",
    "dcterms:date": "dc:date",
}


@rule("dcndl_simple.E002")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="dcndl_simple.E002", field="dc:title")


@rule("dcndl_simple.W007")
def year_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="dcndl_simple.W007", field="dcterms:issued", value=", ".join(record.dates[:3]))


@rule("dcndl_simple.W008")
def detail_page_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.see_also:
        yield Issue(code="dcndl_simple.W008", field="rdfs:seeAlso")


def with_flat_element_names(check: Check) -> Check:
    """Return the check, changed so that its issues name the elements of flat formats."""

    def check_flat(record: BibliographicRecord) -> Iterator[Issue]:
        for issue in check(record):
            name, bracket, scheme = issue.field.partition("[")
            yield msgspec.structs.replace(issue, field=_ELEMENTS.get(name, name) + bracket + scheme)

    return check_flat


# Checks for the values of DC-NDL in any flat format.
FLAT_CHECKS = tuple(
    map(
        with_flat_element_names,
        (
            one_isbn,
            languages_are_codes,
            places_are_countries,
            class_numbers_are_well_formed,
            readings_are_katakana,
            volumes_are_separate_from_titles,
        ),
    )
)
rule.include((*FLAT_CHECKS, material_type_is_known, with_flat_element_names(dates_can_be_read)))
