"""MARC 21 as MARCXML."""

from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.marc import read, rules, table
from metadata.formats.marc.write import record
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import MARC
from metadata.writer import Writer, join_xml

FORMAT = Format(
    prefix="marcxml",
    label=Label("MARCXML", "MARCXML"),
    about=Label(
        "MARCXML：詳しい形式です。所蔵と読みが含まれるかどうかは、館独自の項目の使い方によります。",
        "MARCXML: detailed. Whether holdings and readings are included depends on the local fields.",
    ),
    rank=50,
    writers=(
        Writer(
            name="marcxml",
            label="MARCXML",
            media_type="application/marcxml+xml",
            write=record.write,
            write_all=record.write_all,
            namespace=MARC,
            schema=record.SCHEMA,
            oai=True,
            books=True,
            sru=("info:srw/schema/1/marcxml-v1.1", "info:srw/schema/1/marcxml-v1.2"),
            join=join_xml(f'<collection xmlns="{MARC}">', "</collection>"),
        ),
    ),
    aliases=("marc21", "marc"),
    profiles=("marc21/slim",),
    roots=frozenset(read.READERS),
    readers=read.READERS,
    rows=table.ROWS,
    steps=table.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    find_unmapped=table.unmapped,
    files=("marc",),  # ISO 2709, which the file transport converts to MARCXML
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
    xsd={"marcxml": read.ROOT},
    xsd_addresses=("https://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd",),
)
