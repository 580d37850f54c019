"""Rules for records read from JSON or a table: what a record must and should have. Their texts are in rules.toml.

What only the source can show is noted while reading, in `read`.
"""

from collections.abc import Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules

rule = Rules()


@rule("json.E005")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not any(title.value for title in record.titles):
        yield Issue(code="json.E005", field="titles")


@rule("json.W007")
def year_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="json.W007", field="issued", value=", ".join(record.dates[:3]))
