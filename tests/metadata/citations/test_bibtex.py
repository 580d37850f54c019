"""BibTeX: entry types, names, escaping, keys."""

import re

import pytest
from hypothesis import HealthCheck, given, settings

from metadata.citations.bibtex import escape, write
from metadata.record import Agent, BibliographicRecord, Identifier, Title
from tests.metadata.citations.examples import ALL, ARTICLE, BOTCHAN, CHAPTER, DATASET, PAGE, THESIS
from tests.metadata.records import RECORD

FIELD = re.compile(r"  ([a-z]+) = (?:\{(.*)\}|([a-z]{3})),?")


def fields(record: BibliographicRecord) -> dict[str, str]:
    """The fields, one a line; "" is the head."""
    head, *rest = write(record).decode().rstrip().removesuffix("\n}").split("\n")
    matches = [FIELD.fullmatch(each) for each in rest]
    return {"": head} | {each[1]: each[2] or each[3] for each in matches}


def test_a_book():
    found = fields(BOTCHAN)
    assert re.fullmatch(r"@book\{natsume1950-[0-9a-f]{6},", found.pop(""))
    assert found == {
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
    found = fields(ARTICLE)
    assert found[""].startswith("@article{mihon2019-")
    assert (found["journal"], found["pages"], found["doi"]) == ("見本大学紀要", "45--67", "10.1234/abc_1")
    assert found["author"] == "見本, 太郎 and Smith, John Jr."


def test_a_thesis_has_school_and_degree_and_no_character_that_tex_acts_on():
    found = fields(THESIS)
    assert found[""].startswith("@phdthesis{terada1908-")
    assert (found["school"], found["type"], found["month"]) == ("見本大学", "博士（理学）", "oct")
    assert found["title"] == r"{On Pipes \& Flutes: 100\% of \textbraceleft{}them\textbraceright{}}"


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
def test_names_are_what_bibtex_takes_them_for(name, written):
    assert fields(BibliographicRecord(creators=(Agent(name=name),)))["author"] == written


def test_identifiers_and_addresses_are_not_escaped_but_cannot_end_the_field():
    found = fields(
        BibliographicRecord(
            identifiers=(Identifier(scheme="DOI", value="10.1000/a_b{c}"),),
            see_also=("https://a.example.jp/?q=1&r=%20",),
        )
    )
    assert (found["doi"], found["url"]) == ("10.1000/a_b%7Bc%7D", "https://a.example.jp/?q=1&r=%20")


def test_every_special_character_is_escaped():
    assert escape("#$%&_") == r"\#\$\%\&\_"
    assert escape("\\{}~^") == (r"\textbackslash{}\textbraceleft{}\textbraceright{}\textasciitilde{}\textasciicircum{}")


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RECORD)
def test_braces_are_balanced_in_any_record(record):
    text = write(record).decode()
    depths = [0]
    for brace in re.findall(r"[{}]", text):
        depths.append(depths[-1] + (1 if brace == "{" else -1))
    assert (min(depths), depths[-1], depths.count(0)) == (0, 0, 2)


@pytest.mark.parametrize("record", [*ALL, BibliographicRecord(titles=(Title(value='"@book{x, "#"}'),))])
def test_another_reader_understands_it(record):
    database = pytest.importorskip("pybtex.database")
    [entry] = database.parse_string(write(record).decode(), "bibtex").entries.values()
    assert entry.fields["title"].strip("{}") == escape(record.title).strip("{}")
    people = [(" ".join(each.last_names), " ".join(each.first_names)) for each in entry.persons.get("author", ())]
    assert len(people) == len(record.creators)
    if record is BOTCHAN:
        assert people == [("夏目", "漱石")]
