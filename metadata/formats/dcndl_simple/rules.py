"""What a record read from DC-NDL (Simple) must and should have. Sentences and sources: sentences_dcndl_simple.

Values have the rules of DC-NDL(RDF); only the elements are called otherwise. What only the source can tell is noted
while reading, in metadata.formats.dcndl_simple.read.
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
    volumes_are_told_apart,
)
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import CHECKS, Check, rule

# Elements of DC-NDL(RDF) that are called otherwise here.
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


def renamed(check: Check) -> Check:
    """The check, naming the elements as flat formats do."""

    def check_flat(record: BibliographicRecord) -> Iterator[Issue]:
        for issue in check(record):
            name, bracket, scheme = issue.field.partition("[")
            yield msgspec.structs.replace(issue, field=_ELEMENTS.get(name, name) + bracket + scheme)

    return check_flat


# What holds of the values of DC-NDL in whatever flat form they are written.
FLAT_CHECKS = tuple(
    map(
        renamed,
        (
            one_isbn,
            languages_are_codes,
            places_are_countries,
            class_numbers_are_well_formed,
            readings_are_katakana,
            volumes_are_told_apart,
        ),
    )
)
CHECKS["dcndl_simple"] += (*FLAT_CHECKS, material_type_is_known, renamed(dates_can_be_read))
