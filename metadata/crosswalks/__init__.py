"""The formats that records are read from and written in, by metadataPrefix.

To add one: a module with its table, a line in CROSSWALKS, its rules and their sentences in metadata.validation.
"""

from metadata.crosswalks import dcndl, dcndl_write, oai_dc, oai_dc_write
from metadata.crosswalks.base import Conversion, Crosswalk
from metadata.namespaces import DCNDL, OAI_DC, expand

__all__ = ["CROSSWALKS", "Conversion", "Crosswalk", "crosswalk_of"]

CROSSWALKS: dict[str, Crosswalk] = {
    each.prefix: each
    for each in (
        Crosswalk(
            prefix="dcndl",
            namespace=DCNDL,
            schema="http://ndl.go.jp/dcndl/dcndl.xsd",
            roots=frozenset({expand("rdf:RDF")}),
            readers=dcndl.READERS,
            elements=dcndl.ELEMENTS,
            read=dcndl.read,
            write=dcndl_write.write,
        ),
        Crosswalk(
            prefix="oai_dc",
            namespace=OAI_DC,
            schema=oai_dc_write.SCHEMA,
            roots=frozenset({oai_dc.ROOT, *oai_dc.ALIASES}),
            readers=oai_dc.READERS,
            elements=oai_dc.ELEMENTS,
            read=oai_dc.read,
            write=oai_dc_write.write,
        ),
    )
}

_BY_ROOT = {root: each for each in CROSSWALKS.values() for root in each.roots}


def crosswalk_of(root_tag: str) -> Crosswalk | None:
    """The crosswalk for what was really sent, whatever prefix was asked for; None for an unknown format."""
    return _BY_ROOT.get(root_tag)
