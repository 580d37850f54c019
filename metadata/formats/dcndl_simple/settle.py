"""What DC-NDL (Simple) leaves to order and form: readings beside values, dates, subjects, types. Pure."""

from typing import Any

import msgspec

from metadata.formats.common.base import Draft
from metadata.formats.common.dates import read_date, w3cdtf
from metadata.formats.dcndl_simple.creators import all_people, is_statement
from metadata.formats.dcndl_simple.readers import TypedDate
from metadata.identifiers import recognise
from metadata.record import Agent, Date, MaterialType, Subject
from metadata.vocabularies.dcndl import MATERIAL_TYPE_ALIASES, MATERIAL_TYPES, class_uri, material_type_uri

# Fields whose readings stand in "<field>_readings", and the element that holds them.
PAIRS = {
    "titles": "dcndl:titleTranscription",
    "alternatives": "dcndl:alternativeTranscription",
    "volumes": "dcndl:volumeTranscription",
    "volume_titles": "dcndl:volumeTitleTranscription",
    "series": "dcndl:seriesTitleTranscription",
    "parts": "dcndl:partTitleTranscription",
    "contributors": "dcndl:contributorTranscription",
    "publishers": "dcndl:publisherTranscription",
    "subjects": "dcndl:subjectTranscription",
    "genres": "dcndl:genreTranscription",
}
# xsi:types of subjects in the element list of version 2.0, NDL Metadata Terms and NDL's own records.
SUBJECT_SCHEMES = frozenset(
    "NDLSH NDLGFT NDLNA BSH LCSH MeSH NIISubject NDLC NDC NDC8 NDC9 NDC10 DDC UDC LCC GHQSCAP USCAR MCJ".split()
)
_TYPE_LABELS = {"絵葉書": "http://ndl.go.jp/ndltype/PicturePostcard"}  # NDL's records; its list has 絵はがき


def pair(draft: Draft, name: str, attribute: str = "transcription") -> None:
    """Give values their readings by position; only where there are as many, or it would be guessing."""
    fields = draft.fields
    readings: list[str] = fields.pop(f"{name}_readings", [])
    if name == "parts":
        _pair_part_creators(draft)
    values: list[Any] = fields.get(name, [])
    if not readings:
        return
    if len(readings) != len(values):
        draft.note("dcndl_simple.W005", PAIRS[name], " | ".join(filter(str.strip, readings)))
        return
    fields[name] = [_with(each, attribute, text) for each, text in zip(values, readings, strict=True)]


def _with(value: Any, attribute: str, text: str) -> Any:
    said = text.strip()
    return msgspec.structs.replace(value, **{attribute: said}) if said and not getattr(value, attribute) else value


def _pair_part_creators(draft: Draft) -> None:
    """dcndl:partCreator belongs to the part in its place; where the numbers differ they are contributors."""
    fields = draft.fields
    creators: list[str] = fields.pop("parts_creators", [])
    parts = fields.get("parts", [])
    if len(creators) == len(parts) and creators:
        fields["parts"] = [
            _with(part, "responsibility", creator) for part, creator in zip(parts, creators, strict=True)
        ]
    else:
        fields["contributors"] += [Agent(name=each) for each in creators if each.strip()]


def settle_creators(draft: Draft) -> None:
    """Part headings from statements of responsibility; without headings, the people whom the statements name."""
    fields = draft.fields
    sent: list[Agent] = fields.pop("creators", [])
    readings: list[str] = fields.pop("creators_readings", [])
    statements = dict.fromkeys(each.name for each in sent if is_statement(each.name))
    creators = [each for each in sent if each.name not in statements] or all_people(statements)
    fields["responsibility"] = list(statements)
    fields["creators"] = creators
    if readings and len(readings) == len(creators):
        fields["creators"] = [_with(each, "transcription", text) for each, text in zip(creators, readings, strict=True)]
    elif readings:
        draft.note("dcndl_simple.W005", "dcndl:creatorTranscription", " | ".join(filter(str.strip, readings)))


def settle_subjects(draft: Draft) -> None:
    """Classes get the URIs that NDL has for them, as in DC-NDL(RDF)."""
    subjects: list[Subject] = draft.fields.get("subjects", [])
    for position, each in enumerate(subjects):
        uri = class_uri(each.scheme, each.value)
        if uri and not each.uri:
            subjects[position] = msgspec.structs.replace(each, uri=uri)
        elif each.scheme and each.scheme not in SUBJECT_SCHEMES:
            draft.note("dcndl_simple.W004", f"dc:subject[@{each.scheme}]", each.value)


def settle_untyped(draft: Draft) -> None:
    """dc:identifier without xsi:type, or with dcterms:URI: an address, an identifier by its form, or just a text."""
    fields = draft.fields
    typed = []
    for scheme, value in fields.pop("identifiers", ()):
        if scheme in {"", "URI"} and value.startswith(("http://", "https://")):
            fields["see_also"].append(value)
        else:
            typed.append((scheme, value) if scheme else recognise(value))
    fields["identifiers"] = typed


def settle_material_types(draft: Draft) -> None:
    """Simple gives the label alone; NDL's list has its URI."""
    found = []
    for each in draft.fields.pop("material_types", ()):
        uri = MATERIAL_TYPE_ALIASES.get(each.uri, each.uri) or type_uri(each.label)
        label = each.label or (MATERIAL_TYPES[uri].ja if uri in MATERIAL_TYPES else "")
        found.append(MaterialType(uri=uri, label="" if label == uri else label))
    draft.fields["material_types"] = found


def type_uri(label: str) -> str:
    return _TYPE_LABELS.get(label) or material_type_uri(label)


def settle_dates(draft: Draft) -> str:
    """The date of publication; dates as printed stay in `dates`, a serial's last year in `other_dates`.

    What is W3CDTF and what is printed is decided by the form: NDL's records have them under either name.
    """
    fields = draft.fields
    issued: list[TypedDate] = fields.pop("issued", [])
    dates: list[TypedDate] = fields.pop("dates", [])
    fields["other_dates"] = [Date(type=each.element, value=each.value) for each in fields.pop("other_dates", ())]
    normal = [each for each in issued if w3cdtf(each.value)]
    printed = [each for each in issued if not w3cdtf(each.value)]
    if not normal:
        normal = [each for each in dates if each.scheme == "W3CDTF" and w3cdtf(each.value)][:1]
        dates = [each for each in dates if each not in normal]
    if printed:
        read_as = normal[0].value if normal else read_date(printed[0].value)
        draft.note("dcndl_simple.N006", "dcterms:issued", printed[0].value, read_as)
    fields["dates"] = [each.value for each in (*dates, *printed)]
    fields["other_dates"] += [Date(type="issued", value=each.value) for each in normal[1:]]
    if normal:
        return normal[0].value
    return _derived(draft)


def _derived(draft: Draft) -> str:
    for value in draft.fields["dates"]:
        found = read_date(value)
        if found:
            draft.note("dcndl.N118", "dc:date", value, found)
            return found
    return ""
