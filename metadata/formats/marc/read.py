"""MARC 21 as MARCXML: which fields of a record come from which MARC fields. Writing is in marc_write.

Made for NDL's JAPAN/MARC in MARC 21 and for MARC 21 from elsewhere. There is no official table to DC-NDL; where the
Library of Congress has one for Dublin Core (MARC21slim2OAIDC), this follows it.
"""

from lxml import etree

from metadata.formats.common.base import Conversion, Draft, Table
from metadata.formats.marc.checks import check_marc
from metadata.formats.marc.codes import leader_types
from metadata.formats.marc.fields import MarcRecord
from metadata.formats.marc.identifiers import own_uri, settle_identifiers
from metadata.formats.marc.imprint import settle_imprint, settle_languages
from metadata.formats.marc.links import settle_host, settle_links, settle_relations
from metadata.formats.marc.names import settle_names
from metadata.formats.marc.subjects import settle_subjects
from metadata.formats.marc.texts import settle_items, settle_texts
from metadata.formats.marc.titles import settle_parts, settle_series, settle_titles
from metadata.vocabularies.namespaces import MARC

ROOT = f"{{{MARC}}}record"
# The namespace left out, as Alma and others do; and MarcXchange (ISO 25577), which also carries other dialects.
_MARCXCHANGE = ("info:lc/xmlns/marcxchange-v1", "info:lc/xmlns/marcxchange-v2")
_NAMESPACES = ("", *(f"{{{each}}}" for each in (MARC, *_MARCXCHANGE)))
_PARTS: Table = {f"{each}{local}": None for local in ("leader", "controlfield", "datafield") for each in _NAMESPACES}
READERS: dict[str, Table] = {f"{each}record": _PARTS for each in _NAMESPACES}
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
    "formats": "856$q",
    "items": "852",
    "cataloging_rule": "040$e",
}


def read(root: etree._Element) -> Conversion:
    """The record of one MARCXML record element."""
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
    rule = next(marc.each("040"), None)
    titles = draft.fields["titles"]
    return draft.convert(
        uri=own_uri(marc),
        display_title=titles[0].value if titles else "",
        issued=issued,
        cataloging_rule=rule.first("e") if rule else "",
        host=settle_host(marc),
    )
