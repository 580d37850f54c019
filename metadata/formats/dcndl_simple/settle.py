"""Decides what DC-NDL (Simple) leaves to order and form: readings of values, dates, subjects, types. Pure."""

from typing import Any

import msgspec

from metadata.formats.common.base import Draft, Step
from metadata.formats.dcndl_simple.creators import all_people, is_statement
from metadata.formats.dcndl_simple.readers import TypedDate
from metadata.identifiers import recognise
from metadata.record import Agent, Date, MaterialType, Subject
from metadata.text.dates import read_date, w3cdtf
from metadata.vocabularies.dcndl import MATERIAL_TYPE_ALIASES, MATERIAL_TYPES, class_uri, material_type_uri

# Fields whose readings are collected in "<field>_readings", and the element of the readings.
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
_TYPE_LABELS = {"絵葉書": "http://ndl.go.jp/ndltype/PicturePostcard"}  # label in NDL's records; its list has 絵はがき


def pairing_readings(name: str) -> Step:
    """Return the step that gives values their readings by position; if there are more or fewer readings, pairing would
    be a guess.
    """
    words = "readings are given to the values in the same position, if there are as many"
    return Step(f"{name} {name}_readings", name, words, lambda draft: _pair_readings(draft, name))


def _pair_readings(draft: Draft, name: str) -> None:
    fields = draft.fields
    readings: list[str] = fields.pop(f"{name}_readings", [])
    values: list[Any] = fields.get(name, [])
    if not readings:
        return
    if len(readings) != len(values):
        draft.note("dcndl_simple.W005", PAIRS[name], " | ".join(filter(str.strip, readings)))
        return
    fields[name] = [_with_default(value, "transcription", text) for value, text in zip(values, readings, strict=True)]


def _with_default(value: Any, attribute: str, text: str) -> Any:
    """Return the value with the attribute set to the text, unless the text is blank or the attribute is set already."""
    stripped = text.strip()
    return (
        msgspec.structs.replace(value, **{attribute: stripped}) if stripped and not getattr(value, attribute) else value
    )


def pair_part_creators(draft: Draft) -> None:
    fields = draft.fields
    creators: list[str] = fields.pop("parts_creators", [])
    parts = fields.get("parts", [])
    if len(creators) == len(parts) and creators:
        fields["parts"] = [
            _with_default(part, "responsibility", creator) for part, creator in zip(parts, creators, strict=True)
        ]
    else:
        fields["contributors"] += [Agent(name=name) for name in creators if name.strip()]


def settle_creators(draft: Draft) -> None:
    fields = draft.fields
    sent: list[Agent] = fields.pop("creators", [])
    readings: list[str] = fields.pop("creators_readings", [])
    statements = dict.fromkeys(agent.name for agent in sent if is_statement(agent.name))
    creators = [agent for agent in sent if agent.name not in statements] or all_people(statements)
    fields["responsibility"] = list(statements)
    fields["creators"] = creators
    if readings and len(readings) == len(creators):
        fields["creators"] = [
            _with_default(creator, "transcription", text) for creator, text in zip(creators, readings, strict=True)
        ]
    elif readings:
        draft.note("dcndl_simple.W005", "dcndl:creatorTranscription", " | ".join(filter(str.strip, readings)))


def settle_subjects(draft: Draft) -> None:
    subjects: list[Subject] = draft.fields.get("subjects", [])
    for position, subject in enumerate(subjects):
        uri = class_uri(subject.scheme, subject.value)
        if uri and not subject.uri:
            subjects[position] = msgspec.structs.replace(subject, uri=uri)
        elif subject.scheme and subject.scheme not in SUBJECT_SCHEMES:
            draft.note("dcndl_simple.W004", f"dc:subject[{subject.scheme}]", subject.value)


def settle_untyped(draft: Draft) -> None:
    fields = draft.fields
    typed = []
    for scheme, value in fields.pop("identifiers", ()):
        if scheme in {"", "URI"} and value.startswith(("http://", "https://")):
            fields["see_also"].append(value)
        else:
            typed.append((scheme, value) if scheme else recognise(value))
    fields["identifiers"] = typed


def settle_material_types(draft: Draft) -> None:
    settled = []
    for material_type in draft.fields.pop("material_types", ()):
        uri = MATERIAL_TYPE_ALIASES.get(material_type.uri, material_type.uri) or material_type_uri_of_label(
            material_type.label
        )
        label = material_type.label or (MATERIAL_TYPES[uri].ja if uri in MATERIAL_TYPES else "")
        settled.append(MaterialType(uri=uri, label="" if label == uri else label))
    draft.fields["material_types"] = settled


def material_type_uri_of_label(label: str) -> str:
    return _TYPE_LABELS.get(label) or material_type_uri(label)


def settle_dates(draft: Draft) -> None:
    """Separate dates in W3CDTF from printed ones by their form, because NDL's own records have both in dcterms:issued
    as well as in dc:date.
    """
    fields = draft.fields
    issued: list[TypedDate] = fields.pop("issued", [])
    dates: list[TypedDate] = fields.pop("dates", [])
    fields["other_dates"] = [Date(type=date.element, value=date.value) for date in fields.pop("other_dates", ())]
    normal = [date for date in issued if w3cdtf(date.value)]
    printed = [date for date in issued if not w3cdtf(date.value)]
    if not normal:
        normal = [date for date in dates if date.scheme == "W3CDTF" and w3cdtf(date.value)][:1]
        dates = [date for date in dates if date not in normal]
    if printed:
        read_as = normal[0].value if normal else read_date(printed[0].value)
        draft.note("dcndl_simple.N006", "dcterms:issued", printed[0].value, read_as)
    fields["dates"] = [date.value for date in (*dates, *printed)]
    fields["other_dates"] += [Date(type="issued", value=date.value) for date in normal[1:]]
    draft.single["issued"] = normal[0].value if normal else _issued_from_dates(draft)


def _issued_from_dates(draft: Draft) -> str:
    for value in draft.fields["dates"]:
        date = read_date(value)
        if date:
            draft.note("dcndl.N118", "dc:date", value, date)
            return date
    return ""


def settle_display_title(draft: Draft) -> None:
    titles = draft.fields.get("titles")
    draft.single["display_title"] = draft.pop_first("display_title") or (titles[0].value if titles else "")
