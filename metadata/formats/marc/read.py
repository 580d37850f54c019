"""Reads MARC 21 as MARCXML. Writing is in `write`.

Made for NDL's JAPAN/MARC in MARC 21, and for MARC 21 from elsewhere. There is no official mapping to DC-NDL; this
crosswalk follows the mapping of the Library of Congress to Dublin Core (MARC21slim2OAIDC) where that applies.
"""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Table
from metadata.formats.marc.checks import check_marc
from metadata.formats.marc.fields import MarcRecord
from metadata.formats.marc.table import ROWS, STEPS
from metadata.vocabularies.namespaces import MARC

ROOT = f"{{{MARC}}}record"
# Alma and others omit the namespace. MarcXchange (ISO 25577) can also hold other dialects of MARC.
_MARCXCHANGE = ("info:lc/xmlns/marcxchange-v1", "info:lc/xmlns/marcxchange-v2")
_NAMESPACES = ("", *(f"{{{namespace}}}" for namespace in (MARC, *_MARCXCHANGE)))
_PARTS: Table = {
    f"{namespace}{local}": None for local in ("leader", "controlfield", "datafield") for namespace in _NAMESPACES
}
READERS: dict[str, Table] = {f"{namespace}record": _PARTS for namespace in _NAMESPACES}
ELEMENTS = {
    "titles": "245$a",
    "alternatives": "246$a",
    "volumes": "245$n",
    "volume_titles": "245$p",
    "volume_ranges": "362$a",
    "series": "490$a",
    "parts": "505$t",
    "editions": "250$a",
    "creators": "1XX/7XX$a",
    "contributors": "7XX$a",
    "responsibility": "245$c",
    "publishers": "260$b",
    "publication_places": "008/15-17",
    "issued": "260$c",
    "dates": "260$c",
    "other_dates": "264$c",
    "identifiers": "020$a",
    "invalid_identifiers": "020$z",
    "source_identifiers": "001",
    "subjects": "6XX$a",
    "genres": "655$a",
    "languages": "041$a",
    "original_languages": "041$h",
    "extents": "300$a",
    "prices": "020$c",
    "periodicities": "310$a",
    "notes": "5XX$a",
    "abstracts": "520$a",
    "audiences": "521$a",
    "contents": "505",
    "access_rights": "506$a",
    "rights": "540$a",
    "rights_holders": "542$d",
    "spatial": "522$a",
    "temporal": "513$b",
    "degree_names": "502$b",
    "degree_grantors": "502$c",
    "dissertation_numbers": "502$o",
    "host": "773$t",
    "relations": "76X-78X$t",
    "see_also": "856$u",
    "thumbnails": "856$u",
    "formats": "856$q, 007, 008/23",
    "items": "850, 852",
    "cataloging_rule": "040$e",
}


def read(root: etree._Element) -> Conversion:
    """Read the record of one MARCXML record element."""
    marc, draft = MarcRecord(root), Draft()
    check_marc(root, draft)
    if marc.dialect:
        draft.note("marcxml.E004", "245", marc.dialect)
    for row in ROWS:
        row.read(marc, draft)
    draft.settle(STEPS)
    return draft.convert()
