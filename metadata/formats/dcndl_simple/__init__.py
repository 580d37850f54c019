"""DC-NDL(Simple): DC-NDL as flat elements, without RDF nodes."""

from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.dcndl_simple import read, rules, tree, write
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import DCNDL_SIMPLE
from metadata.writer import Writer, join_records

FORMAT = Format(
    prefix="dcndl_simple",
    label=Label("DC-NDL (Simple)", "DC-NDL (Simple)"),
    about=Label(
        "DC-NDL（Simple）：よく使う項目を備えています。個体ごとの所蔵はありません。",
        "DC-NDL (Simple): the usual fields. It has no holdings of individual copies.",
    ),
    rank=20,
    writers=(
        Writer(
            name="dcndl_simple",
            label="DC-NDL (Simple)",
            write=write.write,
            namespace=DCNDL_SIMPLE,
            schema=write.SCHEMA,
            oai=True,
            books=True,
            join=join_records,
        ),
    ),
    roots=frozenset(read.READERS),
    readers=read.READERS,
    steps=read.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
    check_tree=tree.check_tree,
)
