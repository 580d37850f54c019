"""The rules for records read from cards."""

from collections.abc import Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules

rule = Rules()


@rule("cards.E001")
def heading_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="cards.E001", field="cards:heading")
