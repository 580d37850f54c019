"""Values that every format has: languages and types in DC-NDL's codes, identifiers as sent. Knows no format."""

from metadata.formats.common.base import Draft
from metadata.record import Identifier, MaterialType
from metadata.vocabularies.countries import ALPHA_2, COUNTRIES
from metadata.vocabularies.dcndl import MATERIAL_TYPE_ALIASES, MATERIAL_TYPES, language_code

_HYPHENATED = frozenset({"ISBN", "SetISBN", "ISSN", "ISSNL"})


def as_sent(scheme: str, value: str, text: str) -> Identifier:
    """`value` is the normal form; `text` is kept where it is more than that with hyphens, which writing puts back."""
    if text == value or (scheme in _HYPHENATED and text.replace("-", "") == value):
        return Identifier(scheme=scheme, value=value)
    return Identifier(scheme=scheme, value=value, printed=text)


def settle_languages(draft: Draft, name: str, code: str, element: str) -> None:
    """ISO 639-2 where the value sent can be understood, noted under `code`; else the value as it is."""
    values = draft.fields.get(name)
    if not values:
        return
    settled: dict[str, None] = {}
    for value in values:
        known = language_code(value) or value
        if known != value:
            draft.note(code, element, value, known)
        settled[known] = None
    draft.fields[name] = list(settled)


def settle_places(draft: Draft) -> None:
    """Countries as ISO 3166 alpha-2, as NDL writes them; what is no country code stays for its rule to tell."""
    places = draft.fields.get("publication_places", ())
    for position, each in enumerate(places):
        code = ALPHA_2.get(each) or (each.upper() if each.upper() in COUNTRIES else "")
        if code and code != each:
            draft.note("dcndl.N021", "dcndl:publicationPlace", each, code)
            draft.fields["publication_places"][position] = code


def settle_material_types(draft: Draft) -> None:
    """URIs that are known to be miswritten are put right; a missing label is taken from NDL's list."""
    types = draft.fields.get("material_types", ())
    for position, each in enumerate(types):
        if each.label and each.uri not in MATERIAL_TYPE_ALIASES:
            continue
        uri = MATERIAL_TYPE_ALIASES.get(each.uri, each.uri)
        if uri != each.uri:
            draft.note("dcndl.N022", "dcndl:materialType", each.uri, uri)
        label = each.label or (MATERIAL_TYPES[uri].ja if uri in MATERIAL_TYPES else "")
        if uri != each.uri or label != each.label:
            draft.fields["material_types"][position] = MaterialType(uri=uri, label=label)
