"""Rules for records read from feed items: what a record must and should have. Their texts are in rules.toml.

What only the source can show is noted by the transport, and while reading, in `read` and `checks`.
"""

from collections.abc import Iterator

from metadata.formats.dcndl_simple.rules import FLAT_CHECKS
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules

rule = Rules()


@rule("rss.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title:
        yield Issue(code="rss.E003", field="title")


@rule("rss.W007")
def year_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.issued:
        yield Issue(code="rss.W007", field="dcterms:issued", value=", ".join(record.dates[:3]))


rule.include(FLAT_CHECKS)  # guideline tables 2-3 and 2-4: the modules dc, dcterms and dcndl as in DC-NDL (Simple)
