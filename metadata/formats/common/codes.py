"""Values that every format has: languages, countries and material types in DC-NDL's codes, identifiers as sent.

Independent of the single formats.
"""

from collections.abc import Sequence
from functools import lru_cache

from metadata.formats.common.base import Draft, Step
from metadata.identifiers import hyphenate, normalise
from metadata.record import Identifier, MaterialType, Relation
from metadata.vocabularies.countries import ALPHA_2, COUNTRIES
from metadata.vocabularies.dcndl import MATERIAL_TYPE_ALIASES, MATERIAL_TYPES, language_code, material_type_uri

_HYPHENATED = frozenset({"ISBN", "SetISBN", "ISSN", "ISSNL"})


def identifier_as_sent(scheme: str, value: str, text: str) -> Identifier:
    """Return an identifier with its normal form `value`; `text` is what the provider sent.

    The text is stored only where it differs from the value by more than hyphens, because writing puts the hyphens
    back.
    """
    if text == value or (scheme in _HYPHENATED and text.replace("-", "") == value):
        return Identifier(scheme=scheme, value=value)
    return Identifier(scheme=scheme, value=value, printed=text)


def number_text(identifier: Identifier) -> str:
    """Return an identifier as it is written in all formats: an ISBN or ISSN in its normal form, any other as received.

    An ISBN has 13 digits (guideline 2.1.2 (5) ③) and the hyphens that books print, an ISSN has its hyphen. Reading
    removes the hyphens.
    """
    if identifier.scheme in {"ISBN", "SetISBN"}:
        return hyphenate(identifier.value)
    if identifier.scheme in {"ISSN", "ISSNL"} and len(identifier.value) == 8:  # else it is an invalid one
        return f"{identifier.value[:4]}-{identifier.value[4:]}"
    return identifier.printed or identifier.value


def relation_number(relation: Relation) -> str:
    """Return the number of a related resource as received, but an ISBN with ten digits as one with thirteen."""
    return with_thirteen_digits(relation.number) if relation.scheme == "ISBN" else relation.number


def with_thirteen_digits(number: str) -> str:
    """Return an ISBN with ten digits as one with thirteen, any other number as it is."""
    bare = number.replace("-", "")
    has_thirteen = len(bare) == 13 and bare.isascii() and bare.isdecimal()
    isbn = "" if has_thirteen else normalise("ISBN", number)
    return hyphenate(isbn) if isbn not in {"", bare} else number


@lru_cache(maxsize=1024)  # most records are of the same few types
def distinct_types(types: tuple[MaterialType, ...]) -> tuple[MaterialType, ...]:
    """Return each type once by its URI, which may follow from the label, in the order received.

    Of several labels the first is taken that says more than that of NDL's list ("departmental bulletin paper").
    """
    labels: dict[str, list[str]] = {}
    for material_type in types:
        uri = material_type.uri or material_type_uri(material_type.label)
        labels.setdefault(uri or f" {material_type.label}", []).append(material_type.label)
    return tuple(
        MaterialType(uri=uri if not uri.startswith(" ") else "", label=_best_label(uri, found))
        for uri, found in labels.items()
    )


def _best_label(uri: str, labels: Sequence[str]) -> str:
    known = MATERIAL_TYPES.get(uri)
    return next((label for label in labels if label and (known is None or label not in known)), labels[0])


def coding_languages(name: str, code: str, element: str) -> Step:
    """Return the step that replaces languages by codes, and notes each change as issue `code` of the element."""
    words = "languages become codes of ISO 639-2 where they are understood"
    return Step(name, name, words, lambda draft: settle_languages(draft, name, code, element))


def settle_languages(draft: Draft, name: str, code: str, element: str) -> None:
    """Replace languages by codes, as in `coding_languages`."""
    values = draft.fields.get(name)
    if not values:
        return
    settled: dict[str, None] = {}
    for value in values:
        language = language_code(value) or value
        if language != value:
            draft.note(code, element, value, language)
        settled[language] = None
    draft.fields[name] = list(settled)


def _settle_places(draft: Draft) -> None:
    """Replace countries by ISO 3166 alpha-2 codes, as NDL writes them.

    Values that are no country stay; the rule dcndl.W021 reports them.
    """
    places = draft.fields.get("publication_places", ())
    for position, place in enumerate(places):
        code = ALPHA_2.get(place) or (place.upper() if place.upper() in COUNTRIES else "")
        if code and code != place:
            draft.note("dcndl.N021", "dcndl:publicationPlace", place, code)
            draft.fields["publication_places"][position] = code


def _settle_material_types(draft: Draft) -> None:
    """Correct URIs that are known to be miswritten, and add missing labels from NDL's list."""
    types = draft.fields.get("material_types", ())
    for position, material_type in enumerate(types):
        if material_type.label and material_type.uri not in MATERIAL_TYPE_ALIASES:
            continue
        uri = MATERIAL_TYPE_ALIASES.get(material_type.uri, material_type.uri)
        if uri != material_type.uri:
            draft.note("dcndl.N022", "dcndl:materialType", material_type.uri, uri)
        label = material_type.label or (MATERIAL_TYPES[uri].ja if uri in MATERIAL_TYPES else "")
        if uri != material_type.uri or label != material_type.label:
            draft.fields["material_types"][position] = MaterialType(uri=uri, label=label)


CODING_PLACES = Step(
    "publication_places",
    "publication_places",
    "countries become codes of ISO 3166 (two letters); what is not a country stays",
    _settle_places,
)
LABELLING_TYPES = Step(
    "material_types",
    "material_types",
    "known misspellings of URIs are corrected, and types without a label get that of NDL's list",
    _settle_material_types,
)
