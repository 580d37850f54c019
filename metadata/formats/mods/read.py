"""Reads MODS 3, by a table of element → (record field, reader). Writing is in `write`.

Versions 3.0 to 3.8 (https://www.loc.gov/standards/mods/userguide/): later versions only add. Elements with structure
are collected whole and interpreted together, because scripts, roles and attributes decide what they mean.
"""

from lxml import etree

from metadata.formats.common import codes
from metadata.formats.common.base import Conversion, Draft, Table
from metadata.formats.common.no_namespace import in_namespace
from metadata.formats.mods.links import (
    settle_conditions,
    settle_identifiers,
    settle_locations,
    settle_notes,
    settle_related,
)
from metadata.formats.mods.names import heading_of_name, settle_names
from metadata.formats.mods.origin import settle_languages, settle_origin, settle_physical, settle_types
from metadata.formats.mods.readers import (
    Form,
    Forms,
    M,
    Whole,
    children_named,
    clean_text,
    first_text,
    form_reader,
    full_title,
    group_forms,
    title,
    whole_element,
)
from metadata.formats.mods.subjects import classification, genre, heading, settle_subjects
from metadata.record import Identifier, Title
from metadata.vocabularies.namespaces import MODS, XML_LANG

ROOT = f"{M}mods"
LOOSE_ROOT = "mods"  # without the namespace

TABLE: Table = {
    f"{M}{local}": entry
    for local, entry in {
        "titleInfo": ("title_forms", form_reader(full_title)),
        "name": ("name_forms", form_reader(heading_of_name)),
        "typeOfResource": ("resource_types", clean_text),
        "genre": ("genres", genre),
        "originInfo": ("origins", form_reader(clean_text)),
        "language": ("language_elements", whole_element),
        "physicalDescription": ("physical", whole_element),
        "abstract": ("abstracts", clean_text),
        "tableOfContents": ("contents", clean_text),
        "targetAudience": ("audiences", clean_text),
        "note": ("note_elements", whole_element),
        "subject": ("subjects", form_reader(heading)),
        "classification": ("classifications", classification),
        "relatedItem": ("related", whole_element),
        "identifier": ("identifiers", whole_element),
        "location": ("locations", whole_element),
        "accessCondition": ("conditions", whole_element),
        "part": ("own_parts", whole_element),
        "recordInfo": ("admin", whole_element),
    }.items()
}
# type of titleInfo → kind of an alternative title.
TITLE_KINDS = {"translated": "translation", "uniform": "uniform", "abbreviated": "abbreviated"}
# Element → the elements that are read inside it; any others inside it are reported as unmapped.
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
    **{M + parent: {M + name: None for name in names.split()} for parent, names in _INSIDE.items()},
}
ELEMENTS = {
    "titles": "mods:titleInfo/mods:title",
    "display_title": "mods:titleInfo/mods:title",
    "alternatives": "mods:titleInfo",
    "volumes": "mods:titleInfo/mods:partNumber",
    "volume_titles": "mods:titleInfo/mods:partName",
    "series": 'mods:relatedItem[@type="series"]',
    "parts": 'mods:relatedItem[@type="constituent"]',
    "creators": "mods:name",
    "contributors": "mods:name",
    "publishers": "mods:originInfo/mods:publisher",
    "publication_places": "mods:originInfo/mods:place",
    "issued": "mods:originInfo/mods:dateIssued",
    "dates": "mods:originInfo/mods:dateIssued",
    "editions": "mods:originInfo/mods:edition",
    "invalid_identifiers": "mods:identifier",
    "source_identifiers": 'mods:relatedItem[@type="original"]/mods:identifier',
    "languages": "mods:language/mods:languageTerm",
    "original_languages": "mods:language/mods:languageTerm",
    "extents": "mods:physicalDescription/mods:extent",
    "formats": "mods:physicalDescription/mods:internetMediaType",
    "material_types": "mods:typeOfResource",
    "notes": "mods:note",
    "responsibility": 'mods:note[@type="statement of responsibility"]',
    "host": 'mods:relatedItem[@type="host"]',
    "relations": "mods:relatedItem",
    "see_also": "mods:location/mods:url",
    "items": "mods:location",
    "rights": "mods:accessCondition",
    "access_rights": "mods:accessCondition",
}


def read(root: etree._Element) -> Conversion:
    """Read the record of one mods element."""
    draft = Draft()
    if root.tag == LOOSE_ROOT:
        draft.note("mods.N001", root.tag, result=MODS)
        root = in_namespace(root, MODS)
    draft.collect(root, TABLE)
    fields = draft.fields
    for field, values in fields.items():
        if isinstance(values[0], Whole):
            fields[field] = [whole.element for whole in values]
    _settle_titles(draft)
    settle_names(fields.pop("name_forms", []), draft)
    issued = settle_origin(draft)
    settle_languages(draft)
    codes.settle_languages(draft, "languages", "mods.N010", "language/languageTerm")
    codes.settle_languages(draft, "original_languages", "mods.N010", "language/languageTerm")
    settle_types(draft)
    settle_physical(fields.pop("physical", []), draft)
    settle_notes(draft)
    settle_subjects(draft)
    settle_locations(draft)
    settle_identifiers(draft)
    host = settle_related(draft)
    settle_conditions(draft)
    fields["contents"] = [line for text in fields.pop("contents", ()) for line in text.split(" -- ") if line]
    admin = fields.pop("admin", [])
    rule = next(filter(None, (first_text(info, "descriptionStandard") for info in admin)), "")
    numbers = [clean_text(number) for info in admin for number in children_named(info, "recordIdentifier")]
    fields["source_identifiers"] += [Identifier(value=number) for number in numbers if number]
    titles = fields.get("titles", [])
    return draft.convert(
        uri=next(iter(fields.get("see_also", ())), ""),
        display_title=titles[0].value if titles else "",
        issued=issued,
        host=host,
        cataloging_rule=rule,
    )


def _settle_titles(draft: Draft) -> None:
    """Choose the title marked as primary, else the first without a type, as the main one. The others are
    alternatives.
    """
    fields = draft.fields
    forms: list[Form] = fields.pop("title_forms", [])
    groups = group_forms(forms)
    main = next((group for group in groups if group.main.element.get("usage") == "primary"), None)
    main = (
        main
        or next((group for group in groups if not group.main.element.get("type")), None)
        or next(iter(groups), None)
    )
    if main is None:
        return
    _main_title(main, draft)
    for group in groups:
        if group is not main:
            reading = group.reading.value if group.reading else ""
            kind = TITLE_KINDS.get(group.main.element.get("type", ""), "")
            fields["alternatives"].append(_title(group.main, group.main.value, reading, kind))
        fields["alternatives"] += [_title(other, other.value) for other in group.other]
    fields["alternatives"] = list(dict.fromkeys(fields["alternatives"]))


def _main_title(forms: Forms, draft: Draft) -> None:
    """Add the main title. Its part numbers and names are those of the volume; its reading has the same parts."""
    element, reading = forms.main.element, forms.reading.element if forms.reading else None
    value = title(element) or forms.main.value
    draft.fields["titles"].append(_title(forms.main, value, title(reading) if reading is not None else ""))
    for local, field in (("partNumber", "volumes"), ("partName", "volume_titles")):
        values = list(filter(None, map(clean_text, children_named(element, local))))
        kana = [clean_text(part) for part in children_named(reading, local)] if reading is not None else []
        kana = kana if len(kana) == len(values) else [""] * len(values)
        draft.fields[field] += [Title(value=text, transcription=part) for text, part in zip(values, kana, strict=True)]


def _title(form: Form, value: str, reading: str = "", kind: str = "") -> Title:
    language = form.element.get(XML_LANG, "") or form.element.get("lang", "")
    return Title(value=value, transcription=reading, language=language, kind=kind)
