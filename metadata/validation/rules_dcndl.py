"""What a record read from DC-NDL(RDF) must and should have. Sentences and sources: sentences_dcndl.

What only the source tree can tell is noted while reading, in metadata.crosswalks.dcndl.
"""

import re
from collections.abc import Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import rule
from metadata.vocabulary import MATERIAL_TYPES

_KANJI = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]")
_NUMBER = re.compile(r"R[0-9]{9}")


@rule("dcndl.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title and not any(each.value for each in record.titles):
        yield Issue(code="dcndl.E003", field="dc:title")


@rule("dcndl.W004", "dcndl.W005")
def one_item(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.items:
        yield Issue(code="dcndl.W004", field="dcndl:Item")
    elif len(record.items) > 1:
        yield Issue(code="dcndl.W005", field="dcndl:Item", value=str(len(record.items)))


@rule("dcndl.W008")
def items_have_urls(record: BibliographicRecord) -> Iterator[Issue]:
    for each in record.items:
        if not each.uri.startswith(("http://", "https://")):
            yield Issue(code="dcndl.W008", field="dcndl:Item/@rdf:about", value=each.uri)


@rule("dcndl.N010", "dcndl.W010")
def repository_number_is_well_formed(record: BibliographicRecord) -> Iterator[Issue]:
    number = record.repository_number
    if not number:
        yield Issue(code="dcndl.N010", field="dcndl:bibRecordCategory")
    elif not _NUMBER.fullmatch(number):
        yield Issue(code="dcndl.W010", field="dcndl:bibRecordCategory", value=number)


@rule("dcndl.W011")
def detail_page_is_given(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.see_also and not any(each.see_also for each in record.items):
        yield Issue(code="dcndl.W011", field="rdfs:seeAlso")


@rule("dcndl.W014")
def one_isbn(record: BibliographicRecord) -> Iterator[Issue]:
    number = [each.scheme for each in record.identifiers].count("ISBN")
    if number > 1:
        yield Issue(code="dcndl.W014", field="dcterms:identifier[@ISBN]", value=str(number))


@rule("dcndl.W020")
def languages_are_codes(record: BibliographicRecord) -> Iterator[Issue]:
    for name, codes in (("dcterms:language", record.languages), ("dcndl:originalLanguage", record.original_languages)):
        for code in codes:
            if not (len(code) == 3 and code.isascii() and code.islower()):
                yield Issue(code="dcndl.W020", field=name, value=code)


@rule("dcndl.W022", "dcndl.W122")
def material_type_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.material_types:
        yield Issue(code="dcndl.W022", field="dcndl:materialType")
    for each in record.material_types:
        if each.uri not in MATERIAL_TYPES:
            yield Issue(code="dcndl.W122", field="dcndl:materialType", value=each.uri or each.label)


@rule("dcndl.W024")
def readings_have_no_kanji(record: BibliographicRecord) -> Iterator[Issue]:
    for name, values in (("dc:title", record.titles), ("dcterms:creator", record.creators),
                         ("dcndl:seriesTitle", record.series), ("dcterms:publisher", record.publishers)):
        for each in values:
            if each.transcription and _KANJI.search(each.transcription):
                yield Issue(code="dcndl.W024", field=name, value=each.transcription)
