"""The table of CQL indexes, used by the search and by explain. No HTTP.

The kind of an index determines its relations, and how a term becomes a node of the search tree.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aggregator.provision.sru import terms
from aggregator.provision.sru.diagnostics import Diagnostic
from aggregator.query import values
from aggregator.query.library_numbers import library_numbers
from aggregator.query.values import BadParameter
from aggregator.search.base import ADDED, CHANGED
from aggregator.search.materials import TYPES
from aggregator.search.query.words import codes, phrase_parts
from aggregator.search.tree import (
    All,
    Changed,
    Choice,
    Either,
    Field,
    Masked,
    Node,
    Not,
    Phrase,
    Whole,
    Word,
    Years,
    combine,
)

# Context sets by their default prefix.
SETS = {
    "cql": "info:srw/cql-context-set/1/cql-v1.2",
    "dc": "info:srw/cql-context-set/1/dc-v1.1",
    "bath": "http://zing.z3950.org/cql/bath/2.0/",
    "rec": "info:srw/cql-context-set/2/rec-1.1",
    "dcndl": "http://ndl.go.jp/dcndl/terms/",
}
# Other URIs by which these sets are known.
ALIASES = {
    "info:srw/cql-context-set/1/cql-v1.1": "cql",
    "info:srw/context-set/1/cql-v1.2": "cql",
    "info:srw/context-set/1/dc-v1.1": "dc",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dc",
} | {uri: prefix for prefix, uri in SETS.items()}
ORDERED = ("<", "<=", ">", ">=", "within")
EQUAL = ("=", "scr", "==", "exact")
EVERY_RECORD = Changed()
NO_RECORD = Years(2, 1)
Reader = Callable[["Index", str, str], Node]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of index. relations: the supported ones. read: makes the node of a term."""

    relations: tuple[str, ...]
    read: Reader


@dataclass(frozen=True, slots=True)
class Index:
    """One index. field: passed to the reader of the kind. names: such as "dc.title", or "title" of the site's own set.

    example: a query.
    """

    kind: Kind
    field: str
    label: str | Promise
    names: tuple[str, ...]
    example: str = ""


def _words(index: Index, relation: str, term: str) -> Node:
    field: Field = index.field  # type: ignore[assignment]  # the table below has fields only
    if relation in ("==", "exact"):
        return _whole(index, terms.plain(term))
    if not (phrase_parts(term) or codes(term)):
        raise Diagnostic(35, term)
    nodes: list[Node] = [*terms.words(term, field)]
    if relation == "adj":
        if any(isinstance(node, Masked) for node in nodes):
            raise Diagnostic(33, term)
        return Phrase(" ".join(node.text for node in nodes if isinstance(node, Word)), field)
    joined = combine(nodes, Either if relation == "any" else All)
    return Not(joined) if relation == "<>" else joined


def _whole(index: Index, text: str) -> Node:
    if index.field == "title":
        return Whole(text)
    if index.field in ("creator", "publisher", "subject"):
        return Choice(f"{index.field}_is", text)
    raise Diagnostic(22, "==")


def _value_by_value(read: Callable[[Index, str], Node]) -> Reader:
    """Return a reader that takes every word of a term as a value for the relations any and all, else the whole term."""

    def read_values(index: Index, relation: str, term: str) -> Node:
        parts = term.split() if relation in ("any", "all") else [term]
        try:
            nodes = [read(index, part) for part in parts]
        except BadParameter as problem:
            raise Diagnostic(36, term, problem.reason) from problem
        joined = combine(nodes, Either if relation == "any" else All)
        return Not(joined) if relation == "<>" else joined

    return read_values


def _number(index: Index, term: str) -> Node:
    parse = {"isbn": values.isbn, "issn": values.issn}.get(index.field, values.text)
    field: Field = index.field  # type: ignore[assignment]
    return Word(parse(index.field, terms.plain(term)), field)


def _class(_index: Index, term: str) -> Node:
    return Choice("ndc", values.ndc("ndc", terms.beginning(term)))


def _choice(index: Index, term: str) -> Node:
    text = terms.plain(term)
    if index.field == "type":
        types_by_name = {name.lower(): name for name in TYPES}
        return Choice("type", values.material_type("type", types_by_name.get(text.lower(), text)))
    parse = {
        "language": values.language,
        "repository": values.number,
        "online": values.flag,
        "fulltext": values.flag,
        "accessible": values.accessible,
        "kind": values.kind,
        "access": values.access,
        "licence": values.licence,
        "mediatype": values.media_type,
        "collection": values.collection,
        "region": values.region,
        "library": _library,
    }[index.field]
    return Choice(index.field, parse(index.field, text))


def _library(name: str, text: str) -> str:
    return library_numbers(name, [text])[0]


def _everything(_index: Index, _relation: str, _term: str) -> Node:
    return EVERY_RECORD


def _years(index: Index, relation: str, term: str) -> Node:
    text = terms.plain(term)
    if relation == "within":
        first, last = map(terms.year, _two(text))
        return Years(first, last)
    year = terms.year(text)
    if index.field == "from" or relation == ">=":
        return Years(year, 0)
    if index.field == "until" or relation == "<=":
        return Years(0, year)
    conditions: dict[str, Node] = {"<": _until(year - 1), ">": Years(year + 1, 0), "<>": Not(Years(year, year))}
    return conditions.get(relation, Years(year, year))


def _until(year: int) -> Node:
    return Years(0, year) if year else NO_RECORD


def _moments(_index: Index, relation: str, term: str) -> Node:
    text = terms.plain(term)
    if relation == "within":
        first, last = map(terms.moment, _two(text))
        return Changed(first.first, last.last)
    day = terms.moment(text)
    conditions: dict[str, Node] = {
        "<": Changed(0, max(day.first - 1, 1)),
        "<=": Changed(0, day.last),
        ">": Changed(day.last + 1),
        ">=": Changed(day.first),
        "<>": Not(Changed(day.first, day.last)),
    }
    return conditions.get(relation, Changed(day.first, day.last))


def _two(text: str) -> list[str]:
    """Return both ends of a span."""
    ends = text.split()
    if len(ends) != 2:
        raise Diagnostic(36, text, '"1990 2000"')
    return ends


WORDS = Kind(("all", "any", "adj", "=", "scr", "==", "exact", "<>"), _words)
NUMBER = Kind(("=", "scr", "==", "exact", "any", "all", "<>"), _value_by_value(_number))
CLASS = Kind(("=", "scr", "any", "all", "<>"), _value_by_value(_class))
CHOICE = Kind(("=", "scr", "==", "exact", "any", "all", "<>"), _value_by_value(_choice))
YEAR = Kind((*EQUAL, "<>", *ORDERED), _years)
END = Kind(EQUAL, _years)  # one end of a span of years
MOMENT = Kind((*EQUAL, "<>", *ORDERED), _moments)
EVERYTHING = Kind(EQUAL, _everything)

_ANYWHERE = ("cql.serverchoice", "cql.anywhere", "cql.anyindexes", "cql.allindexes", "cql.keywords", "anywhere", "any")
TABLE = (
    Index(WORDS, "", _("Keyword"), (*_ANYWHERE, "bath.any"), 'anywhere = "漱石 こころ"'),
    Index(WORDS, "title", _("Title"), ("title", "dc.title", "bath.title", "dcndl.title"), 'title = "こころ"'),
    Index(
        WORDS,
        "creator",
        _("Creator"),
        ("creator", "dc.creator", "dc.contributor", "bath.author", "bath.name", "author"),
        'creator all "夏目 漱石"',
    ),
    Index(WORDS, "publisher", _("Publisher"), ("publisher", "dc.publisher"), 'publisher == "岩波書店"'),
    Index(WORDS, "subject", _("Subject"), ("subject", "dc.subject", "bath.subject"), 'subject any "図書館 博物館"'),
    Index(
        WORDS,
        "journal",
        _("Journal or book that contains an article"),
        ("journal", "dcterms.ispartof"),
        'journal = "科学"',
    ),
    Index(NUMBER, "isbn", "ISBN", ("isbn", "bath.isbn", "dcndl.isbn"), "isbn = 9784003101018"),
    Index(NUMBER, "issn", "ISSN", ("issn", "bath.issn", "dcndl.issn"), "issn = 0028-0836"),
    Index(NUMBER, "jpno", _("Japanese national bibliography number"), ("jpno", "dcndl.jpno"), "jpno = 23164695"),
    Index(
        NUMBER,
        "identifier",
        _("Number of any kind"),
        ("identifier", "dc.identifier", "doi", "dcndl.doi", "ncid", "bath.standardidentifier"),
        'identifier = "10.1234/abc"',
    ),
    Index(CLASS, "ndc", _("NDC class"), ("ndc", "dcndl.ndc"), "ndc = 913"),
    Index(
        YEAR, "year", _("Year of publication"), ("year", "date", "dc.date", "dcndl.issued"), 'date within "1990 2000"'
    ),
    Index(END, "from", _("Year from"), ("from",), "from = 1990"),
    Index(END, "until", _("Year until"), ("until",), "until = 2000"),
    Index(CHOICE, "type", _("Material type"), ("type", "dc.type", "dcndl.materialtype"), "type = Book"),
    Index(CHOICE, "language", _("Language"), ("language", "dc.language"), "language = jpn"),
    Index(CHOICE, "repository", _("Provider"), ("repository", "dpid", "rec.collectionname"), "repository = R900000001"),
    Index(CHOICE, "region", _("Region of a library that holds the book"), ("region",), "region = 27"),
    Index(
        CHOICE,
        "library",
        _("Library that holds the book"),
        ("library", "dcndl.holdingagent"),
        'library any "2127 JP-1000001"',
    ),
    Index(CHOICE, "accessible", _("Accessible format"), ("accessible",), "accessible = braille"),
    Index(CHOICE, "kind", _("Content type"), ("kind",), "kind = dataset"),
    Index(CHOICE, "access", _("Access conditions"), ("access",), "access = open"),
    Index(CHOICE, "licence", _("Licence"), ("licence",), "licence = cc-by"),
    Index(CHOICE, "mediatype", _("Mediatype of NDL Search"), ("mediatype",), "mediatype = digital"),
    Index(CHOICE, "collection", _("Collection of NDL"), ("collection",), "collection = A00001"),
    Index(CHOICE, "online", _("Readable online"), ("online",), "online = 1"),
    Index(CHOICE, "fulltext", _("With full text"), ("fulltext",), "fulltext = 1"),
    Index(
        MOMENT,
        "changed",
        _("Date of change"),
        ("changed", "rec.lastmodificationdate", "modified_date"),
        'changed >= "2026-04-01"',
    ),
    Index(EVERYTHING, "", _("All records"), ("cql.allrecords",), "cql.allRecords = 1"),
)
BY_NAME = {name: index for index in TABLE for name in index.names}
ANYWHERE = TABLE[0]
# Spelling in explain of names that have capital letters; the table above is in lower case.
PRINTED_NAMES = {
    "cql.serverchoice": "cql.serverChoice",
    "cql.anyindexes": "cql.anyIndexes",
    "cql.allindexes": "cql.allIndexes",
    "cql.allrecords": "cql.allRecords",
    "dcndl.materialtype": "dcndl.materialType",
    "dcndl.holdingagent": "dcndl.holdingAgent",
    "rec.lastmodificationdate": "rec.lastModificationDate",
    "rec.creationdate": "rec.creationDate",
    "rec.collectionname": "rec.collectionName",
    "bath.standardidentifier": "bath.standardIdentifier",
}


@dataclass(frozen=True, slots=True)
class Order:
    """A sort key. rising, falling: the sort order of the search, "" if it has none in this direction."""

    names: tuple[str, ...]
    rising: str = ""
    falling: str = ""


ORDERS = (
    Order(("title", "dc.title"), rising="title"),
    Order(("creator", "dc.creator"), rising="creator"),
    Order(("year", "date", "dc.date", "dcndl.issued", "issued_date"), rising="oldest", falling="newest"),
    Order(("holdings",), falling="holdings"),
    Order(("created_date", "rec.creationdate"), falling=ADDED),
    Order(("changed", "modified_date", "rec.lastmodificationdate"), falling=CHANGED),
    Order(("relevance",), falling="relevance"),
)
ORDER_BY_NAME = {name: order for order in ORDERS for name in order.names}


def printed_name(name: str) -> str:
    """Return a name in its usual spelling."""
    return PRINTED_NAMES.get(name, name)
