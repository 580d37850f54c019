"""DC-NDL(RDF), the format of the National Diet Library and the canonical format of this project."""

from dataclasses import replace
from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.dcndl import read, rules, rules_items, tree, versions, write
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import DCNDL, expand
from metadata.writer import Write, WriteAll, Writer

_RDF = expand("rdf:RDF")


def _version(name: str, label: str, write_record: Write, write_all: WriteAll) -> Writer:
    return Writer(
        name=name,
        label=label,
        media_type="application/rdf+xml",
        ending="rdf",
        write=write_record,
        write_all=write_all,
        namespace=DCNDL,
        schema="http://ndl.go.jp/dcndl/dcndl.xsd",
        oai=True,
        join=write.join,
    )


FORMAT = Format(
    prefix="dcndl",
    label=Label("DC-NDL (RDF)", "DC-NDL (RDF)"),
    about=Label(
        "DC-NDL（RDF）：最も詳しい形式です。読み、巻次、所蔵、リンクがそのまま届きます。",
        "DC-NDL (RDF): the most detailed format. Readings, volumes, holdings and links arrive unchanged.",
    ),
    rank=10,
    writers=(
        replace(_version("dcndl", "DC-NDL (RDF)", write.write, write.write_all), books=True),
        # For programs that ask NDL Search for these versions.
        _version("dcndl_v3", "DC-NDL (RDF) 3.0 (draft)", versions.write_3, versions.write_all_3),
        _version("dcndl_v1", "DC-NDL (RDF), one copy", versions.write_1, versions.write_all_1),
    ),
    aliases=("dcndl_v3", "dcndl_porta"),
    profiles=(DCNDL, "dcndl"),
    roots=frozenset({_RDF}),
    recognises=tree.is_described,
    readers=read.READERS,
    steps=read.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    read_all=read.read_all,
    rules=(rules.rule, rules_items.rule),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
    check_tree=tree.check_tree,
    xsd={"dcndl": _RDF},
)
