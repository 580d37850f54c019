"""Which element of JPCOAR each element of junii2 is brought into: JPCOAR's official pairs. Reading is in junii2.

The values of textversion and grantid have no official counterparts; those here are the project's judgement.
"""

import re
from collections.abc import Callable

from lxml import etree

from metadata.formats.jpcoar.names import bare_identifier
from metadata.formats.jpcoar.terms import VERSION_TYPES
from metadata.formats.jpcoar.write.parts import add, put
from metadata.formats.junii2.checks.terms import NII_SUBJECTS
from metadata.formats.junii2.terms import FORMS, RELATIONS, SCHEMES, TEXT_VERSIONS, person_scheme
from metadata.vocabularies.namespaces import expand
from metadata.xml.parsing import text

# Before the bare DOI or PubMed number, as junii2 asks for it and as it is sent.
_BEFORE_NUMBER = re.compile(r"\A(?:info:(?:doi|pmid)/|https?://(?:dx\.)?doi\.org/|doi:\s*)+", re.IGNORECASE)
_INFO = re.compile(r"\A(?:info:(?:doi|pmid)/)+")
_AGENCIES = ("JaLC", "Crossref", "DataCite")  # as JPCOAR spells them
ABSTRACT_LENGTH = 200  # a longer description is an abstract; junii2 cannot tell

Brought = Callable[[etree._Element, etree._Element], None]  # (element of junii2, the jpcoar:jpcoar to fill)


def plain(name: str) -> Brought:
    """The same text under another name, with its language."""

    def bring(element: etree._Element, root: etree._Element) -> None:
        add(root, name, text(element), element.get("lang", ""))

    return bring


def typed(name: str, attribute: str, kind: str) -> Brought:
    def bring(element: etree._Element, root: etree._Element) -> None:
        add(root, name, text(element), element.get("lang", "")).set(attribute, kind)

    return bring


def subject(scheme: str) -> Brought:
    """A class number with its edition: NDC version 9 is NDC9."""

    def bring(element: etree._Element, root: etree._Element) -> None:
        edition = element.get("version", "").strip()
        kind = f"NDC{edition}" if scheme == "NDC" and edition in {"8", "9", "10"} else scheme
        is_no_class = scheme == "NDC" and not FORMS["NDC"][1].fullmatch(text(element))
        if is_no_class or (scheme == "NIIsubject" and text(element) not in NII_SUBJECTS):
            kind = "Other"
        language = element.get("lang", "") if scheme == "Other" else ""  # classes and headings have none in junii2
        node = add(root, "jpcoar:subject", text(element), language)
        node.set("subjectScheme", kind)
        if kind == "Other":
            _among_keywords(node, root)

    return bring


def _among_keywords(node: etree._Element, root: etree._Element) -> None:
    """Keywords stand before class numbers, as they will be written."""
    classed = (each for each in root.findall(node.tag) if each.get("subjectScheme") != "Other")
    before = next(classed, None)
    if before is not None:
        before.addprevious(node)


def description(element: etree._Element, root: etree._Element) -> None:
    kind = "Abstract" if len(text(element)) > ABSTRACT_LENGTH else "Other"
    add(root, "datacite:description", text(element), element.get("lang", "")).set("descriptionType", kind)


def own_type(element: etree._Element, root: etree._Element) -> None:
    """dc:type beside NIItype: "text" says nothing."""
    if text(element).lower() != "text":
        add(root, "datacite:description", text(element)).set("descriptionType", "Other")


def person(name: str) -> Brought:
    def bring(element: etree._Element, root: etree._Element) -> None:
        if not text(element):
            return
        node = etree.SubElement(root, expand(f"jpcoar:{name}"))
        add(node, f"jpcoar:{name}Name", text(element), element.get("lang", ""))
        sent = element.get("id", "").strip()
        if sent:
            value = bare_identifier(sent)
            number = add(node, "jpcoar:nameIdentifier", value)
            uri = sent if sent.startswith("http") else ""
            put(number, nameIdentifierScheme=person_scheme(sent, value), nameIdentifierURI=uri)

    return bring


def nii_type(element: etree._Element, root: etree._Element) -> None:
    """Set by junii2, which knows whether it is an electronic doctoral thesis."""


def page(element: etree._Element, root: etree._Element) -> None:
    uri = text(element)
    kind = "DOI" if "//doi.org/10." in uri else "HDL" if "//hdl.handle.net/" in uri else "URI"
    add(root, "jpcoar:identifier", uri).set("identifierType", kind)


def full_text(element: etree._Element, root: etree._Element) -> None:
    add(etree.SubElement(root, expand("jpcoar:file")), "jpcoar:URI", text(element)).set("objectType", "fulltext")


def media_type(element: etree._Element, root: etree._Element) -> None:
    """Into the one file there is; else by itself."""
    files = root.findall(expand("jpcoar:file"))
    single = len(files) == 1 and len(files[0]) == 1 and files[0][0].tag == expand("jpcoar:URI")
    add(files[0] if single else etree.SubElement(root, expand("jpcoar:file")), "jpcoar:mimeType", text(element))


def self_doi(element: etree._Element, root: etree._Element) -> None:
    doi = _BEFORE_NUMBER.sub("", text(element))
    add(root, "jpcoar:identifier", f"https://doi.org/{doi}").set("identifierType", "DOI")
    sent = element.get("ra", "").strip()
    agency = next((each for each in _AGENCIES if each.lower() == sent.lower()), "")
    if agency:
        add(root, "jpcoar:identifierRegistration", doi).set("identifierType", agency)


def related(kind: str, scheme: str = "") -> Brought:
    """Another resource by number or URL, else by name."""

    def bring(element: etree._Element, root: etree._Element) -> None:
        value = text(element)
        if not value:
            return
        node = etree.SubElement(root, expand("jpcoar:relation"))
        put(node, relationType=kind)
        bare = (_BEFORE_NUMBER if scheme in {"DOI", "PMID"} else _INFO).sub("", value)
        if scheme == "DOI":
            bare = f"https://doi.org/{bare}" if bare.startswith("10.") else bare
        if scheme or bare.startswith(("http://", "https://")):
            number = add(node, "jpcoar:relatedIdentifier", bare)
            number.set("identifierType", scheme or ("DOI" if "//doi.org/10." in bare else "URI"))
        else:
            add(node, "jpcoar:relatedTitle", value, element.get("lang", ""))

    return bring


def place(element: etree._Element, root: etree._Element) -> None:
    add(etree.SubElement(root, expand("datacite:geoLocation")), "datacite:geoLocationPlace", text(element))


def version(element: etree._Element, root: etree._Element) -> None:
    term = TEXT_VERSIONS.get(text(element), TEXT_VERSIONS["none"])
    add(root, "oaire:version", term, resource=VERSION_TYPES.get(term, ""))


def grant_number(element: etree._Element, root: etree._Element) -> None:
    """The five digits in front are the institution's number."""
    match = re.match(r"([0-9]{5})(.+)", text(element))
    add(root, "dcndl:dissertationNumber", match[2] if match else text(element))
    if match:
        add(_grantor(root), "jpcoar:nameIdentifier", match[1]).set("nameIdentifierScheme", "kakenhi")


def grantor(element: etree._Element, root: etree._Element) -> None:
    add(_grantor(root), "jpcoar:degreeGrantorName", text(element), element.get("lang", ""))


def _grantor(root: etree._Element) -> etree._Element:
    found = root.find(expand("jpcoar:degreeGrantor"))
    return etree.SubElement(root, expand("jpcoar:degreeGrantor")) if found is None else found


_DESCRIBED = typed("datacite:description", "descriptionType", "Other")
PAIRS: dict[str, Brought] = {
    "title": plain("dc:title"),
    "alternative": plain("dcterms:alternative"),
    "creator": person("creator"),
    "subject": subject("Other"),
    **{scheme: subject(scheme) for scheme in SCHEMES},
    "description": description,
    "publisher": plain("dc:publisher"),
    "contributor": person("contributor"),
    "date": typed("datacite:date", "dateType", "Created"),
    "type": own_type,
    "NIItype": nii_type,
    "fullTextURL": full_text,
    "format": media_type,
    "identifier": _DESCRIBED,
    "URI": page,
    "selfDOI": self_doi,
    "isbn": related("", "ISBN"),
    "issn": typed("jpcoar:sourceIdentifier", "identifierType", "ISSN"),
    "NCID": typed("jpcoar:sourceIdentifier", "identifierType", "NCID"),
    "jtitle": plain("jpcoar:sourceTitle"),
    "volume": plain("jpcoar:volume"),
    "issue": plain("jpcoar:issue"),
    "spage": plain("jpcoar:pageStart"),
    "epage": plain("jpcoar:pageEnd"),
    "dateofissued": typed("datacite:date", "dateType", "Issued"),
    "source": _DESCRIBED,
    "language": plain("dc:language"),
    "relation": related(""),
    "pmid": related("isVersionOf", "PMID"),
    "doi": related("isVersionOf", "DOI"),
    "NAID": related("", "NAID"),
    "ichushi": related("", "ICHUSHI"),
    **{kind: related(kind) for kind in RELATIONS},
    "coverage": plain("dcterms:temporal"),
    "temporal": plain("dcterms:temporal"),
    "NIItemporal": plain("dcterms:temporal"),
    "spatial": place,
    "NIIspatial": place,
    "rights": plain("dc:rights"),
    "textversion": version,
    "grantid": grant_number,
    "dateofgranted": plain("dcndl:dateGranted"),
    "degreename": plain("dcndl:degreeName"),
    "grantor": grantor,
}
