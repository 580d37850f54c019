"""Reads junii2 3.x and its oldest form: converts the record to JPCOAR, as IRDB does, and reads that.

`pairs` says which element becomes which.
"""

import msgspec
from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Step, Table
from metadata.formats.common.titles import ISBD_TITLE, take_title_apart
from metadata.formats.jpcoar import read as jpcoar
from metadata.formats.junii2.checks.converted import check_converted, with_junii2_names
from metadata.formats.junii2.checks.record import Elements, check_elements
from metadata.formats.junii2.pairs import NAMES, ROWS, Source
from metadata.formats.junii2.terms import ONCE
from metadata.identifiers import normalise
from metadata.record import Host, Identifier, Relation
from metadata.vocabularies.namespaces import JUNII2, NAMESPACES, OLD_JUNII2, expand, shorten
from metadata.xml.parsing import children, text

ROOT = f"{{{JUNII2}}}junii2"
OLD_ROOTS = frozenset({f"{{{OLD_JUNII2}}}meta", f"{{{OLD_JUNII2}}}junii2", f"{{{JUNII2}}}meta", "junii2"})


def _table(root: str) -> Table:
    namespace = root.rpartition("}")[0]
    return dict.fromkeys(f"{namespace}}}{name}" if namespace else name for name in NAMES)


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
    converted = _to_jpcoar(root, draft)
    check_converted(list(converted.iter()), draft)
    draft.collect(converted, jpcoar.READERS[converted.tag])
    draft.settle(STEPS)
    record, issues = draft.convert()
    return Conversion(record, list(with_junii2_names(issues)))


def _to_jpcoar(root: etree._Element, draft: Draft) -> etree._Element:
    """Convert a junii2 element to a jpcoar:jpcoar."""
    elements: Elements = {}
    for child in children(root):
        name = child.tag.rpartition("}")[2]
        if name not in NAMES:
            draft.note("junii2.W002", name, text(child))
        elif text(child):
            elements.setdefault(name, []).append(child)
    _check_once(elements, draft)
    check_elements(root, elements, draft)
    source, converted = Source(elements, draft), etree.Element(expand("jpcoar:jpcoar"), nsmap=_NSMAP)
    for row in ROWS:
        row.read(source, converted)
    return converted


def _check_once(elements: Elements, draft: Draft) -> None:
    """Report elements that may occur only once, and use the first."""
    for name in ONCE & elements.keys():
        if len(elements[name]) > 1:
            draft.note("junii2.E022", name, text(elements[name][1]))
            del elements[name][1:]


def _is_book(draft: Draft) -> bool:
    return any(material_type.label == "book" for material_type in draft.fields["material_types"])


def _take_own_numbers(draft: Draft) -> None:
    if not _is_book(draft):
        return
    fields = draft.fields
    host: Host = draft.single["host"]
    own = [number for number in host.identifiers if number.scheme == "NCID"]
    fields["identifiers"] += [Identifier(scheme="NIIBibID", value=number.value) for number in own]
    if own:
        others = tuple(number for number in host.identifiers if number not in own)
        draft.single["host"] = msgspec.structs.replace(host, identifiers=others)
    relations: list[Relation] = fields.pop("relations", [])
    for relation in relations:
        if relation.scheme != "ISBN":
            fields["relations"].append(relation)
        elif isbn := normalise("ISBN", relation.number):
            fields["identifiers"].append(Identifier(scheme="ISBN", value=isbn))
        else:
            fields["invalid_identifiers"].append(Identifier(scheme="ISBN", value=relation.number))


def _take_title_of_book_apart(draft: Draft) -> None:
    if _is_book(draft):
        take_title_apart(draft)


STEPS = (
    *jpcoar.STEPS,
    Step(
        "relations host material_types",
        "identifiers invalid_identifiers relations host",
        "ISBN and NCID of a book are its own, not those of a publication that contains it",
        _take_own_numbers,
    ),
    Step(
        "titles material_types",
        ISBD_TITLE,
        "of a book, a main title with the punctuation of ISBD (“Title. 2, Part / …”) is taken apart; as it was, it is "
        "displayed",
        _take_title_of_book_apart,
    ),
)
_NSMAP = {prefix: NAMESPACES[prefix] for prefix in ("jpcoar", "dc", "datacite", "rdf")}
