"""What a record in DC-NDL or RSS must be like, for which no official schema exists."""

import re
from collections.abc import Callable, Iterator

from lxml import etree

from metadata.formats.common.uris import is_uri
from metadata.formats.jpcoar.write.values import language_tag
from metadata.identifiers import normalise
from metadata.text.dates import w3cdtf
from metadata.vocabularies.namespaces import DCNDL_SIMPLE, RDF, XML_LANG, XSI, expand

_RESOURCE, _ABOUT, _DATATYPE = f"{{{RDF}}}resource", f"{{{RDF}}}about", f"{{{RDF}}}datatype"
_TYPE = f"{{{XSI}}}type"
_PLACE_IN_JOURNAL = ("dcndl:publicationVolume", "dcndl:number", "dcndl:issue", "dcndl:pageRange")
_LANGUAGE = re.compile("[a-z]{3}")
_COUNTRY = re.compile("[A-Z]{2,3}")
_WELL_FORMED: dict[str, Callable[[str], object]] = {
    "W3CDTF": w3cdtf,
    "ISO639-2": _LANGUAGE.fullmatch,
    "ISO3166": _COUNTRY.fullmatch,
    "ISBN": lambda text: normalise("ISBN", text),
    "ISSN": lambda text: normalise("ISSN", text),
}


def values(root: etree._Element) -> Iterator[str]:
    """Yield the values that are not what their attribute, datatype or element says."""
    for element in root.iter(etree.Element):
        for name in (_RESOURCE, _ABOUT):
            uri = element.get(name)
            if uri is not None and not is_uri(uri):
                yield f"{element.tag} {name}={uri!r} is no URI"
        language = element.get(XML_LANG)
        if language is not None and not language_tag(language):
            yield f"{element.tag} xml:lang={language!r}"
        scheme = re.split("[/:#]", element.get(_DATATYPE) or element.get(_TYPE) or "")[-1]
        if scheme in _WELL_FORMED and not _WELL_FORMED[scheme](element.text or ""):
            yield f"{element.tag} {scheme} {element.text!r}"
        if not len(element) and not (element.text or "").strip() and not element.attrib:
            yield f"{element.tag} is empty"


def dcndl(root: etree._Element) -> Iterator[str]:
    """Yield what guideline 2.1.2 does not allow: descriptions of one resource, its items, and a title."""
    yield from values(root)
    subjects = [node.get(_ABOUT) for node in root.findall(expand("dcndl:BibResource"))]
    admin = root.find(expand("dcndl:BibAdminResource"))
    records = [] if admin is None else [link.get(_RESOURCE) for link in admin.findall(expand("dcndl:record"))]
    if not subjects or set(subjects) != set(records):
        yield f"dcndl:record is {records}, dcndl:BibResource {subjects}"
    items = [link.get(_RESOURCE) for link in root.findall(f"{expand('dcndl:BibResource')}/{expand('dcndl:record')}")]
    if items != [node.get(_ABOUT) for node in root.findall(expand("dcndl:Item"))]:
        yield f"items {items}"
    for name in ("dcterms:title", "dc:title"):
        if root.find(f"{expand('dcndl:BibResource')}/{expand(name)}") is None:
            yield f"no {name}"


def dcndl_v3(root: etree._Element) -> Iterator[str]:
    """Yield what version 2 has and version 3 has not: facts about the digital copy and the journal beside the book."""
    yield from dcndl(root)
    bib = expand("dcndl:BibResource")
    for name in ("dcndl:digitizedPublisher", "dcndl:dateDigitized", *_PLACE_IN_JOURNAL):
        if root.find(f"{bib}/{expand(name)}") is not None:
            yield f"{name} of version 2"
    for node in root.findall(f"{bib}/{expand('dcndl:publicationName')}/{expand('rdf:Description')}"):
        names = [child.tag for child in node]
        if names != [name for name in map(expand, ("rdf:value", *_PLACE_IN_JOURNAL)) if name in names]:
            yield f"journal of {names}"
    for publisher in root.findall(f"{expand('dcndl:Item')}/{expand('dcterms:publisher')}"):
        if not publisher.findtext(f"{expand('foaf:Agent')}/{expand('foaf:name')}"):
            yield "a copy with a publisher without a name"


def dcndl_v1(root: etree._Element) -> Iterator[str]:
    yield from dcndl(root)
    if len(root.findall(expand("dcndl:Item"))) > 1:
        yield "several items"


def dcndl_simple(root: etree._Element) -> Iterator[str]:
    yield from (error for error in values(root) if not error.endswith("is empty"))  # a reading that is not there
    if root.tag != f"{{{DCNDL_SIMPLE}}}dc":
        yield f"root {root.tag}"
    if root.find(expand("dc:title")) is None:
        yield "no dc:title"


def rss(root: etree._Element) -> Iterator[str]:
    yield from values(root)
    link = root.findtext("link") or ""
    if not link.startswith(("http://", "https://")) or not is_uri(link):
        yield f"link {link!r}"
    if not root.findtext("title"):
        yield "no title"


RULES: dict[str, Callable[[etree._Element], Iterator[str]]] = {
    "dcndl": dcndl,
    "dcndl_v3": dcndl_v3,
    "dcndl_v1": dcndl_v1,
    "dcndl_simple": dcndl_simple,
    "rss": rss,
}
