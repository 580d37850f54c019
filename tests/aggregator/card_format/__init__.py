"""Cards: a small format for a test. What a format needs is all in this folder."""

from pathlib import Path

from metadata.formats.common.format import Format
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.writer import Writer
from tests.aggregator.card_format import read, rules, write

FORMAT = Format(
    prefix="cards",
    label=Label("目録カード", "Catalogue cards"),
    about=Label("目録カード：書名、著者、年、ISBNだけです。", "Cards: only title, author, year and ISBN."),
    rank=800,
    writers=(
        Writer(
            name="cards",
            label="Catalogue cards",
            write=write.write,
            namespace=read.CARDS,
            schema="https://library.example.jp/cards.xsd",
            oai=True,
            books=True,
        ),
    ),
    roots=frozenset(read.READERS),
    readers=read.READERS,
    read=read.read,
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
)
