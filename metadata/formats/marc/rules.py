"""Rules for records read from MARC 21: what a record must and should have. Their texts are in rules.toml.

What only the source can show is noted while reading, in `read` and `checks`.
"""

from collections.abc import Iterator

from metadata.formats.dcndl.rules import is_language_code
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules

rule = Rules()


@rule("marcxml.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="marcxml.E003", field="245$a")


@rule("marcxml.W005")
def one_book_has_one_isbn(record: BibliographicRecord) -> Iterator[Issue]:
    """Several ISBNs may be a set, or a book in several bindings."""
    numbers = sorted(set(record.values("ISBN")))
    if len(numbers) > 1:
        yield Issue(code="marcxml.W005", field="020$a", value=", ".join(numbers))


@rule("marcxml.W007")
def year_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="marcxml.W007", field="264$c", value=", ".join(record.dates[:3]))


@rule("marcxml.W010")
def languages_are_codes(record: BibliographicRecord) -> Iterator[Issue]:
    for field, codes in (("041$a", record.languages), ("041$h", record.original_languages)):
        for code in codes:
            if not is_language_code(code):
                yield Issue(code="marcxml.W010", field=field, value=code)
