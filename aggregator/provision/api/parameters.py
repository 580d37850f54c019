"""The parameters of the JSON interface: meaning, JSON Schema, example. No HTTP.

The search parameters are read by `aggregator.query.parameters`; this module documents them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aggregator.models import BOOK_ID
from aggregator.query.parameters import EXCLUDING, MACHINE_PARAMETERS, PARAMETERS
from aggregator.query.values import LAST_PAGE, MACHINE_SORTS, SIZES, TEXT_LIMIT
from aggregator.search.materials import COLLECTION, STATED, TYPES
from harvesting.models import PUBLIC_ID
from harvesting.models.registration import REPOSITORY_NUMBER
from metadata.accessible import FORMATS
from metadata.vocabularies.access import ACCESS
from metadata.vocabularies.licences import LICENCES
from metadata.vocabularies.resource_types import LABELS as KINDS

type Json = dict[str, object]
TEXT: Json = {"type": "string", "maxLength": TEXT_LIMIT}
YEAR: Json = {"type": "integer", "minimum": 1, "maximum": 9999}
FLAG: Json = {"type": "string", "enum": ["1"]}
MOMENT: Json = {"type": "string", "format": "date-time"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. schema: of one value. several: whether it may be repeated."""

    name: str
    meaning: str | Promise
    schema: Json = field(default_factory=lambda: TEXT)
    example: str = ""
    several: bool = False
    in_path: bool = False


_WORDS = _("Search words, written as in the search box: phrases in quotation marks, OR, and - before words to exclude.")
_FIELD = _("Words that must occur in this field.")
_EXCLUDES = _("A condition to exclude: the condition of the same name, with a hyphen before it.")
_WHOLE = _("A complete value as shown in the facets.")
# The search parameters: meaning, schema, example.
SEARCH: dict[str, tuple[str | Promise, Json, str]] = {
    "q": (_WORDS, TEXT, "こころ 漱石"),
    "title": (_FIELD, TEXT, "こころ"),
    "creator": (_FIELD, TEXT, "夏目漱石"),
    "publisher": (_FIELD, TEXT, "岩波書店"),
    "subject": (_FIELD, TEXT, "図書館"),
    "journal": (_("Words of the title of the journal or book that contains an article."), TEXT, "図書館雑誌"),
    "isbn": (_("An ISBN of 10 or 13 digits, with or without hyphens."), TEXT, "9784003101018"),
    "issn": (_("An ISSN with its check digit."), TEXT, "0028-0836"),
    "repository": (_("Number of a provider."), {"type": "string", "pattern": f"^{REPOSITORY_NUMBER}$"}, "R900000001"),
    "region": (
        _("A region whose libraries hold the book: the JIS code of a prefecture or of a municipality."),
        {"type": "string", "pattern": "^[0-9]{2}(?:[0-9]{3})?$"},
        "27",
    ),
    "library": (
        _("A library that holds the book: its code (NDL library code, ISIL, FA number or another), or its number."),
        TEXT,
        "2127",
    ),
    "type": (_("Kind of material."), {"type": "string", "enum": [*TYPES]}, "Book"),
    "language": (_("Code of a language in two or three letters."), TEXT, "jpn"),
    "ndc": (_("First digits of an NDC class."), TEXT, "913"),
    "accessible": (
        _("A format for readers with a print disability: braille, DAISY, large print, easy-to-read, e-book."),
        {"type": "string", "enum": [*FORMATS]},
        "daisy",
    ),
    "kind": (_("Content type, in the words of JPCOAR and COAR."), {"type": "string", "enum": [*KINDS]}, "dataset"),
    "access": (
        _("Access conditions: COAR’s access rights, and the ways in which the NDL opens what it digitised."),
        {"type": "string", "enum": [*ACCESS]},
        "open",
    ),
    "licence": (
        _("Licence: Creative Commons, or a statement of rightsstatements.org."),
        {"type": "string", "enum": [*LICENCES]},
        "cc-by",
    ),
    "funder_is": (_WHOLE, TEXT, "日本学術振興会"),
    "degree_is": (_WHOLE, TEXT, "博士（理学）"),
    "identity_is": (
        _("A person or body by identifier: ORCID, NRID, ISNI or ROR with its number, or the address of one."),
        TEXT,
        "ORCID 0000-0002-1825-0097",
    ),
    "subject_is": (_WHOLE, TEXT, "日本文学"),
    "creator_is": (_WHOLE, TEXT, "夏目漱石"),
    "publisher_is": (_WHOLE, TEXT, "岩波書店"),
    "place_is": (_("Exactly this place of publication."), TEXT, "東京"),
    "series_is": (_("Exactly this title of a series, without a number."), TEXT, "岩波文庫"),
    "mediatype": (
        _("A mediatype of NDL Search: a carrier, a kind of material or a collection."),
        {"type": "string", "enum": [*STATED]},
        "books",
    ),
    "collection": (
        _("A collection code of NDL’s digital collections, as records state it."),
        {"type": "string", "pattern": f"^{COLLECTION.pattern}$"},
        "A00001",
    ),
    "online": (_("Only material that anyone can read online."), FLAG, "1"),
    "fulltext": (_("Only records that name a file with the full text, whoever may read it."), FLAG, "1"),
    "from": (_("First year of publication."), YEAR, "1990"),
    "until": (_("Last year of publication."), YEAR, "2000"),
    "changed_from": (
        _("Changed on this day or later; a date with a time is also possible. UTC."),
        MOMENT,
        "2026-04-01",
    ),
    "changed_until": (
        _("Changed on this day or earlier; a date with a time is also possible. UTC."),
        MOMENT,
        "2026-04-30",
    ),
    "sort": (
        _("The order of the hits. “added” and “changed” list the most recently added or changed records first."),
        {"type": "string", "enum": [*MACHINE_SORTS], "default": "relevance"},
        "newest",
    ),
    "size": (
        _("Hits per page."),
        {"type": "integer", "minimum": SIZES[0], "maximum": SIZES[-1], "default": 20},
        "50",
    ),
    "page": (
        _("Page number. To read a large result to the end, use the cursor."),
        {"type": "integer", "minimum": 1, "maximum": LAST_PAGE, "default": 1},
        "2",
    ),
    "cursor": (
        _("The value of “next” in the previous response. Use it with the same search to read to the end."),
        TEXT,
        "",
    ),
}
RECORD_ID = Parameter(
    "id",
    _("Permanent ID of a merged record, or of any of its source records."),
    {"type": "string", "pattern": f"^(?:{BOOK_ID}|{PUBLIC_ID})$"},
    in_path=True,
)
SOURCE = Parameter("source", _("The provider’s own record instead of the merged one."), FLAG, "1")
NUMBER = Parameter(
    "number", _("Number of a provider."), {"type": "string", "pattern": f"^{REPOSITORY_NUMBER}$"}, in_path=True
)
LIBRARY_CODE = Parameter("code", _("Number of a library (L12), or any of its codes."), {"type": "string"}, in_path=True)
SIZE = Parameter("size", _("Providers per page."), {"type": "integer", "minimum": 1, "maximum": 100, "default": 50})
CURSOR = Parameter("cursor", SEARCH["cursor"][0])


LIVE_SOURCE = Parameter(
    "source",
    _("Number of a live source."),
    {"type": "string", "pattern": f"^{REPOSITORY_NUMBER}$"},
    "R900000001",
)
_NOT_ASKED_LIVE = ("sort", "size", "page")  # the order and the number of hits are those of the other catalogue


def live_parameters() -> Iterator[Parameter]:
    """Yield the parameters of the search in live sources: those of the search without order and pages."""
    for name, read in (PARAMETERS | EXCLUDING).items():
        if name not in _NOT_ASKED_LIVE:
            meaning, schema, example = SEARCH[name.removeprefix("-")]
            yield Parameter(name, _EXCLUDES if name in EXCLUDING else meaning, schema, example, read.several)


def search_parameters() -> Iterator[Parameter]:
    """Yield the parameters of the search, and the same conditions with a hyphen before the name, which exclude."""
    for name, read in (PARAMETERS | MACHINE_PARAMETERS).items():
        meaning, schema, example = SEARCH[name]
        yield Parameter(name, meaning, schema, example, read.several)
    for name in EXCLUDING:
        _meaning, schema, example = SEARCH[name[1:]]
        yield Parameter(name, _EXCLUDES, schema, example, several=True)
