"""What a record read from junii2 must and should have. Sentences and sources: sentences_junii2.

What only the source can tell is noted while reading, in metadata.crosswalks.junii2 and junii2_checks; what JPCOAR's
table finds while it is read as that, keeps the codes of JPCOAR.
"""

from collections.abc import Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import rule


@rule("junii2.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="junii2.E003", field="title")


@rule("junii2.I014")
def date_of_issue_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="junii2.I014", field="dateofissued")
