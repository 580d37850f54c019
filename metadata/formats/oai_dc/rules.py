"""Rules for records read from oai_dc: what a record must and should have. Their texts are in rules.toml.

What only the source tree can show is noted while reading, in `read`.
"""

from collections.abc import Iterator

from metadata.formats.dcndl.rules import is_made_up
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.text.dates import read_date
from metadata.validation.registry import Rules

rule = Rules()


@rule("oai_dc.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="oai_dc.E003", field="dc:title")


@rule("oai_dc.W004")
def page_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    has_page = (
        record.see_also
        or record.values("DOI")
        or any(relation.type == "hasFormat" and relation.uri for relation in record.relations)
    )
    if not has_page:
        yield Issue(code="oai_dc.W004", field="dc:identifier")


@rule("oai_dc.W007")
def year_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="oai_dc.W007", field="dc:date", value=", ".join(record.dates[:3]))


@rule("oai_dc.I007")
def dates_agree(record: BibliographicRecord) -> Iterator[Issue]:
    if len(record.dates) > 1 and record.issued:
        years = {read_date(value)[:4] for value in record.dates} - {""}
        if len(years) > 1:
            yield Issue(code="oai_dc.I007", field="dc:date", value=", ".join(record.dates[:5]), result=record.issued)


@rule("oai_dc.I008")
def type_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if record.material_types and not any(material_type.uri for material_type in record.material_types):
        labels = ", ".join(material_type.label for material_type in record.material_types[:3])
        yield Issue(code="oai_dc.I008", field="dc:type", value=labels)


@rule("oai_dc.W010")
def languages_are_codes(record: BibliographicRecord) -> Iterator[Issue]:
    """Only the form of a code is checked: ISO 639-2 and 639-3 have about eight thousand."""
    for code in record.languages:
        if not (len(code) == 3 and code.isascii() and code.isalpha() and code.islower()):
            yield Issue(code="oai_dc.W010", field="dc:language", value=code)


@rule("oai_dc.I110")
def languages_are_common_codes(record: BibliographicRecord) -> Iterator[Issue]:
    for code in record.languages:
        if is_made_up(code):
            yield Issue(code="oai_dc.I110", field="dc:language", value=code)
