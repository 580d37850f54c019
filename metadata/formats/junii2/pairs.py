"""The JPCOAR element that each element of junii2 is converted to, by JPCOAR's official mapping. `read` uses this
table.

The mapping has no equivalents for the values of textversion and grantid; those here are this project's decision.
"""

import re
from collections.abc import Callable

from lxml import etree

from metadata.formats.jpcoar.names import bare_identifier
from metadata.formats.jpcoar.terms import VERSION_TYPES
from metadata.formats.jpcoar.write.parts import add, set_attributes
from metadata.formats.junii2.checks.terms import NII_SUBJECTS
from metadata.formats.junii2.terms import FORMS, RELATIONS, SCHEMES, TEXT_VERSIONS, person_scheme
from metadata.vocabularies.namespaces import expand
from metadata.xml.parsing import text

# Prefixes of a DOI or PubMed number, as junii2 requires them and as providers send them.
_BEFORE_NUMBER = re.compile(r"\A(?:info:(?:doi|pmid)/|https?://(?:dx\.)?doi\.org/|doi:\s*)+", re.IGNORECASE)
_INFO = re.compile(r"\A(?:info:(?:doi|pmid)/)+")
_AGENCIES = ("JaLC", "Crossref", "DataCite")  # in JPCOAR's spelling
ABSTRACT_LENGTH = 200  # a longer description is read as an abstract; junii2 does not distinguish them

Converter = Callable[[etree._Element, etree._Element], None]  # (element of junii2, the jpcoar:jpcoar to fill)


def copied(name: str) -> Converter:
    """Return a converter that copies text and language to another element."""

    def convert(element: etree._Element, root: etree._Element) -> None:
        add(root, name, text(element), element.get("lang", ""))

    return convert


def copied_with_type(name: str, attribute: str, kind: str) -> Converter:
    def convert(element: etree._Element, root: etree._Element) -> None:
        add(root, name, text(element), element.get("lang", "")).set(attribute, kind)

    return convert


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


def nii_type(element: etree._Element, root: etree._Element) -> None:
    """Do nothing: `read` sets the type, because it depends on textversion too (electronic doctoral theses)."""


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


def relation(kind: str, scheme: str = "") -> Converter:
    """Return a converter for another resource, given by number or URL, else by name."""

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

    return convert


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


_DESCRIBED = copied_with_type("datacite:description", "descriptionType", "Other")
PAIRS: dict[str, Converter] = {
    "title": copied("dc:title"),
    "alternative": copied("dcterms:alternative"),
    "creator": person("creator"),
    "subject": subject("Other"),
    **{scheme: subject(scheme) for scheme in SCHEMES},
    "description": description,
    "publisher": copied("dc:publisher"),
    "contributor": person("contributor"),
    "date": copied_with_type("datacite:date", "dateType", "Created"),
    "type": own_type,
    "NIItype": nii_type,
    "fullTextURL": full_text,
    "format": media_type,
    "identifier": _DESCRIBED,
    "URI": page,
    "selfDOI": self_doi,
    "isbn": relation("", "ISBN"),
    "issn": copied_with_type("jpcoar:sourceIdentifier", "identifierType", "ISSN"),
    "NCID": copied_with_type("jpcoar:sourceIdentifier", "identifierType", "NCID"),
    "jtitle": copied("jpcoar:sourceTitle"),
    "volume": copied("jpcoar:volume"),
    "issue": copied("jpcoar:issue"),
    "spage": copied("jpcoar:pageStart"),
    "epage": copied("jpcoar:pageEnd"),
    "dateofissued": copied_with_type("datacite:date", "dateType", "Issued"),
    "source": _DESCRIBED,
    "language": copied("dc:language"),
    "relation": relation(""),
    "pmid": relation("isVersionOf", "PMID"),
    "doi": relation("isVersionOf", "DOI"),
    "NAID": relation("", "NAID"),
    "ichushi": relation("", "ICHUSHI"),
    **{kind: relation(kind) for kind in RELATIONS},
    "coverage": copied("dcterms:temporal"),
    "temporal": copied("dcterms:temporal"),
    "NIItemporal": copied("dcterms:temporal"),
    "spatial": place,
    "NIIspatial": place,
    "rights": copied("dc:rights"),
    "textversion": version,
    "grantid": grant_number,
    "dateofgranted": copied("dcndl:dateGranted"),
    "degreename": copied("dcndl:degreeName"),
    "grantor": grantor,
}
