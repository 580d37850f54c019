"""Unqualified Dublin Core, the format that every OAI-PMH provider offers."""

from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.oai_dc import read, rules, write
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import DC, OAI_DC
from metadata.writer import Writer, join_records

FORMAT = Format(
    prefix="oai_dc",
    label=Label("Dublin Core (oai_dc)", "Dublin Core (oai_dc)"),
    about=Label(
        "oai_dc：どのサーバーにもありますが、情報が最も少ない形式です。巻次、読み、番号の種別が失われやすく、"
        "同じ本と判定しにくくなります。",
        "oai_dc: available on every server, but the least detailed. Volumes, readings and types of identifiers are "
        "often lost, so the same book is recognised less reliably.",
    ),
    rank=900,
    writers=(
        Writer(
            name="oai_dc",
            label="Dublin Core (oai_dc)",
            write=write.write,
            write_all=write.write_all,
            namespace=OAI_DC,
            schema=write.SCHEMA,
            oai=True,
            books=True,
            join=join_records,
        ),
    ),
    aliases=("dc",),
    profiles=(OAI_DC, DC),
    roots=frozenset({read.ROOT, read.SRU_ROOT, *read.ALIASES}),
    readers=read.READERS,
    steps=read.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
    xsd={"oai_dc": read.ROOT},
    xsd_addresses=(
        write.SCHEMA,
        "http://dublincore.org/schemas/xmls/simpledc20021212.xsd",
        "http://www.w3.org/2001/03/xml.xsd",
    ),
)
