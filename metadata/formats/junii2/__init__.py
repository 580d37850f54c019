"""junii2, the format of Japanese institutional repositories before the JPCOAR Schema."""

from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.junii2 import pairs, read, rules, write
from metadata.formats.junii2.checks.converted import junii2_names
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import JUNII2
from metadata.writer import Writer, join_records

FORMAT = Format(
    prefix="junii2",
    label=Label("junii2", "junii2"),
    about=Label(
        "junii2：機関リポジトリ向けの以前の形式です。JPCOARに変換して読み込みます。",
        "junii2: the older format of institutional repositories. It is converted to JPCOAR.",
    ),
    rank=40,
    writers=(
        Writer(
            name="junii2",
            label="junii2",
            write=write.write,
            write_all=write.write_all,
            namespace=JUNII2,
            schema=write.SCHEMA,
            oai=True,
            join=join_records,
        ),
    ),
    profiles=("junii2",),
    roots=frozenset(read.READERS),
    readers=read.READERS,
    rows=pairs.ROWS,
    steps=read.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    name_of=junii2_names,
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
    xsd={"junii2": read.ROOT},
    xsd_addresses=(write.SCHEMA,),
    profile="irdb",
)
