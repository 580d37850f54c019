"""RSS 1.0, RSS 2.0 and Atom items that describe publications."""

from pathlib import Path

from metadata.formats.common.format import Format
from metadata.formats.rss import read, rules, write
from metadata.validation.texts import rule_texts
from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.namespaces import RSS
from metadata.writer import Writer

FORMAT = Format(
    prefix="rss",
    label=Label("RSS", "RSS"),
    about=Label(
        "RSSなどの配信：タイトル、リンク、日付が中心で、本を特定する手がかりは少なめです。",
        "A feed: title, link and date, with little information for recognising a book.",
    ),
    rank=910,
    requested=False,
    writers=(
        Writer(
            name="rss",
            label="RSS",
            media_type="application/rss+xml",
            write=write.write,
            namespace=RSS,
            schema=write.SCHEMA,
        ),
    ),
    roots=frozenset(read.READERS),
    readers=read.READERS,
    steps=read.STEPS,
    elements=read.ELEMENTS,
    read=read.read,
    rules=(rules.rule,),
    texts=rule_texts(Path(__file__).with_name("rules.toml")),
)
