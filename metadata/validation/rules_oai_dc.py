"""What a record read from oai_dc must and should have. Sentences and sources: sentences_oai_dc.

What only the source tree can tell is noted while reading, in metadata.crosswalks.oai_dc.
"""

from collections.abc import Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import rule


@rule("oai_dc.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="oai_dc.E003", field="dc:title")


@rule("oai_dc.W004")
def page_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    leads = (
        record.see_also
        or record.values("DOI")
        or any(each.type == "hasFormat" and each.uri for each in record.relations)
    )
    if not leads:
        yield Issue(code="oai_dc.W004", field="dc:identifier")


@rule("oai_dc.W007")
def year_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="oai_dc.W007", field="dc:date", value=", ".join(record.dates[:3]))
