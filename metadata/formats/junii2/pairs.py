"""The JPCOAR elements that the elements of junii2 are converted to, by JPCOAR's official mapping, as a table.

The mapping has no equivalents for the values of NIItype, textversion and grantid; those here are this project's
decision.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from lxml import etree

from metadata.formats.common.base import Draft, Row
from metadata.formats.jpcoar.names import bare_identifier
from metadata.formats.jpcoar.terms import VERSION_TYPES
from metadata.formats.junii2.checks.record import Elements, first_text
from metadata.formats.junii2.checks.terms import NII_SUBJECTS
from metadata.formats.junii2.terms import (
    ETD,
    FORMS,
    NII_TYPES,
    RELATIONS,
    SCHEMES,
    TEXT_VERSIONS,
    is_katakana,
    person_scheme,
)
from metadata.vocabularies.namespaces import expand
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from metadata.xml.parsing import text

# Prefixes of a DOI or PubMed number, as junii2 requires them and as providers send them.
_BEFORE_NUMBER = re.compile(r"\A(?:info:(?:doi|pmid)/|https?://(?:dx\.)?doi\.org/|doi:\s*)+", re.IGNORECASE)
_INFO = re.compile(r"\A(?:info:(?:doi|pmid)/)+")
_AGENCIES = ("JaLC", "Crossref", "DataCite")  # in JPCOAR's spelling
ABSTRACT_LENGTH = 200  # a longer description is read as an abstract; junii2 does not distinguish them

_LANG, _RESOURCE = "{http://www.w3.org/XML/1998/namespace}lang", expand("rdf:resource")
Converter = Callable[[etree._Element, etree._Element], None]  # (element of junii2, the jpcoar:jpcoar to fill)


class Source(NamedTuple):
    """A record of junii2, and the draft that takes the issues about it."""

    elements: Elements
    draft: Draft


Pair = Row[Source, etree._Element]


def pair(name: str, targets: str, words: str, convert: Converter) -> Pair:
    """Return the row that converts every element with this name."""

    def read(source: Source, root: etree._Element) -> None:
        for element in source.elements.get(name, ()):
            convert(element, root)

    return Row(name, targets, words, read)


def add(root: etree._Element, name: str, value: str, language: str = "", *, resource: str = "") -> etree._Element:
    """Add one element of JPCOAR. Without a value it is made, so that attributes can be set, but not added."""
    element = etree.Element(expand(name)) if not value else etree.SubElement(root, expand(name))
    element.text = value
    set_attributes(element, **{_LANG: language, _RESOURCE: resource})
    return element


def set_attributes(element: etree._Element, **attributes: str) -> None:
    """Set those attributes that have a value."""
    for name, value in attributes.items():
        if value:
            element.set(name, value)


def copied(name: str, target: str, **attributes: str) -> Pair:
    """Return the row that copies text and language to another element, with attributes added."""

    def convert(element: etree._Element, root: etree._Element) -> None:
        set_attributes(add(root, target, text(element), element.get("lang", "")), **attributes)

    words = "".join(f', {attribute}="{value}"' for attribute, value in attributes.items())
    return pair(name, target, f"the text with its language{words}", convert)


def subject(scheme: str) -> Converter:
    """Return a converter for subjects. A class number gets its edition: NDC with version 9 becomes NDC9."""

    def convert(element: etree._Element, root: etree._Element) -> None:
        edition = element.get("version", "").strip()
        kind = f"NDC{edition}" if scheme == "NDC" and edition in {"8", "9", "10"} else scheme
        is_not_a_class = scheme == "NDC" and not FORMS["NDC"][1].fullmatch(text(element))
        if is_not_a_class or (scheme == "NIIsubject" and text(element) not in NII_SUBJECTS):
            kind = "Other"
        language = (
            element.get("lang", "") if scheme == "Other" else ""
        )  # classes and headings have no language in junii2
        node = add(root, "jpcoar:subject", text(element), language)
        node.set("subjectScheme", kind)
        if kind == "Other":
            _move_before_classes(node, root)

    return convert


def _move_before_classes(node: etree._Element, root: etree._Element) -> None:
    """Move a keyword before the class numbers, which is the order of writing."""
    classes = (subject for subject in root.findall(node.tag) if subject.get("subjectScheme") != "Other")
    first_class = next(classes, None)
    if first_class is not None:
        first_class.addprevious(node)


def description(element: etree._Element, root: etree._Element) -> None:
    kind = "Abstract" if len(text(element)) > ABSTRACT_LENGTH else "Other"
    add(root, "datacite:description", text(element), element.get("lang", "")).set("descriptionType", kind)


def own_type(element: etree._Element, root: etree._Element) -> None:
    """Convert dc:type beside NIItype to a description, unless it is "text", which means nothing."""
    if text(element).lower() != "text":
        add(root, "datacite:description", text(element)).set("descriptionType", "Other")


def person(name: str) -> Converter:
    def convert(element: etree._Element, root: etree._Element) -> None:
        if not text(element):
            return
        node = etree.SubElement(root, expand(f"jpcoar:{name}"))
        add(node, f"jpcoar:{name}Name", text(element), element.get("lang", ""))
        sent = element.get("id", "").strip()
        if sent:
            value = bare_identifier(sent)
            number = add(node, "jpcoar:nameIdentifier", value)
            uri = sent if sent.startswith("http") else ""
            set_attributes(number, nameIdentifierScheme=person_scheme(sent, value), nameIdentifierURI=uri)

    return convert


def page(element: etree._Element, root: etree._Element) -> None:
    uri = text(element)
    kind = "DOI" if "//doi.org/10." in uri else "HDL" if "//hdl.handle.net/" in uri else "URI"
    add(root, "jpcoar:identifier", uri).set("identifierType", kind)


def full_text(element: etree._Element, root: etree._Element) -> None:
    add(etree.SubElement(root, expand("jpcoar:file")), "jpcoar:URI", text(element)).set("objectType", "fulltext")


def media_type(element: etree._Element, root: etree._Element) -> None:
    """Add the format to the file if there is only one, else as a file of its own."""
    files = root.findall(expand("jpcoar:file"))
    single = len(files) == 1 and len(files[0]) == 1 and files[0][0].tag == expand("jpcoar:URI")
    add(files[0] if single else etree.SubElement(root, expand("jpcoar:file")), "jpcoar:mimeType", text(element))


def self_doi(element: etree._Element, root: etree._Element) -> None:
    doi = _BEFORE_NUMBER.sub("", text(element))
    add(root, "jpcoar:identifier", f"https://doi.org/{doi}").set("identifierType", "DOI")
    sent = element.get("ra", "").strip()
    agency = next((name for name in _AGENCIES if name.lower() == sent.lower()), "")
    if agency:
        add(root, "jpcoar:identifierRegistration", doi).set("identifierType", agency)


def relation(name: str, kind: str, scheme: str = "") -> Pair:
    """Return the row for another resource, given by number or URL, else by name."""

    def convert(element: etree._Element, root: etree._Element) -> None:
        value = text(element)
        if not value:
            return
        node = etree.SubElement(root, expand("jpcoar:relation"))
        set_attributes(node, relationType=kind)
        bare = (_BEFORE_NUMBER if scheme in {"DOI", "PMID"} else _INFO).sub("", value)
        if scheme == "DOI":
            bare = f"https://doi.org/{bare}" if bare.startswith("10.") else bare
        if scheme or bare.startswith(("http://", "https://")):
            number = add(node, "jpcoar:relatedIdentifier", bare)
            number.set("identifierType", scheme or ("DOI" if "//doi.org/10." in bare else "URI"))
        else:
            add(node, "jpcoar:relatedTitle", value, element.get("lang", ""))

    words = (f"a number, {scheme}" if scheme else "a URL, else a title") + (f', relationType="{kind}"' if kind else "")
    return pair(name, "jpcoar:relation", words, convert)


def place(element: etree._Element, root: etree._Element) -> None:
    add(etree.SubElement(root, expand("datacite:geoLocation")), "datacite:geoLocationPlace", text(element))


def version(element: etree._Element, root: etree._Element) -> None:
    term = TEXT_VERSIONS.get(text(element), TEXT_VERSIONS["none"])
    add(root, "oaire:version", term, resource=VERSION_TYPES.get(term, ""))


def grant_number(element: etree._Element, root: etree._Element) -> None:
    """Convert grantid. Five digits at the beginning are the number of the institution."""
    match = re.match(r"([0-9]{5})(.+)", text(element))
    add(root, "dcndl:dissertationNumber", match[2] if match else text(element))
    if match:
        add(_grantor(root), "jpcoar:nameIdentifier", match[1]).set("nameIdentifierScheme", "kakenhi")


def grantor(element: etree._Element, root: etree._Element) -> None:
    add(_grantor(root), "jpcoar:degreeGrantorName", text(element), element.get("lang", ""))


def _grantor(root: etree._Element) -> etree._Element:
    existing = root.find(expand("jpcoar:degreeGrantor"))
    return etree.SubElement(root, expand("jpcoar:degreeGrantor")) if existing is None else existing


def keep_one_title(source: Source, root: etree._Element) -> None:
    titles = root.findall(expand("dc:title"))
    for extra in titles[1:]:
        source.draft.note("junii2.W003", "title", text(extra))
        extra.tag = expand("dcterms:alternative")
    for alternative in root.findall(expand("dcterms:alternative")):
        language = alternative.get(_LANG, "")
        if titles and (language.lower() == "ja-kana" or (not language and is_katakana(text(alternative)))):
            alternative.tag = expand("dc:title")
            alternative.set(_LANG, "ja-Kana")
            return


def join_readings(source: Source, root: etree._Element) -> None:
    """Give creators their readings, which junii2 has in elements of their own (katakana_creator), as IRDB does."""
    last: etree._Element | None = None
    for node in root.findall(expand("jpcoar:creator")):
        name = node[0]
        kana = name.get(_LANG, "").lower() == "ja-kana" or is_katakana(text(name))
        if last is not None and kana and not is_katakana(text(last[0])):
            source.draft.note("junii2.N006", "creator", text(name), f"{text(last[0])} ({text(name)})")
            name.set(_LANG, "ja-Kana")
            last.append(name)
            root.remove(node)
            last = None
        else:
            last = node


def set_type(source: Source, root: etree._Element) -> None:
    term = NII_TYPES.get(first_text(source.elements, "NIItype"), "other")
    if term == "thesis" and first_text(source.elements, "textversion") == ETD:
        term = "doctoral thesis"
    add(root, "dc:type", term, resource=RESOURCE_TYPES[term].uri)


_PERSON = "the name with its language; the number in id with the scheme that its form or host shows"
_NOTE = {"descriptionType": "Other"}
ROWS: tuple[Pair, ...] = (
    copied("title", "dc:title"),
    copied("alternative", "dcterms:alternative"),
    pair("creator", "jpcoar:creator", _PERSON, person("creator")),
    pair("subject", "jpcoar:subject", "a keyword, before the classes", subject("Other")),
    *(
        pair(scheme, "jpcoar:subject", f"{scheme}; what is none by its form or list is a keyword", subject(scheme))
        for scheme in SCHEMES
    ),
    pair(
        "description",
        "datacite:description",
        f"an abstract if it has more than {ABSTRACT_LENGTH} characters, else a note",
        description,
    ),
    copied("publisher", "dc:publisher"),
    pair("contributor", "jpcoar:contributor", _PERSON, person("contributor")),
    copied("date", "datacite:date", dateType="Created"),
    pair("type", "datacite:description", "a note, unless it is “text”", own_type),
    pair("fullTextURL", "jpcoar:file", "a file, full text", full_text),
    pair(
        "format",
        "jpcoar:file",
        "the media type of the file if there is only one, else of a file of its own",
        media_type,
    ),
    copied("identifier", "datacite:description", **_NOTE),
    pair("URI", "jpcoar:identifier", "DOI, HDL or URI by its beginning", page),
    pair(
        "selfDOI",
        "jpcoar:identifier jpcoar:identifierRegistration",
        "the DOI; with a known agency in ra also a registration",
        self_doi,
    ),
    relation("isbn", "", "ISBN"),
    copied("issn", "jpcoar:sourceIdentifier", identifierType="ISSN"),
    copied("NCID", "jpcoar:sourceIdentifier", identifierType="NCID"),
    copied("jtitle", "jpcoar:sourceTitle"),
    copied("volume", "jpcoar:volume"),
    copied("issue", "jpcoar:issue"),
    copied("spage", "jpcoar:pageStart"),
    copied("epage", "jpcoar:pageEnd"),
    copied("dateofissued", "datacite:date", dateType="Issued"),
    copied("source", "datacite:description", **_NOTE),
    copied("language", "dc:language"),
    relation("relation", ""),
    relation("pmid", "isVersionOf", "PMID"),
    relation("doi", "isVersionOf", "DOI"),
    relation("NAID", "", "NAID"),
    relation("ichushi", "", "ICHUSHI"),
    *(relation(kind, kind) for kind in RELATIONS),
    copied("coverage", "dcterms:temporal"),
    copied("temporal", "dcterms:temporal"),
    copied("NIItemporal", "dcterms:temporal"),
    pair("spatial", "datacite:geoLocation", "a place", place),
    pair("NIIspatial", "datacite:geoLocation", "a place", place),
    copied("rights", "dc:rights"),
    pair("textversion", "oaire:version", "AM, VoR or NA", version),
    pair(
        "grantid",
        "dcndl:dissertationNumber jpcoar:degreeGrantor",
        "five digits at the beginning are the number of the institution",
        grant_number,
    ),
    copied("dateofgranted", "dcndl:dateGranted"),
    copied("degreename", "dcndl:degreeName"),
    pair("grantor", "jpcoar:degreeGrantor", "the name", grantor),
    Row(
        "title alternative",
        "dc:title dcterms:alternative",
        "one title is kept, the others become alternatives; the first alternative in katakana is the reading of the "
        "title",
        keep_one_title,
    ),
    Row("creator", "jpcoar:creator", "a name in katakana is the reading of the name before it", join_readings),
    Row(
        "NIItype textversion",
        "dc:type",
        "the term of COAR; a thesis with the version ETD is a doctoral thesis; other if there is none",
        set_type,
    ),
)
NAMES = frozenset(name for row in ROWS for name in row.sources.split())
