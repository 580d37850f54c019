"""Which kind of publication a record is for a registration agency. Tables only.

From JaLC's table of JPCOAR elements (ver. 1.5, 2025-11): each agency registers certain resource types of JPCOAR only.
"""

from typing import NamedTuple

from metadata.formats.jpcoar.write.remainder import type_term
from metadata.record import BibliographicRecord

JALC, CROSSREF = "JaLC", "Crossref"
AGENCIES = (JALC, CROSSREF)
DATACITE = "DataCite"  # its DOIs are registered by the repository itself, no document is written


class Kind(NamedTuple):
    """A kind of publication. code: of JaLC's content_classification."""

    name: str
    code: str


ARTICLE, BOOK, DATA, LEARNING = Kind("article", "01"), Kind("book", "02"), Kind("data", "03"), Kind("e-learning", "04")
THESES = frozenset({"thesis", "bachelor thesis", "master thesis", "doctoral thesis"})
_TERMS = {
    ARTICLE: (
        "conference paper|departmental bulletin paper|journal article|review article|data paper|editorial|article|"
        "newspaper|software paper|journal|other"  # periodicals are "journal" in new versions, preprints are "other"
    ),
    BOOK: "book|book part|technical report|research report|report",
    DATA: "dataset|software",
    LEARNING: "learning object",
}
_KINDS = {term: kind for kind, terms in _TERMS.items() for term in terms.split("|")}
_OF_AGENCY = {
    JALC: _KINDS | dict.fromkeys(THESES, BOOK),
    CROSSREF: {term: kind for term, kind in _KINDS.items() if kind in (ARTICLE, BOOK)} | dict.fromkeys(THESES, BOOK),
}


def term_of(record: BibliographicRecord) -> str:
    """Return the resource type of a record in the newest words of JPCOAR, "" for a record without a type."""
    return type_term(record.material_types[0]) if record.material_types else ""


def kind_of(record: BibliographicRecord, agency: str) -> Kind | None:
    """Return what a record is for an agency, None if the agency does not register its type."""
    return _OF_AGENCY.get(agency, {}).get(term_of(record))
