"""Which data of a record are searched, and in which fields."""

from aggregator.search.base import Document, Query, SearchIndex
from aggregator.search.documents import MAX_TEXT, Holders, document
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    Funding,
    Host,
    Identifier,
    Item,
    MaterialType,
    Subject,
    Title,
)

NDL = "http://ndl.go.jp/ndltype/"


def document_with(**fields) -> Document:
    return document(7, BibliographicRecord(**fields), Holders(("R000000001",), 2))


def test_an_empty_record_gives_a_document_of_a_printed_book() -> None:
    printed = {"media_types": ("booklet",), "levels": ("book",)}
    assert document_with() == Document(id=7, repositories=("R000000001",), holdings=2, **printed)


def test_titles_include_readings_volume_parts_and_alternatives_main_title_first() -> None:
    titles = document_with(
        titles=(Title(value="細雪", transcription="ササメユキ"),),
        volumes=(Title(value="上"),),
        alternatives=(Title(value="The Makioka sisters"),),
        parts=(Title(value="花見"),),
        volume_titles=(Title(value="春"),),
        display_title="細雪",
    ).titles
    assert titles == ("細雪", "細雪 上", "ササメユキ", "The Makioka sisters", "上", "春", "花見")


def test_particles_in_readings_are_found_as_written() -> None:
    titles = document_with(titles=(Title(value="吾輩は猫", transcription="ワガハイ ワ ネコ"),)).titles
    assert titles == ("吾輩は猫", "ワガハイ ワ ネコ", "ワガハイ ハ ネコ")


def test_dates_of_authority_records_are_separate_from_names() -> None:
    names = (
        "夏目, 漱石, 1867-1916",
        "Smith, John, 1950-",
        "王, 安石 (1021-1086)",
        "X, d. 1916",
        "山田太郎",
        "1984年の会",
    )
    assert document_with(creators=tuple(Agent(name=name) for name in names)).creators == (
        "夏目, 漱石",
        "Smith, John",
        "王, 安石",
        "X, d. 1916",
        "山田太郎",
        "1984年の会",
        "1867-1916",
        "1950-",
        "1021-1086",
    )


def test_contributors_and_readings_are_creators_and_the_statement_replaces_them() -> None:
    with_agents = document_with(
        creators=(Agent(name="甲", transcription="コウ"),), contributors=(Agent(name="乙"),), responsibility=("甲著",)
    )
    assert with_agents.creators == ("甲", "コウ", "乙")
    assert with_agents.texts == ("甲著",)
    assert document_with(responsibility=("丙著",)).creators == ("丙著",)


def test_isbns_of_the_set_and_other_identifiers_are_found() -> None:
    found = document_with(
        identifiers=(
            Identifier(scheme="ISBN", value="9784003101018"),
            Identifier(scheme="SetISBN", value="9784000000000"),
            Identifier(scheme="JPNO", value="20123456"),
            Identifier(scheme="URI", value="http://a.example/1"),
        ),
        invalid_identifiers=(Identifier(scheme="ISBN", value="4003101015", printed="4-00-310101-5"),),
        host=Host(title="図書館雑誌", issn=("03854000",)),
    )
    assert found.isbns == ("9784003101018", "9784000000000")
    assert found.identifiers == ("20123456", "4-00-310101-5", "03854000")
    assert found.jpnos == ("20123456",)
    assert (found.journals, found.texts) == (("図書館雑誌",), ())


def test_class_numbers_of_other_schemes_than_ndc_have_the_name_of_their_scheme() -> None:
    numbers = {"NDLC": "KH426", "DDC": "895.6", "NDC9": "913.6", "NDLSH": "文学", "LCC": " "}
    found = document_with(subjects=tuple(Subject(scheme=scheme, value=number) for scheme, number in numbers.items()))
    assert (found.classes, found.ndcs) == (("NDLC:KH426", "DDC:895.6"), ("913.6",))


def test_notes_contents_and_abstracts_are_apart_from_other_texts() -> None:
    found = document_with(
        series=(Title(value="見本叢書"),),
        notes=("年表あり",),
        contents=("第1章",),
        abstracts=("要旨",),
        editions=("2版",),
    )
    assert (found.texts, found.descriptions) == (("見本叢書", "2版"), ("年表あり", "第1章", "要旨"))


def test_who_digitised_a_book_or_a_copy_of_it_is_searched_alone() -> None:
    copy = Item(publishers=(Agent(name="見本大学"),))
    found = document_with(digitized_publishers=(Agent(name="国立国会図書館", transcription="コッカイ"),), items=(copy,))
    assert found.digitizers == ("国立国会図書館", "コッカイ", "見本大学")
    assert found.texts == ()


def test_types_are_short_keys_and_unknown_ones_are_other() -> None:
    types = (
        MaterialType(uri=f"{NDL}Book", label="図書"),
        MaterialType(uri=f"{NDL}Spaceship"),
        MaterialType(label="論文?!"),
        MaterialType(label="journal article"),
    )
    assert document_with(material_types=types).types == ("Book", "Other", "Article")


def test_years_are_numbers_or_zero() -> None:
    assert [document_with(issued=issued).year for issued in ("2001-05", "2001", "", "19uu", "１９９９")] == [
        2001,
        2001,
        0,
        0,
        0,
    ]


def test_long_texts_are_truncated_and_subjects_are_not() -> None:
    subjects = (Subject(value="猫", transcription="ネコ"),)
    titles = (Title(value="え" * 500),)
    long = document_with(notes=("あ" * 2_000,), abstracts=("い" * 2_000, "う"), subjects=subjects, series=titles)
    assert sum(map(len, long.texts + long.descriptions)) == MAX_TEXT
    assert len(document_with(series=(Title(value="え" * 4_000),), notes=("あ",)).descriptions) == 0
    assert long.subjects == ("猫", "ネコ")


def test_a_misprinted_isbn_and_a_written_particle_find_the_book(index: SearchIndex) -> None:
    index.update(
        [
            document_with(
                titles=(Title(value="吾輩は猫", transcription="ワガハイ ワ ネコ"),),
                invalid_identifiers=(Identifier(scheme="ISBN", value="4003101015", printed="4-00-310101-5"),),
            )
        ]
    )
    for q in ("4-00-310101-5", "4003101015", "わがはいはねこ", "ワガハイワネコ"):
        assert index.search(Query(q=q)).total == 1
    assert index.search(Query(isbn="4003101015")).total == 1


def test_other_names_of_a_creator_are_searched_as_creators() -> None:
    other = Title(value="Natsume, Soseki, 1867-1916", transcription="ソーセキ")
    found = document_with(creators=(Agent(name="夏目, 漱石", other_names=(other,)),)).creators
    assert found == ("夏目, 漱石", "Natsume, Soseki", "ソーセキ")


def test_related_bodies_and_numbers_of_a_paper_are_found() -> None:
    orcid = Identifier(scheme="ORCID", value="0000-0001-0002-0003")
    paper = document_with(
        creators=(Agent(name="例, 太郎", identifiers=(orcid,), affiliations=(Agent(name="例大学"),)),),
        degree_grantors=(Agent(name="例大学院"),),
        conferences=(Conference(names=(Title(value="例会議"),)),),
        fundings=(Funding(funder=Agent(name="例財団"), award=Identifier(scheme="JGN", value="JP15H02781")),),
        dissertation_numbers=("甲第1号",),
    )
    assert {"例大学", "例大学院", "例会議", "例財団"} <= set(paper.texts)
    assert {orcid.value, "JP15H02781", "甲第1号"} <= set(paper.identifiers)
