"""DC-NDL in the versions that NDL Search gives beside its usual one."""

import pytest
from msgspec import structs

from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Date, Host, Item, Title
from metadata.vocabularies.namespaces import NAMESPACES
from metadata.xml.parsing import parse
from tests.metadata.formats.test_through_dcndl import FOLDERS, records
from tests.metadata.formats.through_dcndl import comparable, with_uris

ADDRESS = "https://books.example.jp/books/M1"
NDL = Agent(name="国立国会図書館")
DIGITISED = BibliographicRecord(
    uri=ADDRESS,
    titles=(Title(value="こころ", transcription="ココロ"),),
    digitized_publishers=(NDL,),
    other_dates=(Date(type="created", value="1914"), Date(type="dateDigitized", value="2011-03-31")),
)
LIBRARIES = (Item(uri=f"{ADDRESS}#item", holding_agent="青海図書館"), Item(holding_agent="緑野図書館"))


def test_version_3_says_of_the_copy_who_digitised_it_and_when():
    record = read(WRITERS["dcndl_v3"].write(DIGITISED), "dcndl").record
    [item] = record.items
    assert (item.publishers, item.dates) == ((NDL,), ("2011-03-31",))
    assert (record.digitized_publishers, [date.type for date in record.other_dates]) == ((), ["created"])


def test_version_3_has_a_copy_if_either_is_known_and_none_otherwise():
    for changes, copies in (
        ({"digitized_publishers": ()}, [((), ("2011-03-31",))]),
        ({"other_dates": ()}, [((NDL,), ())]),
        ({"digitized_publishers": (), "other_dates": DIGITISED.other_dates[:1]}, []),
    ):
        record = read(WRITERS["dcndl_v3"].write(structs.replace(DIGITISED, **changes)), "dcndl").record
        assert [(item.publishers, item.dates) for item in record.items] == copies


def test_version_3_keeps_the_copies_of_libraries_apart_from_the_digital_one():
    record = read(WRITERS["dcndl_v3"].write(structs.replace(DIGITISED, items=LIBRARIES)), "dcndl").record
    assert [(item.holding_agent, item.publishers) for item in record.items] == [
        ("青海図書館", ()),
        ("緑野図書館", ()),
        ("", (NDL,)),
    ]
    [item] = read(WRITERS["dcndl_v3"].write(structs.replace(DIGITISED, items=LIBRARIES[:1])), "dcndl").record.items
    assert (item.holding_agent, item.publishers) == ("青海図書館", (NDL,))


def test_version_3_has_the_journal_of_an_article_in_one_node():
    host = Host(
        title="社会経済史学",
        volume="53",
        number="4",
        issue="2",
        pages="590-593",
        titles=(Title(value="Socio-economic history", language="en"),),
    )
    article = BibliographicRecord(uri=ADDRESS, titles=(Title(value="書評"),), host=host)
    written = WRITERS["dcndl_v3"].write(article)
    bib = parse(written).find("dcndl:BibResource", NAMESPACES)
    node = bib.find("dcndl:publicationName/rdf:Description", NAMESPACES)
    assert [child.text for child in node] == ["社会経済史学", "53", "4", "2", "590-593"]
    assert bib.find("dcndl:publicationVolume", NAMESPACES) is None
    assert read(written, "dcndl").record.host == host


def test_what_the_versions_do_not_concern_is_the_same_in_all():
    plain = BibliographicRecord(uri=ADDRESS, titles=(Title(value="こころ"),), items=LIBRARIES[:1])
    assert len({WRITERS[name].write(plain) for name in ("dcndl", "dcndl_v1", "dcndl_v3")}) == 1


def test_version_1_has_one_item():
    record = read(WRITERS["dcndl_v1"].write(structs.replace(DIGITISED, items=LIBRARIES)), "dcndl").record
    assert [item.holding_agent for item in record.items] == ["青海図書館"]


@pytest.mark.parametrize("source", [row[0] for row in FOLDERS])
def test_version_3_loses_nothing_of_real_records(samples, source):
    folder, prefix, _least, element = next(row for row in FOLDERS if row[0] == source)
    for path, record in records(samples / folder, prefix, element):
        back = read(WRITERS["dcndl_v3"].write(record), "dcndl").record
        assert back is not None, path
        dates = [date.value for date in record.other_dates if date.type == "dateDigitized"]
        copies = [(copy.publishers, copy.dates) for copy in back.items]
        assert not dates or sum(set(dates) <= set(of_copy) for _publishers, of_copy in copies) == 1, path
        named = {agent.name for agent in record.digitized_publishers}
        assert named <= {agent.name for publishers, _dates in copies for agent in publishers}, path
        again = structs.replace(
            back,
            items=(*back.items[: len(record.items)],),
            digitized_publishers=record.digitized_publishers,
            other_dates=record.other_dates,
        )
        sent = with_uris(structs.replace(record, items=again.items))
        assert comparable(again, record) == comparable(sent, record), path
