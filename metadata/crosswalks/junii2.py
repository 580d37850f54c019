"""junii2 3.x and the oldest form: brought into JPCOAR by the official pairs, as IRDB does, and read as that.

The values of NIItype, textversion and grantid have no official counterparts; those here are the project's judgement.
"""

import re
from collections.abc import Callable

import msgspec
from lxml import etree

from metadata.crosswalks.base import Conversion, Draft, Table
from metadata.crosswalks.jpcoar import read_into
from metadata.crosswalks.jpcoar_names import bare_identifier
from metadata.crosswalks.jpcoar_terms import RESOURCE_TYPES, VERSION_TYPES
from metadata.crosswalks.jpcoar_write_parts import add, put
from metadata.crosswalks.junii2_checks import Sent, check, first
from metadata.crosswalks.junii2_terms import (
    ETD,
    FORMS,
    NII_TYPES,
    ONCE,
    RELATIONS,
    SCHEMES,
    TEXT_VERSIONS,
    is_katakana,
    person_scheme,
)
from metadata.identifiers import normalise
from metadata.issue import Issue
from metadata.namespaces import JUNII2, OLD_JUNII2, expand, shorten
from metadata.record import BibliographicRecord, Identifier
from metadata.xml import children, text

ROOT = f"{{{JUNII2}}}junii2"
OLD_ROOTS = frozenset({f"{{{OLD_JUNII2}}}meta", f"{{{OLD_JUNII2}}}junii2", f"{{{JUNII2}}}meta", "junii2"})
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
        if scheme == "NDC" and not FORMS["NDC"][1].fullmatch(text(element)):
            kind = "Other"
        add(root, "jpcoar:subject", text(element), element.get("lang", "")).set("subjectScheme", kind)

    return bring


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
    """Set by `_bring`, which knows whether it is an electronic doctoral thesis."""


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
    doi = text(element).removeprefix("info:doi/")
    add(root, "jpcoar:identifier", f"https://doi.org/{doi}").set("identifierType", "DOI")
    agency = element.get("ra", "").strip().replace("CrossRef", "Crossref")
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
        bare = re.sub(r"\Ainfo:(?:doi|pmid)/", "", value)
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
    term = TEXT_VERSIONS.get(text(element), "")
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


def _table(root: str) -> Table:
    namespace = root.rpartition("}")[0]
    return dict.fromkeys(f"{namespace}}}{name}" if namespace else name for name in PAIRS)


READERS: dict[str, Table] = {root: _table(root) for root in (ROOT, *OLD_ROOTS)}
# Record field → element, for messages; and what JPCOAR's own findings call it.
ELEMENTS = {
    "titles": "title",
    "display_title": "title",
    "alternatives": "alternative",
    "creators": "creator",
    "contributors": "contributor",
    "publishers": "publisher",
    "subjects": "subject",
    "notes": "description",
    "abstracts": "description",
    "host": "jtitle",
    "rights": "rights",
    "relations": "relation",
    "see_also": "URI",
}
_NAMES = {
    "dc:language": "language",
    "jpcoar:identifier": "URI",
    "jpcoar:identifierRegistration": "selfDOI",
    "jpcoar:sourceIdentifier[@ISSN]": "issn",
    "jpcoar:sourceIdentifier[@NCID]": "NCID",
    "datacite:date[@issued]": "dateofissued",
    "datacite:date[@created]": "date",
    "jpcoar:volume": "volume",
    "jpcoar:issue": "issue",
    "jpcoar:identifier[@DOI]": "selfDOI",
}
_NOT_OF_JUNII2 = frozenset({"jpcoar.W034"})  # its issn cannot say whether it is of the print


def read(root: etree._Element) -> Conversion:
    """The record of one junii2."""
    draft = Draft()
    if root.tag != ROOT:
        draft.note("junii2.N001", shorten(root.tag))
    jpcoar, book = _bring(root, draft)
    record, found = read_into(draft, jpcoar)
    issues = [
        Issue(code=each.code, field=_NAMES.get(each.field, each.field), value=each.value)
        for each in found
        if each.code not in _NOT_OF_JUNII2
    ]
    return Conversion(_as_book(record) if book else record, issues)


def _bring(root: etree._Element, draft: Draft) -> tuple[etree._Element, bool]:
    """The jpcoar:jpcoar of a junii2; whether it is a book."""
    found = etree.Element(expand("jpcoar:jpcoar"))
    sent: Sent = {}
    for child in children(root):
        name = child.tag.rpartition("}")[2]
        if name not in PAIRS:
            draft.note("junii2.W002", name, text(child))
        elif text(child):
            sent.setdefault(name, []).append(child)
    _check_once(sent, draft)
    check(sent, draft)
    for name, bring in PAIRS.items():
        for element in sent.get(name, ()):
            bring(element, found)
    _titles(found, sent, draft)
    _join_readings(found, draft)
    return found, _set_type(found, sent) == "book"


def _check_once(sent: Sent, draft: Draft) -> None:
    """What may stand once: the first is used."""
    for name in ONCE & sent.keys():
        if len(sent[name]) > 1:
            draft.note("junii2.E022", name, text(sent[name][1]))
            del sent[name][1:]


def _titles(found: etree._Element, sent: Sent, draft: Draft) -> None:
    """One title; a second is another title. A title in kana beside it is its reading."""
    titles = found.findall(expand("dc:title"))
    for extra in titles[1:]:
        draft.note("junii2.W003", "title", text(extra))
        extra.tag = expand("dcterms:alternative")
    for each in found.findall(expand("dcterms:alternative")):
        language = each.get(_LANG, "")
        if titles and (language.lower() == "ja-kana" or (not language and is_katakana(text(each)))):
            each.tag = expand("dc:title")
            each.set(_LANG, "ja-Kana")
            return


def _join_readings(found: etree._Element, draft: Draft) -> None:
    """A creator in katakana alone, after another, is how that one is read (IRDB: katakana_creator)."""
    last: etree._Element | None = None
    for node in found.findall(expand("jpcoar:creator")):
        name = node[0]
        kana = name.get(_LANG, "").lower() == "ja-kana" or is_katakana(text(name))
        if last is not None and kana and not is_katakana(text(last[0])):
            draft.note("junii2.N006", "creator", text(name))
            name.set(_LANG, "ja-Kana")
            last.append(name)
            found.remove(node)
            last = None
        else:
            last = node


def _set_type(found: etree._Element, sent: Sent) -> str:
    term = NII_TYPES.get(first(sent, "NIItype"), "other")
    if term == "thesis" and first(sent, "textversion") == ETD:
        term = "doctoral thesis"
    add(found, "dc:type", term, resource=RESOURCE_TYPES[term].uri)
    return term


def _as_book(record: BibliographicRecord) -> BibliographicRecord:
    """The ISBN and NCID of a book are its own, not those of something around it."""
    own = [Identifier(scheme="NIIBibID", value=each.value) for each in record.host.identifiers if each.scheme == "NCID"]
    relations = []
    for each in record.relations:
        isbn = normalise("ISBN", each.number) if each.scheme == "ISBN" else ""
        own += [Identifier(scheme="ISBN", value=isbn)] if isbn else []
        relations += [] if isbn else [each]
    host = msgspec.structs.replace(
        record.host, identifiers=tuple(each for each in record.host.identifiers if each.scheme != "NCID")
    )
    return msgspec.structs.replace(
        record,
        identifiers=(*record.identifiers, *own),
        relations=tuple(relations),
        host=record.host if host == record.host else host,
    )


_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
