"""What a record read from DC-NDL(RDF) must and should have. Sentences and sources: sentences_dcndl.

What only the source tree can tell is noted while reading, in metadata.crosswalks.dcndl.
"""

import re
from collections.abc import Iterator

from metadata.countries import COUNTRIES
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.registry import rule
from metadata.vocabulary import MATERIAL_TYPES, is_repository_number

_KANJI = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]")
_NO_KATAKANA = re.compile("[\u3041-\u3096\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]")
# NDC for children and libraries' own books may begin with a letter ("K913", "E"); NDLC numbers carry names and years.
_NDC = re.compile(r"[A-Z]?[0-9]{1,3}(?:\.[0-9]+)?|[A-Z]", re.ASCII).fullmatch
_NDLC = re.compile(r"[A-Z]{1,3}[0-9]*(?:-.*)?", re.ASCII).fullmatch
_CLASS_FORMS = {"NDC": _NDC, "NDC8": _NDC, "NDC9": _NDC, "NDC10": _NDC, "NDLC": _NDLC}


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
    elif not is_repository_number(number):
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


@rule("dcndl.W021")
def places_are_countries(record: BibliographicRecord) -> Iterator[Issue]:
    for place in record.publication_places:
        if place not in COUNTRIES:
            yield Issue(code="dcndl.W021", field="dcndl:publicationPlace", value=place)


@rule("dcndl.W022", "dcndl.W122")
def material_type_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.material_types:
        yield Issue(code="dcndl.W022", field="dcndl:materialType")
    for each in record.material_types:
        if each.uri not in MATERIAL_TYPES:
            yield Issue(code="dcndl.W122", field="dcndl:materialType", value=each.uri or each.label)


@rule("dcndl.W023")
def class_numbers_are_well_formed(record: BibliographicRecord) -> Iterator[Issue]:
    for each in record.subjects:
        form = _CLASS_FORMS.get(each.scheme)
        if form and not form(each.value):
            yield Issue(code="dcndl.W023", field=f"dcterms:subject[{each.scheme}]", value=each.value or each.uri)


@rule("dcndl.W024", "dcndl.N024")
def readings_are_katakana(record: BibliographicRecord) -> Iterator[Issue]:
    read_aloud = (
        ("dc:title", record.titles),
        ("dcterms:creator", record.creators),
        ("dcndl:seriesTitle", record.series),
        ("dcterms:publisher", record.publishers),
    )
    readings = [(name, each.transcription) for name, values in read_aloud for each in values if each.transcription]
    if not _NO_KATAKANA.search("".join([reading for _, reading in readings])):  # one look at all of them
        return
    for name, reading in readings:
        if _KANJI.search(reading):
            yield Issue(code="dcndl.W024", field=name, value=reading)
        elif _NO_KATAKANA.search(reading):
            yield Issue(code="dcndl.N024", field=name, value=reading)
