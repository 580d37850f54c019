"""MODS 3 as a table of element → record field: how it is read. Writing is in mods_write.

Versions 3.0 to 3.8 (https://www.loc.gov/standards/mods/userguide/): they only add. Elements with structure are read
whole and settled together, since scripts, roles and attributes decide what they mean.
"""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Table
from metadata.formats.common.codes import settle_languages as settle_codes
from metadata.formats.common.no_namespace import in_namespace
from metadata.formats.mods.links import (
    settle_conditions,
    settle_identifiers,
    settle_locations,
    settle_notes,
    settle_related,
)
from metadata.formats.mods.names import name, settle_names
from metadata.formats.mods.origin import physical, settle_languages, settle_origin, settle_types
from metadata.formats.mods.readers import (
    Form,
    Forms,
    M,
    Whole,
    by_group,
    first,
    form,
    inside,
    itself,
    part_title,
    title,
    words,
)
from metadata.formats.mods.subjects import classification, genre, heading, settle_subjects
from metadata.record import Identifier, Title
from metadata.vocabularies.namespaces import MODS, XML_LANG

ROOT = f"{M}mods"
LOOSE_ROOT = "mods"  # without its namespace

TABLE: Table = {
    f"{M}{local}": entry
    for local, entry in {
        "titleInfo": ("title_forms", form(part_title)),
        "name": ("name_forms", form(name)),
        "typeOfResource": ("resource_types", words),
        "genre": ("genres", genre),
        "originInfo": ("origins", form(words)),
        "language": ("language_elements", itself),
        "physicalDescription": ("physical", itself),
        "abstract": ("abstracts", words),
        "tableOfContents": ("contents", words),
        "targetAudience": ("audiences", words),
        "note": ("note_elements", itself),
        "subject": ("subjects", form(heading)),
        "classification": ("classifications", classification),
        "relatedItem": ("related", itself),
        "identifier": ("identifiers", itself),
        "location": ("locations", itself),
        "accessCondition": ("conditions", itself),
        "part": ("own_parts", itself),
        "recordInfo": ("admin", itself),
    }.items()
}
# What the record calls the types of alternative titles.
TITLE_KINDS = {"translated": "translation", "uniform": "uniform", "abbreviated": "abbreviated"}
# What is read inside them; the rest is listed as unmapped.
_INSIDE = {
    "titleInfo": "nonSort title subTitle partNumber partName",
    "name": "namePart displayForm role affiliation nameIdentifier alternativeName etal description",
    "originInfo": "place publisher agent dateIssued dateCreated dateCaptured dateValid dateModified copyrightDate "
    "edition issuance frequency",
    "language": "languageTerm scriptTerm",
    "physicalDescription": "form extent internetMediaType note digitalOrigin reformattingQuality",
    "subject": "topic geographic temporal titleInfo name genre hierarchicalGeographic cartographics occupation",
    "relatedItem": "titleInfo name note identifier location part originInfo physicalDescription",
    "location": "physicalLocation url shelfLocator holdingSimple",
    "part": "detail extent",
    "recordInfo": "descriptionStandard recordIdentifier recordContentSource recordCreationDate recordChangeDate "
    "recordOrigin languageOfCataloging",
}
READERS: dict[str, Table] = {
    ROOT: TABLE,
    **{M + parent: {M + each: None for each in names.split()} for parent, names in _INSIDE.items()},
}
ELEMENTS = {
    "titles": "titleInfo/title",
    "display_title": "titleInfo/title",
    "alternatives": "titleInfo",
    "volumes": "titleInfo/partNumber",
    "volume_titles": "titleInfo/partName",
    "series": "relatedItem[@series]",
    "parts": "relatedItem[@constituent]",
    "creators": "name",
    "contributors": "name",
    "publishers": "originInfo/publisher",
    "publication_places": "originInfo/place",
    "issued": "originInfo/dateIssued",
    "dates": "originInfo/dateIssued",
    "editions": "originInfo/edition",
    "invalid_identifiers": "identifier",
    "source_identifiers": "relatedItem[@original]/identifier",
    "languages": "language/languageTerm",
    "original_languages": "language/languageTerm",
    "extents": "physicalDescription/extent",
    "formats": "physicalDescription/internetMediaType",
    "material_types": "typeOfResource",
    "notes": "note",
    "responsibility": "note[@statement of responsibility]",
    "host": "relatedItem[@host]",
    "relations": "relatedItem",
    "see_also": "location/url",
    "items": "location",
    "rights": "accessCondition",
    "access_rights": "accessCondition",
}


def read(root: etree._Element) -> Conversion:
    """The record of one mods element."""
    draft = Draft()
    if root.tag == LOOSE_ROOT:
        draft.note("mods.N001", root.tag, result=MODS)
        root = in_namespace(root, MODS)
    draft.collect(root, TABLE)
    fields = draft.fields
    for field, values in fields.items():
        if isinstance(values[0], Whole):
            fields[field] = [each.element for each in values]
    _settle_titles(draft)
    settle_names(fields.pop("name_forms", []), draft)
    issued = settle_origin(draft)
    settle_languages(draft)
    settle_codes(draft, "languages", "mods.N010", "language/languageTerm")
    settle_codes(draft, "original_languages", "mods.N010", "language/languageTerm")
    settle_types(draft)
    physical(fields.pop("physical", []), draft)
    settle_notes(draft)
    settle_subjects(draft)
    settle_locations(draft)
    settle_identifiers(draft)
    host = settle_related(draft)
    settle_conditions(draft)
    fields["contents"] = [line for text in fields.pop("contents", ()) for line in text.split(" -- ") if line]
    admin = fields.pop("admin", [])
    rule = next(filter(None, (first(each, "descriptionStandard") for each in admin)), "")
    numbers = [words(number) for each in admin for number in inside(each, "recordIdentifier")]
    fields["source_identifiers"] += [Identifier(value=each) for each in numbers if each]
    titles = fields.get("titles", [])
    return draft.convert(
        uri=next(iter(fields.get("see_also", ())), ""),
        display_title=titles[0].value if titles else "",
        issued=issued,
        host=host,
        cataloging_rule=rule,
    )


def _settle_titles(draft: Draft) -> None:
    """The first title without a type, or marked as primary, is the record's own; all others are alternatives."""
    fields = draft.fields
    forms: list[Form] = fields.pop("title_forms", [])
    groups = by_group(forms)
    own = next((each for each in groups if each.main.element.get("usage") == "primary"), None)
    own = own or next((each for each in groups if not each.main.element.get("type")), None) or next(iter(groups), None)
    if own is None:
        return
    _own_title(own, draft)
    for each in groups:
        if each is not own:
            reading = each.reading.value if each.reading else ""
            kind = TITLE_KINDS.get(each.main.element.get("type", ""), "")
            fields["alternatives"].append(_title(each.main, each.main.value, reading, kind))
        fields["alternatives"] += [_title(other, other.value) for other in each.other]
    fields["alternatives"] = list(dict.fromkeys(fields["alternatives"]))


def _own_title(own: Forms, draft: Draft) -> None:
    """Its part numbers and names are the volume's; the reading has its own."""
    element, reading = own.main.element, own.reading.element if own.reading else None
    value = title(element) or own.main.value
    draft.fields["titles"].append(_title(own.main, value, title(reading) if reading is not None else ""))
    for local, field in (("partNumber", "volumes"), ("partName", "volume_titles")):
        values = list(filter(None, map(words, inside(element, local))))
        kana = [words(each) for each in inside(reading, local)] if reading is not None else []
        kana = kana if len(kana) == len(values) else [""] * len(values)
        draft.fields[field] += [Title(value=text, transcription=said) for text, said in zip(values, kana, strict=True)]


def _title(form_: Form, value: str, reading: str = "", kind: str = "") -> Title:
    language = form_.element.get(XML_LANG, "") or form_.element.get("lang", "")
    return Title(value=value, transcription=reading, language=language, kind=kind)
