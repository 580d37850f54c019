"""Reads MARC 21 as MARCXML. Writing is in `write`.

Made for NDL's JAPAN/MARC in MARC 21, and for MARC 21 from elsewhere. There is no official mapping to DC-NDL; this
crosswalk follows the mapping of the Library of Congress to Dublin Core (MARC21slim2OAIDC) where that applies.
"""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Table
from metadata.formats.marc.checks import check_marc
from metadata.formats.marc.codes import leader_types, text_forms
from metadata.formats.marc.fields import MarcRecord
from metadata.formats.marc.holdings import settle_items
from metadata.formats.marc.identifiers import record_uri, settle_identifiers
from metadata.formats.marc.imprint import settle_imprint, settle_languages
from metadata.formats.marc.links import settle_host, settle_links, settle_relations
from metadata.formats.marc.names import settle_names
from metadata.formats.marc.subjects import settle_subjects
from metadata.formats.marc.texts import settle_texts
from metadata.formats.marc.titles import settle_parts, settle_series, settle_titles
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
    settle_identifiers(marc, draft)
    settle_titles(marc, draft)
    settle_names(marc, draft)
    issued = settle_imprint(marc, draft)
    settle_series(marc, draft)
    settle_parts(marc, draft)
    settle_subjects(marc, draft)
    settle_languages(marc, draft)
    settle_texts(marc, draft)
    settle_relations(marc, draft)
    settle_links(marc, draft)
    settle_items(marc, draft)
    draft.fields["material_types"] = draft.fields["material_types"] or leader_types(marc)
    draft.fields["formats"] += [text for text in text_forms(marc) if text not in draft.fields["formats"]]
    rule = next(marc.fields("040"), None)
    titles = draft.fields["titles"]
    return draft.convert(
        uri=record_uri(marc),
        display_title=titles[0].value if titles else "",
        issued=issued,
        cataloging_rule=rule.first("e") if rule else "",
        host=settle_host(marc),
    )
