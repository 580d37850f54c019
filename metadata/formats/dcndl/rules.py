"""What a record read from DC-NDL(RDF) must and should have. Sentences and sources: sentences_dcndl.

Items and the repository number are in rules_dcndl_items. What only the source tree can tell is noted while reading,
in metadata.crosswalks.dcndl, and in metadata.validation.trees.
"""

import re
from collections.abc import Iterator

from metadata.formats.common.dates import read_date
from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.validation.languages import is_language_code
from metadata.validation.registry import rule
from metadata.vocabularies.countries import COUNTRIES
from metadata.vocabularies.dcndl import MATERIAL_TYPES

_KANJI = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]")
_NO_KATAKANA = re.compile("[\u3041-\u3096\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]")
# NDC for children and libraries' own books may begin with a letter ("K913", "E"); NDLC numbers carry names and years.
_NDC = re.compile(r"[A-Z]?[0-9]{1,3}(?:\.[0-9]+)?|[A-Z]", re.ASCII).fullmatch
_NDLC = re.compile(r"[A-Z]{1,3}[0-9]*(?:-.*)?", re.ASCII).fullmatch
_OTHER_LABELS = frozenset({"絵葉書"})  # what NDL itself writes where its list has 絵はがき
# A volume at the end of a title: "… 上", "… 第3巻", "… vol. 2".
_VOLUME = re.compile(
    r"[\s:：.．,、](?:[上中下]巻?|[前後]編|第?\s?[0-9０-９一二三四五六七八九十]{1,4}\s?[巻集冊号]"
    r"|(?:vol|v|no)\.? ?[0-9]{1,4})\Z",
    re.IGNORECASE,
)
_VOLUME_ENDS = tuple("上中下巻編集冊号0123456789")
_YEAR = re.compile("[0-9]{4}")
_CLASS_FORMS = {"NDC": _NDC, "NDC8": _NDC, "NDC9": _NDC, "NDC10": _NDC, "NDLC": _NDLC}


@rule("dcndl.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title and not any(each.value for each in record.titles):
        yield Issue(code="dcndl.E003", field="dc:title")


@rule("dcndl.W014")
def one_isbn(record: BibliographicRecord) -> Iterator[Issue]:
    number = [each.scheme for each in record.identifiers].count("ISBN")
    if number > 1:
        yield Issue(code="dcndl.W014", field="dcterms:identifier[@ISBN]", value=str(number))


@rule("dcndl.I019")
def dates_can_be_read(record: BibliographicRecord) -> Iterator[Issue]:
    for value in record.dates:
        if not _YEAR.search(value) and not read_date(value):
            yield Issue(code="dcndl.I019", field="dcterms:date", value=value)


@rule("dcndl.W020")
def languages_are_codes(record: BibliographicRecord) -> Iterator[Issue]:
    for name, codes in (("dcterms:language", record.languages), ("dcndl:originalLanguage", record.original_languages)):
        for code in codes:
            if not is_language_code(code):
                yield Issue(code="dcndl.W020", field=name, value=code)


@rule("dcndl.W021")
def places_are_countries(record: BibliographicRecord) -> Iterator[Issue]:
    for place in record.publication_places:
        if place not in COUNTRIES:
            yield Issue(code="dcndl.W021", field="dcndl:publicationPlace", value=place)


@rule("dcndl.W022", "dcndl.W122", "dcndl.I122")
def material_type_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.material_types:
        yield Issue(code="dcndl.W022", field="dcndl:materialType")
    for each in record.material_types:
        if each.uri not in MATERIAL_TYPES:
            yield Issue(code="dcndl.W122", field="dcndl:materialType", value=each.uri or each.label)
        elif each.label and each.label not in MATERIAL_TYPES[each.uri] and each.label not in _OTHER_LABELS:
            yield Issue(code="dcndl.I122", field="dcndl:materialType/@rdfs:label", value=f"{each.label} ({each.uri})")


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


@rule("dcndl.I025", "dcndl.I026")
def volumes_are_told_apart(record: BibliographicRecord) -> Iterator[Issue]:
    volumes = record.volumes
    if not volumes and record.title.endswith(_VOLUME_ENDS) and _VOLUME.search(record.title):
        if not record.volume_titles:
            yield Issue(code="dcndl.I026", field="dc:title", value=record.title)
    elif len(volumes) > 1:
        isbns = len(record.values("ISBN"))
        if isbns > 1 and isbns != len(volumes):
            yield Issue(code="dcndl.I025", field="dcndl:volume", value=f"{len(volumes)} / ISBN {isbns}")
