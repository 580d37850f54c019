"""Rules for records read from JPCOAR: what a record must and should have. Their texts are in rules.toml.

What only the source tree can show is noted while reading, in `checks`.
"""

from collections.abc import Iterator

from metadata.formats.jpcoar.terms import DOCTORAL, THESES
from metadata.issue import Issue, where
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules

rule = Rules()

FULL_TEXT = where("jpcoar:file/jpcoar:URI", "objectType", "fulltext")
_ISSUED = where("datacite:date", "dateType", "Issued")
NOT_DEPOSITED = "jpcoar.I239"  # a doctoral thesis that the NDL does not collect
DEPOSIT_FROM = "2013-04-01"  # since then doctoral theses must be published on the Internet (学位規則)


def resource_type(record: BibliographicRecord) -> str:
    """Return the resource type as COAR names it, "" if there is none."""
    return record.material_types[0].label if record.material_types else ""


def date_granted(record: BibliographicRecord) -> str:
    return next((date.value for date in record.other_dates if date.type == "dateGranted"), "")


def has_full_text(record: BibliographicRecord) -> bool:
    """Whether the record names a file with the full text."""
    return any(file.type == "fulltext" and file.uri for file in record.files)


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
    if resource_type(record) in THESES and not record.creators:
        yield Issue(code="jpcoar.E008", field="jpcoar:creator", value=resource_type(record))


@rule("jpcoar.W009")
def identifier_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.see_also and not record.values("DOI"):
        yield Issue(code="jpcoar.W009", field="jpcoar:identifier")


@rule("jpcoar.E014", "jpcoar.I015")
def access_fits_the_rest(record: BibliographicRecord) -> Iterator[Issue]:
    access = record.access_rights[0] if record.access_rights else ""
    if access == "embargoed access" and not any(date.type == "available" for date in record.other_dates):
        yield Issue(code="jpcoar.E014", field=where("datacite:date", "dateType", "Available"), value=access)
    has_link = record.files or record.see_also or record.values("DOI")
    if access in {"open access", "embargoed access"} and not has_link:
        yield Issue(code="jpcoar.I015", field="jpcoar:file", value=access)


@rule("jpcoar.I016")
def date_of_issue_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="jpcoar.I016", field=_ISSUED, value=", ".join(record.dates[:3]))


@rule("jpcoar.W037")
def doctoral_thesis_is_complete(record: BibliographicRecord) -> Iterator[Issue]:
    if resource_type(record) == DOCTORAL:
        given = {
            "dcndl:dissertationNumber": record.dissertation_numbers,
            "dcndl:degreeName": record.degree_names,
            "dcndl:dateGranted": date_granted(record),
            "jpcoar:degreeGrantor": record.degree_grantors,
        }
        missing = [name for name, value in given.items() if not value]
        if missing:
            yield Issue(code="jpcoar.W037", field=", ".join(missing))


@rule("jpcoar.I039", "jpcoar.I139", NOT_DEPOSITED)
def deposit_is_possible(record: BibliographicRecord) -> Iterator[Issue]:
    """NDL takes doctoral theses granted in 2013-04 or later whose full text is in the repository."""
    if resource_type(record) != DOCTORAL:
        return
    date = date_granted(record)
    if date in {"", DEPOSIT_FROM[:4]} or date < DEPOSIT_FROM[: len(date)]:  # the year 2013 alone does not decide it
        yield Issue(code=NOT_DEPOSITED, field="dcndl:dateGranted", value=date)
    elif has_full_text(record):
        yield Issue(code="jpcoar.I139", field=FULL_TEXT, value=date)
    else:
        yield Issue(code="jpcoar.I039", field=FULL_TEXT, value=date)
