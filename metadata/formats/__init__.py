"""The registry of record formats, by metadataPrefix: how each format is read and written.

To add a format: a package with its crosswalk table, rules and their texts; an entry in CROSSWALKS, in RULE_MODULES of
`metadata.checking` and in FILES of `metadata.catalogue`. A format that is only written needs a module and an entry in
CITATIONS.
"""

from metadata.citations import bibtex, csl, ris
from metadata.formats.common.base import Conversion, Crosswalk, Writer
from metadata.formats.dcndl import read as dcndl
from metadata.formats.dcndl import write as dcndl_write
from metadata.formats.dcndl_simple import read as dcndl_simple
from metadata.formats.dcndl_simple import write as dcndl_simple_write
from metadata.formats.jpcoar import read as jpcoar
from metadata.formats.jpcoar.write import record as jpcoar_write
from metadata.formats.jpcoar.write import versions as jpcoar_versions
from metadata.formats.json import read as json_record
from metadata.formats.junii2 import read as junii2
from metadata.formats.junii2 import write as junii2_write
from metadata.formats.marc import read as marc
from metadata.formats.marc import table
from metadata.formats.marc.write import record as marc_write
from metadata.formats.mods import read as mods
from metadata.formats.mods.write import record as mods_write
from metadata.formats.oai_dc import read as oai_dc
from metadata.formats.oai_dc import write as oai_dc_write
from metadata.formats.rss import read as rss
from metadata.formats.rss import write as rss_write
from metadata.formats.schema_org import write as schema_org_write
from metadata.vocabularies.namespaces import DCNDL, DCNDL_SIMPLE, JPCOAR, JUNII2, MARC, MODS, OAI_DC, RSS, expand

__all__ = ["CITATIONS", "CROSSWALKS", "READABLE", "WRITERS", "Conversion", "Crosswalk", "Writer", "crosswalk_of"]

CROSSWALKS: dict[str, Crosswalk] = {
    crosswalk.prefix: crosswalk
    for crosswalk in (
        Crosswalk(
            prefix="dcndl",
            namespace=DCNDL,
            schema="http://ndl.go.jp/dcndl/dcndl.xsd",
            roots=frozenset({expand("rdf:RDF")}),
            readers=dcndl.READERS,
            elements=dcndl.ELEMENTS,
            read=dcndl.read,
            read_all=dcndl.read_all,
            write=dcndl_write.write,
        ),
        Crosswalk(
            prefix="dcndl_simple",
            namespace=DCNDL_SIMPLE,
            schema=dcndl_simple_write.SCHEMA,
            roots=frozenset(dcndl_simple.READERS),
            readers=dcndl_simple.READERS,
            elements=dcndl_simple.ELEMENTS,
            read=dcndl_simple.read,
            write=dcndl_simple_write.write,
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
        Crosswalk(
            prefix="rss",
            namespace=RSS,
            schema=rss_write.SCHEMA,
            roots=frozenset(rss.READERS),
            readers=rss.READERS,
            elements=rss.ELEMENTS,
            read=rss.read,
            write=rss_write.write,
        ),
        Crosswalk(
            prefix="mods",
            namespace=MODS,
            schema=mods_write.SCHEMA,
            roots=frozenset({mods.ROOT, mods.LOOSE_ROOT}),
            readers=mods.READERS,
            elements=mods.ELEMENTS,
            read=mods.read,
            write=mods_write.write,
        ),
        Crosswalk(
            prefix="marcxml",
            namespace=MARC,
            schema=marc_write.SCHEMA,
            roots=frozenset(marc.READERS),
            readers=marc.READERS,
            elements=marc.ELEMENTS,
            read=marc.read,
            write=marc_write.write,
            find_unmapped=table.unmapped,
        ),
        Crosswalk(
            prefix="jpcoar",
            namespace=JPCOAR,
            schema=jpcoar_write.SCHEMA,
            roots=frozenset({*jpcoar.ROOTS, jpcoar.LOOSE_ROOT}),
            readers=jpcoar.READERS,
            elements=jpcoar.ELEMENTS,
            read=jpcoar.read,
            write=jpcoar_write.write,
        ),
        Crosswalk(
            prefix="junii2",
            namespace=JUNII2,
            schema=junii2_write.SCHEMA,
            roots=frozenset(junii2.READERS),
            readers=junii2.READERS,
            elements=junii2.ELEMENTS,
            read=junii2.read,
            write=junii2_write.write,
        ),
    )
}

# The metadataPrefixes that a feed can be registered with. JSON is not in CROSSWALKS, because its records have no
# elements. Repositories offer JPCOAR under names with a version too; the namespace of a record says its version.
READABLE = (*CROSSWALKS, "jpcoar_1.0", "jpcoar_2.0", "jpcoar_2.1", json_record.PREFIX)

# Formats that are written but not read: for reference managers, citation processors and search engines.
CITATIONS: dict[str, Writer] = {
    writer.name: writer
    for writer in (
        Writer(name="jsonld", media_type="application/ld+json", ending="jsonld", write=schema_org_write.write),
        Writer(name="ris", media_type="application/x-research-info-systems", ending="ris", write=ris.write),
        Writer(name="bibtex", media_type="application/x-bibtex", ending="bib", write=bibtex.write),
        Writer(name="csl", media_type="application/vnd.citationstyles.csl+json", ending="csl.json", write=csl.write),
    )
}

_MEDIA_TYPES = {
    "dcndl": "application/rdf+xml",
    "marcxml": "application/marcxml+xml",
    "mods": "application/mods+xml",
    "rss": "application/rss+xml",
}
# Earlier versions of JPCOAR, for services that do not read 2.1. They are read by the crosswalk of JPCOAR.
VERSIONS: dict[str, Writer] = {
    name: Writer(name=name, media_type="application/xml", ending="xml", write=write, namespace=namespace, schema=schema)
    for name, write, namespace, schema in (
        ("jpcoar_1.0", jpcoar_versions.write_1_0, jpcoar_versions.JPCOAR_1_0, jpcoar_versions.SCHEMA_1_0),
        ("jpcoar_2.0", jpcoar_versions.write_2_0, jpcoar_versions.JPCOAR_2_0, jpcoar_versions.SCHEMA_2_0),
    )
}
# Every format that a record can be written in: those of the crosswalks, and those that are only written.
WRITERS: dict[str, Writer] = {
    prefix: Writer(
        name=prefix,
        media_type=_MEDIA_TYPES.get(prefix, "application/xml"),
        ending="rdf" if prefix == "dcndl" else "xml",
        write=crosswalk.write,
        namespace=crosswalk.namespace,
        schema=crosswalk.schema,
    )
    for prefix, crosswalk in CROSSWALKS.items()
}
WRITERS |= VERSIONS | CITATIONS

_BY_ROOT = {root: crosswalk for crosswalk in CROSSWALKS.values() for root in crosswalk.roots}


def crosswalk_of(root_tag: str) -> Crosswalk | None:
    """Return the crosswalk for the root element of a payload, or None for an unknown format.

    The payload decides, because providers sometimes send another format than the metadataPrefix that was requested.
    """
    return _BY_ROOT.get(root_tag)
