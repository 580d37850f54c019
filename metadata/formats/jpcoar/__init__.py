"""JPCOAR Schema 1.0, 2.0 and 2.1, the format of Japanese institutional repositories."""

from functools import partial
from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.jpcoar import read, rules
from metadata.formats.jpcoar.write import record, versions
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import JPCOAR
from metadata.writer import Writer, join_records

_XSD = "https://raw.githubusercontent.com/JPCOAR/schema/master"
_XSD_FILES = ("jpcoar_scm", "datacite", "dc", "dcndl", "dcterms", "openaire", "rdf")
FORMAT = Format(
    prefix="jpcoar",
    label=Label("JPCOAR", "JPCOAR"),
    about=Label(
        "JPCOAR：機関リポジトリ向けの形式です。本文、権利、助成の情報が保たれます。",
        "JPCOAR: made for institutional repositories. Full texts, rights and funding are preserved.",
    ),
    rank=30,
    writers=(
        Writer(
            name="jpcoar",
            label="JPCOAR",
            write=record.write,
            write_all=record.write_all,
            namespace=JPCOAR,
            schema=versions.NEWEST.schema,
            oai=True,
            books=True,
            join=join_records,
        ),
        # For services that do not read 2.1.
        Writer(
            name="jpcoar_2.0",
            label="JPCOAR 2.0",
            write=partial(record.write, version=versions.VERSION_2_0),
            write_all=partial(record.write_all, version=versions.VERSION_2_0),
            namespace=versions.VERSION_2_0.namespace,
            schema=versions.VERSION_2_0.schema,
            oai=True,
            join=join_records,
        ),
        Writer(
            name="jpcoar_1.0",
            label="JPCOAR 1.0",
            write=partial(record.write, version=versions.VERSION_1_0),
            write_all=partial(record.write_all, version=versions.VERSION_1_0),
            namespace=versions.VERSION_1_0.namespace,
            schema=versions.VERSION_1_0.schema,
            oai=True,
            join=join_records,
        ),
    ),
    prefixes=("jpcoar_2.1", "jpcoar_2.0", "jpcoar", "jpcoar_1.0"),  # the namespace of a record says its version
    profiles=("jpcoar",),
    roots=frozenset({*read.ROOTS, read.LOOSE_ROOT}),
    readers=read.READERS,
    steps=read.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
    xsd={f"jpcoar {version}": root for root, version in read.ROOTS.items()},
    xsd_addresses=(
        "http://www.w3.org/2009/01/xml.xsd",
        *(f"{_XSD}/{version}/{name}.xsd" for version in ("1.0", "2.0", "2.1") for name in _XSD_FILES),
        f"{_XSD}/1.0/rioxxterms.xsd",
    ),
    profile="irdb",
)
