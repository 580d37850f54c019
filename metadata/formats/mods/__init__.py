"""MODS 3, the descriptive format of the Library of Congress."""

from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.mods import read, rules
from metadata.formats.mods.write import record
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import MODS
from metadata.writer import Writer, join_xml

FORMAT = Format(
    prefix="mods",
    label=Label("MODS", "MODS"),
    about=Label(
        "MODS：詳しい形式ですが、日本語の読みはあまり入っていません。",
        "MODS: detailed, but Japanese readings are rarely included.",
    ),
    rank=60,
    writers=(
        Writer(
            name="mods",
            label="MODS",
            media_type="application/mods+xml",
            write=record.write,
            namespace=MODS,
            schema=record.SCHEMA,
            oai=True,
            books=True,
            sru=("info:srw/schema/1/mods-v3.7",),
            join=join_xml(f'<modsCollection xmlns="{MODS}">', "</modsCollection>"),
        ),
    ),
    profiles=("/mods/",),
    roots=frozenset({read.ROOT, read.LOOSE_ROOT}),
    readers=read.READERS,
    steps=read.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
    xsd={"mods": read.ROOT},
    xsd_addresses=(
        "https://www.loc.gov/standards/mods/v3/mods-3-8.xsd",
        "http://www.loc.gov/mods/xml.xsd",
        "http://www.loc.gov/standards/xlink/xlink.xsd",
    ),
)
