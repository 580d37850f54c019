"""Names in JPCOAR: one text in several languages and scripts, and the identifiers of persons and bodies.

One jpcoar:creator is one person, in however many languages the name is given.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from metadata.formats.jpcoar.terms import RENAMED_SCHEMES
from metadata.record import PERSONAL, Agent, Identifier, Title
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import children, text

KANA, LATIN = "ja-Kana", "ja-Latn"  # readings and romanisations of Japanese texts
_NAMES = frozenset(
    "creatorName contributorName rightsHolderName publisherName affiliationName degreeGrantorName funderName".split()
)
_OTHER_NAMES = frozenset({"creatorAlternative", "contributorAlternative"})


class Scheme(NamedTuple):
    """A scheme of name identifiers. form: regular expression of the bare identifier.

    uri: with {} in place of the identifier; "" if the scheme has no URIs.
    """

    form: str
    uri: str = ""


NAME_SCHEMES = {
    "ORCID": Scheme(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]", "https://orcid.org/{}"),
    "ISNI": Scheme(r"[0-9]{15}[0-9X]", "http://www.isni.org/isni/{}"),
    "VIAF": Scheme(r"[0-9]+", "https://viaf.org/viaf/{}"),
    "ROR": Scheme(r"0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}", "https://ror.org/{}"),
    "AID": Scheme(r"D[AB][0-9]{7}[0-9X]", "https://ci.nii.ac.jp/author/{}"),
    "NRID": Scheme(r"[0-9]{13}", "https://nrid.nii.ac.jp/nrid/{}"),
    "e-Rad_Researcher": Scheme(r"[0-9]{8}"),
    "kakenhi": Scheme(r"[0-9]{5}"),
    "Ringgold": Scheme(r"RIN[0-9]+"),
    "GRID": Scheme(r"grid\.[0-9]+\.[0-9a-z]+", "https://www.grid.ac/institutes/{}"),
}
_HOSTS = r"orcid\.org|(?:www\.)?isni\.org(?:/isni)?|(?:www\.)?viaf\.org/viaf|ror\.org|ci\.nii\.ac\.jp/author"
_LINK = re.compile(
    rf"https?://(?:{_HOSTS}|nrid\.nii\.ac\.jp(?:/ja|/en)?/nrid|(?:www\.)?grid\.ac/institutes)/([^/?#]+)/?\Z"
)


class Names(NamedTuple):
    """One text in its languages: the main form with its reading, and all other forms in the order sent."""

    value: str
    language: str
    transcription: str
    others: tuple[Title, ...]


@lru_cache(maxsize=4096)
def local_name(tag: str) -> str:
    """Return the name without its namespace. Names inside jpcoar: elements are the same in all versions."""
    return tag.rpartition("}")[2]


def is_reading(language: str) -> bool:
    return language.lower() in {"ja-kana", "ja-latn", "ja-hira"}


def is_japanese(language: str) -> bool:
    return language.lower().partition("-")[0] == "ja" and not is_reading(language)


def titles_of(elements: Iterable[etree._Element]) -> list[Title]:
    return [Title(value=value, language=element.get(XML_LANG, "")) for element in elements if (value := text(element))]


def names_by_language(forms: list[Title]) -> Names | None:
    """Choose the Japanese form as the main one, else the first that is no reading. ja-Kana is its reading."""
    if not forms:
        return None
    main = next((form for form in forms if is_japanese(form.language)), None) or next(
        (form for form in forms if not is_reading(form.language)), forms[0]
    )
    reading = next((form for form in forms if form.language.lower() == "ja-kana" and form is not main), None)
    others = tuple(form for form in forms if form is not main and form is not reading)
    language = main.language or ("ja" if reading else "")  # only Japanese texts have readings
    return Names(main.value, language, reading.value if reading else "", others)


def agent(element: etree._Element, role: str = "") -> Agent | None:
    """Read one person or body with names, identifiers and affiliations."""
    names: list[Title] = []
    alternatives: list[Title] = []
    identifiers: list[Identifier] = []
    affiliations: list[Agent] = []
    kind = ""
    for child in children(element):
        name = local_name(child.tag)
        if name in _NAMES:
            names += titles_of([child])
            kind = kind or child.get("nameType", "")
        elif name in _OTHER_NAMES and text(child):
            alternatives.append(Title(value=text(child), language=child.get(XML_LANG, ""), kind="alternative"))
        elif name == "nameIdentifier" and text(child):
            identifiers.append(name_identifier(child))
        elif name == "affiliation" and (body := agent(child)):
            affiliations.append(body)
    form = names_by_language(names or _composed_names(element) or _number_as_name(identifiers))
    if form is None:
        return None
    return Agent(
        name=form.value,
        transcription=form.transcription,
        language=form.language,
        uri=first_uri(identifiers),
        role=role,
        kind="" if kind == PERSONAL else kind,
        other_names=(*form.others, *alternatives),
        identifiers=tuple(identifiers),
        affiliations=tuple(affiliations),
    )


def name_identifier(element: etree._Element) -> Identifier:
    """Read the bare identifier, and its URI unless it follows from the scheme."""
    scheme = element.get("nameIdentifierScheme", "").strip()
    scheme = RENAMED_SCHEMES.get(scheme, scheme)
    value = bare_identifier(text(element))
    uri = element.get("nameIdentifierURI", "").strip()
    return Identifier(scheme=scheme, value=value, uri="" if uri == scheme_uri(scheme, value) else uri)


def bare_identifier(value: str) -> str:
    match = _LINK.match(value)
    return match[1] if match else value


def scheme_uri(scheme: str, value: str) -> str:
    known = NAME_SCHEMES.get(scheme)
    return known.uri.format(value) if known and known.uri else ""


def identifier_uri(identifier: Identifier) -> str:
    return identifier.uri or scheme_uri(identifier.scheme, identifier.value)


def first_uri(identifiers: Iterable[Identifier]) -> str:
    """Return the first URI of a person or body that is a URL, "" if there is none."""
    uris = map(identifier_uri, identifiers)
    return next((uri for uri in uris if uri.startswith(("http://", "https://"))), "")


def _composed_names(element: etree._Element) -> list[Title]:
    """Return "family, given" in each language, for providers that send no whole name."""
    by_language: dict[str, dict[str, str]] = {}
    for child in children(element):
        name = local_name(child.tag)
        if name in {"familyName", "givenName"} and text(child):
            by_language.setdefault(child.get(XML_LANG, ""), {}).setdefault(name, text(child))
    return [
        Title(value=", ".join(parts[name] for name in ("familyName", "givenName") if name in parts), language=language)
        for language, parts in by_language.items()
    ]


def _number_as_name(identifiers: list[Identifier]) -> list[Title]:
    """Return the first identifier as a name, for a person or body that has nothing else."""
    return [Title(value=f"{identifier.scheme} {identifier.value}".strip()) for identifier in identifiers[:1]]
