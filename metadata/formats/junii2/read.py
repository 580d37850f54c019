"""junii2 3.x and the oldest form: brought into JPCOAR by the official pairs, as IRDB does, and read as that.

Which element becomes which stands in junii2_pairs. The values of NIItype have no official counterparts; those here are
the project's judgement.
"""

import msgspec
from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Table
from metadata.formats.jpcoar.read import read_into
from metadata.formats.jpcoar.terms import RESOURCE_TYPES
from metadata.formats.jpcoar.write.parts import add
from metadata.formats.junii2.checks.converted import check_converted, in_junii2
from metadata.formats.junii2.checks.record import Sent, check, first
from metadata.formats.junii2.pairs import PAIRS
from metadata.formats.junii2.terms import ETD, NII_TYPES, ONCE, is_katakana
from metadata.identifiers import normalise
from metadata.record import BibliographicRecord, Identifier
from metadata.vocabularies.namespaces import JUNII2, NAMESPACES, OLD_JUNII2, expand, shorten
from metadata.xml.parsing import children, text

ROOT = f"{{{JUNII2}}}junii2"
OLD_ROOTS = frozenset({f"{{{OLD_JUNII2}}}meta", f"{{{OLD_JUNII2}}}junii2", f"{{{JUNII2}}}meta", "junii2"})


def _table(root: str) -> Table:
    namespace = root.rpartition("}")[0]
    return dict.fromkeys(f"{namespace}}}{name}" if namespace else name for name in PAIRS)


READERS: dict[str, Table] = {root: _table(root) for root in (ROOT, *OLD_ROOTS)}
# Record field → element, for messages.
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
    """The record of one junii2."""
    draft = Draft()
    if root.tag != ROOT:
        draft.note("junii2.N001", shorten(root.tag))
    jpcoar, book = _bring(root, draft)
    elements = list(jpcoar.iter())
    check_converted(elements, draft)
    record, found = read_into(draft, jpcoar)
    return Conversion(_as_book(record) if book else record, list(in_junii2(found)))


def _bring(root: etree._Element, draft: Draft) -> tuple[etree._Element, bool]:
    """The jpcoar:jpcoar of a junii2; whether it is a book."""
    found = etree.Element(expand("jpcoar:jpcoar"), nsmap=_SPACES)
    sent: Sent = {}
    for child in children(root):
        name = child.tag.rpartition("}")[2]
        if name not in PAIRS:
            draft.note("junii2.W002", name, text(child))
        elif text(child):
            sent.setdefault(name, []).append(child)
    _check_once(sent, draft)
    check(root, sent, draft)
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
            draft.note("junii2.N006", "creator", text(name), f"{text(last[0])} ({text(name)})")
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
    wrong: list[Identifier] = []
    for each in (each for each in record.relations if each.scheme == "ISBN"):
        isbn = normalise("ISBN", each.number)
        (own if isbn else wrong).append(Identifier(scheme="ISBN", value=isbn or each.number))
    host = msgspec.structs.replace(
        record.host, identifiers=tuple(each for each in record.host.identifiers if each.scheme != "NCID")
    )
    return msgspec.structs.replace(
        record,
        identifiers=(*record.identifiers, *own),
        invalid_identifiers=(*record.invalid_identifiers, *wrong),
        relations=tuple(each for each in record.relations if each.scheme != "ISBN"),
        host=record.host if host == record.host else host,
    )


_SPACES = {prefix: NAMESPACES[prefix] for prefix in ("jpcoar", "dc", "datacite", "rdf")}
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
