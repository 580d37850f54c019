"""What a record read from JPCOAR must and should have. Sentences and sources: sentences_jpcoar.

What only the source tree can tell is noted while reading, in metadata.crosswalks.jpcoar_checks.
"""

import re
from collections.abc import Iterator

from metadata.crosswalks.jpcoar_terms import DOCTORAL, RECORD_VERSIONS, THESES
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import rule

_NUMBER = re.compile(r"[甲乙他]第[0-9]+号\Z")
_DEPOSIT_FROM = "2013-04-01"  # since then doctoral theses are published on the Internet (学位規則)


def term(record: BibliographicRecord) -> str:
    """The resource type as COAR calls it, "" if there is none."""
    return record.material_types[0].label if record.material_types else ""


def granted(record: BibliographicRecord) -> str:
    return next((each.value for each in record.other_dates if each.type == "dateGranted"), "")


@rule("jpcoar.E002")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="jpcoar.E002", field="dc:title")


@rule("jpcoar.E007")
def type_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.material_types:
        yield Issue(code="jpcoar.E007", field="dc:type")


@rule("jpcoar.E008")
def thesis_has_creator(record: BibliographicRecord) -> Iterator[Issue]:
    if term(record) in THESES and not record.creators:
        yield Issue(code="jpcoar.E008", field="jpcoar:creator", value=term(record))


@rule("jpcoar.W009")
def identifier_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.see_also and not record.values("DOI"):
        yield Issue(code="jpcoar.W009", field="jpcoar:identifier")


@rule("jpcoar.E014", "jpcoar.I015")
def access_fits_the_rest(record: BibliographicRecord) -> Iterator[Issue]:
    access = record.access_rights[0] if record.access_rights else ""
    if access == "embargoed access" and not any(each.type == "available" for each in record.other_dates):
        yield Issue(code="jpcoar.E014", field="datacite:date[@Available]")
    if access == "open access" and not record.files and not record.see_also and not record.values("DOI"):
        yield Issue(code="jpcoar.I015", field="jpcoar:file")


@rule("jpcoar.I016")
def date_of_issue_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="jpcoar.I016", field="datacite:date[@Issued]", value=", ".join(record.dates[:3]))


@rule("jpcoar.W020")
def version_leads_to_the_published_one(record: BibliographicRecord) -> Iterator[Issue]:
    kind = record.version_type
    if kind and kind not in RECORD_VERSIONS and not any(each.type == "isVersionOf" for each in record.relations):
        yield Issue(code="jpcoar.W020", field="jpcoar:relation[@isVersionOf]", value=kind)


@rule("jpcoar.W037", "jpcoar.W038", "jpcoar.W138", "jpcoar.W238")
def doctoral_thesis_is_complete(record: BibliographicRecord) -> Iterator[Issue]:
    if term(record) == DOCTORAL:
        given = {
            "dcndl:dissertationNumber": record.dissertation_numbers,
            "dcndl:degreeName": record.degree_names,
            "dcndl:dateGranted": granted(record),
            "jpcoar:degreeGrantor": record.degree_grantors,
        }
        missing = [name for name, value in given.items() if not value]
        if missing:
            yield Issue(code="jpcoar.W037", field=", ".join(missing))
    for number in record.dissertation_numbers:
        if not _NUMBER.match(number):
            yield Issue(code="jpcoar.W038", field="dcndl:dissertationNumber", value=number)
    if record.degree_names and not any(name.isascii() for name in record.degree_names):
        yield Issue(code="jpcoar.W138", field="dcndl:degreeName", value=record.degree_names[0])
    for each in record.degree_grantors:
        if not any(number.scheme == "kakenhi" for number in each.identifiers):
            yield Issue(code="jpcoar.W238", field="jpcoar:degreeGrantor", value=each.name)


@rule("jpcoar.I039")
def deposit_is_possible(record: BibliographicRecord) -> Iterator[Issue]:
    """NDL takes doctoral theses of 2013-04 and later that have their full text in the repository."""
    fulltext = any(each.type == "fulltext" for each in record.files)
    if term(record) == DOCTORAL and granted(record) >= _DEPOSIT_FROM and not fulltext:
        yield Issue(code="jpcoar.I039", field="jpcoar:file/jpcoar:URI[@fulltext]", value=granted(record))
