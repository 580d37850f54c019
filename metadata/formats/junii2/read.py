"""Reads junii2 3.x and its oldest form: converts the record to JPCOAR, as IRDB does, and reads that.

`pairs` says which element becomes which. The official mapping has no equivalents for the values of NIItype; those
here are this project's decision.
"""

import msgspec
from lxml import etree

from metadata.display_title import with_parts_apart
from metadata.formats.common.base import Conversion, Draft, Table
from metadata.formats.jpcoar.read import read_into
from metadata.formats.jpcoar.write.parts import add
from metadata.formats.junii2.checks.converted import check_converted, with_junii2_names
from metadata.formats.junii2.checks.record import Elements, check_elements, first_text
from metadata.formats.junii2.pairs import PAIRS
from metadata.formats.junii2.terms import ETD, NII_TYPES, ONCE, is_katakana
from metadata.identifiers import normalise
from metadata.record import BibliographicRecord, Identifier
from metadata.vocabularies.namespaces import JUNII2, NAMESPACES, OLD_JUNII2, expand, shorten
from metadata.vocabularies.resource_types import RESOURCE_TYPES
from metadata.xml.parsing import children, text

ROOT = f"{{{JUNII2}}}junii2"
OLD_ROOTS = frozenset({f"{{{OLD_JUNII2}}}meta", f"{{{OLD_JUNII2}}}junii2", f"{{{JUNII2}}}meta", "junii2"})


def _table(root: str) -> Table:
    namespace = root.rpartition("}")[0]
    return dict.fromkeys(f"{namespace}}}{name}" if namespace else name for name in PAIRS)


READERS: dict[str, Table] = {root: _table(root) for root in (ROOT, *OLD_ROOTS)}
# Record field → element to name in messages.
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


def read(root: etree._Element) -> Conversion:
    """Read the record of one junii2 element."""
    draft = Draft()
    if root.tag != ROOT:
        draft.note("junii2.N001", shorten(root.tag))
    jpcoar, is_book = _to_jpcoar(root, draft)
    elements = list(jpcoar.iter())
    check_converted(elements, draft)
    record, issues = read_into(draft, jpcoar)
    return Conversion(with_parts_apart(_as_book(record)) if is_book else record, list(with_junii2_names(issues)))


def _to_jpcoar(root: etree._Element, draft: Draft) -> tuple[etree._Element, bool]:
    """Convert a junii2 element to a jpcoar:jpcoar. Also returns whether it is a book."""
    jpcoar = etree.Element(expand("jpcoar:jpcoar"), nsmap=_NSMAP)
    elements: Elements = {}
    for child in children(root):
        name = child.tag.rpartition("}")[2]
        if name not in PAIRS:
            draft.note("junii2.W002", name, text(child))
        elif text(child):
            elements.setdefault(name, []).append(child)
    _check_once(elements, draft)
    check_elements(root, elements, draft)
    for name, convert in PAIRS.items():
        for element in elements.get(name, ()):
            convert(element, jpcoar)
    _titles(jpcoar, elements, draft)
    _join_readings(jpcoar, draft)
    return jpcoar, _set_type(jpcoar, elements) == "book"


def _check_once(elements: Elements, draft: Draft) -> None:
    """Report elements that may occur only once, and use the first."""
    for name in ONCE & elements.keys():
        if len(elements[name]) > 1:
            draft.note("junii2.E022", name, text(elements[name][1]))
            del elements[name][1:]


def _titles(jpcoar: etree._Element, elements: Elements, draft: Draft) -> None:
    """Keep one title; the others become alternative titles. An alternative title in kana becomes its reading."""
    titles = jpcoar.findall(expand("dc:title"))
    for extra in titles[1:]:
        draft.note("junii2.W003", "title", text(extra))
        extra.tag = expand("dcterms:alternative")
    for alternative in jpcoar.findall(expand("dcterms:alternative")):
        language = alternative.get(_LANG, "")
        if titles and (language.lower() == "ja-kana" or (not language and is_katakana(text(alternative)))):
            alternative.tag = expand("dc:title")
            alternative.set(_LANG, "ja-Kana")
            return


def _join_readings(jpcoar: etree._Element, draft: Draft) -> None:
    """Join a creator in katakana to the creator before it, as its reading (IRDB: katakana_creator)."""
    last: etree._Element | None = None
    for node in jpcoar.findall(expand("jpcoar:creator")):
        name = node[0]
        kana = name.get(_LANG, "").lower() == "ja-kana" or is_katakana(text(name))
        if last is not None and kana and not is_katakana(text(last[0])):
            draft.note("junii2.N006", "creator", text(name), f"{text(last[0])} ({text(name)})")
            name.set(_LANG, "ja-Kana")
            last.append(name)
            jpcoar.remove(node)
            last = None
        else:
            last = node


def _set_type(jpcoar: etree._Element, elements: Elements) -> str:
    term = NII_TYPES.get(first_text(elements, "NIItype"), "other")
    if term == "thesis" and first_text(elements, "textversion") == ETD:
        term = "doctoral thesis"
    add(jpcoar, "dc:type", term, resource=RESOURCE_TYPES[term].uri)
    return term


def _as_book(record: BibliographicRecord) -> BibliographicRecord:
    """Move ISBN and NCID to the record: those of a book are its own, not those of a publication that contains it."""
    own = [
        Identifier(scheme="NIIBibID", value=number.value)
        for number in record.host.identifiers
        if number.scheme == "NCID"
    ]
    wrong: list[Identifier] = []
    for relation in (relation for relation in record.relations if relation.scheme == "ISBN"):
        isbn = normalise("ISBN", relation.number)
        (own if isbn else wrong).append(Identifier(scheme="ISBN", value=isbn or relation.number))
    host = msgspec.structs.replace(
        record.host, identifiers=tuple(number for number in record.host.identifiers if number.scheme != "NCID")
    )
    return msgspec.structs.replace(
        record,
        identifiers=(*record.identifiers, *own),
        invalid_identifiers=(*record.invalid_identifiers, *wrong),
        relations=tuple(relation for relation in record.relations if relation.scheme != "ISBN"),
        host=record.host if host == record.host else host,
    )


_NSMAP = {prefix: NAMESPACES[prefix] for prefix in ("jpcoar", "dc", "datacite", "rdf")}
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
