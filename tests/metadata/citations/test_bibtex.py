"""BibTeX: entry types, names, escaping, keys."""

import re

import pytest
from hypothesis import given

from metadata.citations.bibtex import escape, write
from metadata.record import Agent, BibliographicRecord, Identifier, Title
from tests.metadata.citations.examples import ALL, ARTICLE, BOTCHAN, CHAPTER, DATASET, PAGE, THESIS
from tests.metadata.records import RECORD

FIELD = re.compile(r"  ([a-z]+) = (?:\{(.*)\}|([a-z]{3})),?")


def fields(record: BibliographicRecord) -> dict[str, str]:
    """The fields of the entry; "" is its first line."""
    head, *rest = write(record).decode().rstrip().removesuffix("\n}").split("\n")
    matches = [FIELD.fullmatch(line) for line in rest]
    return {"": head} | {match[1]: match[2] or match[3] for match in matches}


def test_a_book():
    entry_fields = fields(BOTCHAN)
    assert re.fullmatch(r"@book\{natsume1950-[0-9a-f]{6},", entry_fields.pop(""))
    assert entry_fields == {
        "author": "夏目, 漱石",
        "editor": "見本, 花子",
        "translator": "McClellan, Edwin",
        "yomi": "ナツメ, ソウセキ",
        "title": "坊っちゃん",
        "series": "見本文庫",
        "volume": "上",
        "number": "12",
        "pagetotal": "198",
        "edition": "改版",
        "publisher": "岩波書店",
        "address": "東京",
        "year": "1950",
        "isbn": "978-4-00-310103-2",
        "url": PAGE,
        "language": "ja",
        "keywords": "日本文学",
        "month": "jan",
    }


def test_an_article():
    entry_fields = fields(ARTICLE)
    assert entry_fields[""].startswith("@article{mihon2019-")
    assert (entry_fields["journal"], entry_fields["pages"], entry_fields["doi"]) == (
        "見本大学紀要",
        "45--67",
        "10.1234/abc_1",
    )
    assert entry_fields["author"] == "見本, 太郎 and Smith, John Jr."


def test_a_thesis_has_school_and_degree_and_escaped_characters():
    entry_fields = fields(THESIS)
    assert entry_fields[""].startswith("@phdthesis{terada1908-")
    assert (entry_fields["school"], entry_fields["type"], entry_fields["month"]) == ("見本大学", "博士（理学）", "oct")
    assert entry_fields["title"] == r"{On Pipes \& Flutes: 100\% of \textbraceleft{}them\textbraceright{}}"


@pytest.mark.parametrize(
    ("record", "kind", "field"), [(CHAPTER, "incollection", "booktitle"), (DATASET, "misc", "year")]
)
def test_other_kinds(record, kind, field):
    assert fields(record)[""].startswith(f"@{kind}{{")
    assert fields(record)[field]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("国土地理院", "{国土地理院}"),
        ("Simon and Schuster", "{Simon and Schuster}"),
        ("Sand and Sea, George", "{Sand and Sea}, George"),
        ("King, Martin, Jr.", "King, Jr., Martin"),
        ("Langen, P.W. de", "Langen, P.W. de"),
    ],
)
def test_names_are_written_so_that_bibtex_splits_them_correctly(name, written):
    assert fields(BibliographicRecord(creators=(Agent(name=name),)))["author"] == written


def test_identifiers_and_addresses_are_not_escaped_but_cannot_end_the_field():
    entry_fields = fields(
        BibliographicRecord(
            identifiers=(Identifier(scheme="DOI", value="10.1000/a_b{c}"),),
            see_also=("https://a.example.jp/?q=1&r=%20",),
        )
    )
    assert (entry_fields["doi"], entry_fields["url"]) == ("10.1000/a_b%7Bc%7D", "https://a.example.jp/?q=1&r=%20")


def test_every_special_character_is_escaped():
    assert escape("#$%&_") == r"\#\$\%\&\_"
    assert escape("\\{}~^") == (r"\textbackslash{}\textbraceleft{}\textbraceright{}\textasciitilde{}\textasciicircum{}")


@given(RECORD)
def test_braces_are_balanced_in_any_record(record):
    text = write(record).decode()
    depths = [0]
    for brace in re.findall(r"[{}]", text):
        depths.append(depths[-1] + (1 if brace == "{" else -1))
    assert (min(depths), depths[-1], depths.count(0)) == (0, 0, 2)


@pytest.mark.parametrize("record", [*ALL, BibliographicRecord(titles=(Title(value='"@book{x, "#"}'),))])
def test_pybtex_can_read_the_entry(record):
    database = pytest.importorskip("pybtex.database")
    [entry] = database.parse_string(write(record).decode(), "bibtex").entries.values()
    assert entry.fields["title"].strip("{}") == escape(record.title).strip("{}")
    people = [(" ".join(person.last_names), " ".join(person.first_names)) for person in entry.persons.get("author", ())]
    assert len(people) == len(record.creators)
    if record is BOTCHAN:
        assert people == [("夏目", "漱石")]
