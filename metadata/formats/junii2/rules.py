"""What a record read from junii2 must and should have. Sentences and sources: sentences_junii2.

What only the source can tell is noted while reading, in metadata.formats.junii2.read and junii2_checks; what JPCOAR's
rules find in what it was brought into keeps the codes of JPCOAR and names the elements of junii2.
"""

from collections.abc import Iterator

from metadata.formats.jpcoar.rules import deposit_is_possible, thesis_has_creator
from metadata.formats.junii2.checks.converted import in_junii2
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
        yield Issue(code="junii2.I014", field="dateofissued", value=", ".join(record.dates[:3]))


@rule("junii2.E019")
def theses_are_as_jpcoar_has_them(record: BibliographicRecord) -> Iterator[Issue]:
    """Of JPCOAR's rules about a record those that junii2 has no own for: authors of theses, deposit with the NDL."""
    yield from in_junii2([*thesis_has_creator(record), *deposit_is_possible(record)])
