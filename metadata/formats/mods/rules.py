"""Rules for records read from MODS: what a record must and should have. Their texts are in rules.toml.

What only the source can show is noted while reading, in `read`.
"""

from collections.abc import Iterator

from metadata.formats.dcndl.rules import is_language_code
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules

rule = Rules()


@rule("mods.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="mods.E003", field="titleInfo/title")


@rule("mods.W007")
def year_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="mods.W007", field="originInfo/dateIssued", value=", ".join(record.dates[:3]))


@rule("mods.W008")
def page_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.see_also:
        yield Issue(code="mods.W008", field="location/url")


@rule("mods.W010")
def languages_are_codes(record: BibliographicRecord) -> Iterator[Issue]:
    for code in (*record.languages, *record.original_languages):
        if len(code) == 3 and not is_language_code(code):  # longer ones are names
            yield Issue(code="mods.W010", field="language/languageTerm", value=code)
