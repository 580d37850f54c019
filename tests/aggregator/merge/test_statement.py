"""Which description states which value of a merged record."""

from aggregator.merge import merge, statements, unanimous
from metadata.record import Agent, BibliographicRecord, Host, Subject, Title

ONE = BibliographicRecord(
    titles=(Title(value="学問のすすめ"),),
    creators=(Agent(name="福沢, 諭吉, 1835-1901"),),
    issued="1942",
    subjects=(Subject(value="人生訓"), Subject(value="道徳")),
)
TWO = BibliographicRecord(
    titles=(Title(value="學問のすすめ : 岩波文庫版"),),
    creators=(Agent(name="福澤諭吉著"), Agent(name="例太郎")),
    issued="1942-12",
    subjects=(Subject(value="人生訓", scheme="NDLSH"),),
)
THREE = BibliographicRecord(titles=(Title(value="学問のすすめ"),), issued="1950")


def _statements(*records: BibliographicRecord) -> dict:
    return statements(merge(records), records)


def test_agreeing_descriptions_in_different_spellings_are_one_statement() -> None:
    [title] = _statements(ONE, TWO, THREE)["titles"]
    assert (title.places, title.in_merged) == ((0, 1, 2), True)


def test_of_a_field_with_one_value_the_other_values_follow_the_merged_one() -> None:
    dates = _statements(ONE, TWO, THREE)["issued"]
    assert [(statement.value, statement.places, statement.in_merged) for statement in dates] == [
        ("1942-12", (0, 1), True),
        ("1950", (2,), False),
    ]
    assert not unanimous(dates)


def test_a_title_among_the_merged_alternatives_is_no_contradiction() -> None:
    found = _statements(ONE, ONE, BibliographicRecord(titles=(Title(value="An Encouragement of Learning"),)))
    assert [statement.in_merged for statement in found["titles"]] == [True, True]


def test_every_value_has_the_positions_of_its_descriptions() -> None:
    found = _statements(ONE, TWO)
    assert [(statement.value.value, statement.places) for statement in found["subjects"]] == [
        ("道徳", (0,)),
        ("人生訓", (0, 1)),
    ]
    assert [(statement.value.name, statement.places) for statement in found["creators"]] == [
        ("福沢, 諭吉, 1835-1901", (0, 1)),
        ("例太郎", (1,)),
    ]


def test_an_empty_field_contradicts_nothing() -> None:
    found = _statements(ONE, THREE)
    assert unanimous(found["creators"])
    assert "notes" not in found


def test_an_article_without_a_host_states_nothing_about_it() -> None:
    article = BibliographicRecord(titles=(Title(value="論文"),), host=Host(title="図書", pages="1-3"))
    assert [
        statement.places
        for statement in _statements(article, BibliographicRecord(titles=(Title(value="論文"),)))["host"]
    ] == [(0,)]


def test_several_names_in_one_are_a_statement_for_every_person() -> None:
    one = BibliographicRecord(creators=(Agent(name="例太郎／例花子"),))
    two = BibliographicRecord(creators=(Agent(name="例太郎"), Agent(name="例花子")))
    assert [statement.places for statement in _statements(one, two)["creators"]] == [(0, 1), (0, 1)]
