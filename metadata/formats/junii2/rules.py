"""Rules for records read from junii2: what a record must and should have. Their texts are in rules.toml.

What only the source can show is noted while reading, in `read` and `checks`. What JPCOAR's rules find in the
converted record keeps the codes of JPCOAR, with the element names of junii2.
"""

from collections.abc import Iterator

from metadata.formats.jpcoar.rules import deposit_is_possible, thesis_has_creator
from metadata.formats.junii2.checks.converted import with_junii2_names
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules

rule = Rules()


@rule("junii2.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="junii2.E003", field="title")


@rule("junii2.I014")
def date_of_issue_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="junii2.I014", field="dateofissued", value=", ".join(record.dates[:3]))


@rule("junii2.E019")
def theses_follow_jpcoar_rules(record: BibliographicRecord) -> Iterator[Issue]:
    """Apply the rules of JPCOAR about theses that have no counterpart in junii2: creators, deposit with the NDL."""
    yield from with_junii2_names([*thesis_has_creator(record), *deposit_is_possible(record)])
