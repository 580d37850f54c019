"""Rules for the items and the repository number of records read from DC-NDL(RDF). Their texts are in rules.toml.

Records of ゆにかねっと, NDL's union catalogue, must contain some elements that are optional in other records.
"""

import re
from collections.abc import Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import Rules
from metadata.vocabularies.dcndl import is_repository_number

rule = Rules()

UNION_CATALOGUE = "R100000001"  # ゆにかねっと: NDL's union catalogue of public libraries (guideline 2.1.2 (4))

_LIBRARY_CODE = re.compile("[0-9]{4}").fullmatch
_HOLDER = "dcndl:Item/dcndl:holdingAgent/foaf:Agent/dcterms:identifier[NDLLibCode]"


@rule("dcndl.E004", "dcndl.W004", "dcndl.W005")
def one_item(record: BibliographicRecord) -> Iterator[Issue]:
    if record.repository_number == UNION_CATALOGUE and not any(item.uri for item in record.items):
        yield Issue(code="dcndl.E004", field="dcndl:Item")
    elif not record.items:
        yield Issue(code="dcndl.W004", field="dcndl:Item")
    if len(record.items) > 1:
        yield Issue(code="dcndl.W005", field="dcndl:Item", value=str(len(record.items)))


@rule("dcndl.E006", "dcndl.I006", "dcndl.W007")
def holders_have_library_codes(record: BibliographicRecord) -> Iterator[Issue]:
    """One issue for all items without a code, because a merged record may have a hundred."""
    without = [item.holding_agent or item.uri for item in record.items if not item.library_code]
    if without:
        is_union = record.repository_number == UNION_CATALOGUE
        yield Issue(code="dcndl.E006" if is_union else "dcndl.I006", field=_HOLDER, value=", ".join(without[:3]))
    for item in record.items:
        if item.library_code and not _LIBRARY_CODE(item.library_code):
            yield Issue(code="dcndl.W007", field=_HOLDER, value=item.library_code)


@rule("dcndl.W008")
def items_have_urls(record: BibliographicRecord) -> Iterator[Issue]:
    for item in record.items:
        if not item.uri.startswith(("http://", "https://")):
            yield Issue(code="dcndl.W008", field="dcndl:Item/@rdf:about", value=item.uri)


@rule("dcndl.N010", "dcndl.W010")
def repository_number_is_well_formed(record: BibliographicRecord) -> Iterator[Issue]:
    number = record.repository_number
    if not number:
        yield Issue(code="dcndl.N010", field="dcndl:bibRecordCategory")
    elif not is_repository_number(number):
        yield Issue(code="dcndl.W010", field="dcndl:bibRecordCategory", value=number)


@rule("dcndl.W011")
def detail_page_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.see_also and not any(item.see_also for item in record.items):
        yield Issue(code="dcndl.W011", field="rdfs:seeAlso")


@rule("dcndl.W028")
def one_version_of_the_format(record: BibliographicRecord) -> Iterator[Issue]:
    """Since version 3, the item says who digitised it and when; earlier versions say it in the description."""
    if record.digitized_publishers and any(item.publishers or item.issued or item.dates for item in record.items):
        yield Issue(
            code="dcndl.W028",
            field="dcndl:Item/dcterms:publisher",
            value=", ".join(publisher.name for publisher in record.digitized_publishers),
        )
