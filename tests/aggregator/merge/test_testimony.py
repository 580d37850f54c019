"""Who says what of a merged record."""

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


def _said(*records: BibliographicRecord) -> dict:
    return statements(merge(records), records)


def test_descriptions_that_agree_in_other_spellings_are_one_voice() -> None:
    [title] = _said(ONE, TWO, THREE)["titles"]
    assert (title.places, title.kept) == ((0, 1, 2), True)


def test_of_a_field_with_one_value_the_others_are_told_behind_it() -> None:
    dates = _said(ONE, TWO, THREE)["issued"]
    assert [(each.value, each.places, each.kept) for each in dates] == [
        ("1942-12", (0, 1), True),
        ("1950", (2,), False),
    ]
    assert not unanimous(dates)


def test_a_title_that_stands_among_the_alternatives_is_no_contradiction() -> None:
    said = _said(ONE, ONE, BibliographicRecord(titles=(Title(value="An Encouragement of Learning"),)))
    assert [each.kept for each in said["titles"]] == [True, True]


def test_each_of_several_values_has_those_who_give_it() -> None:
    said = _said(ONE, TWO)
    assert [(each.value.value, each.places) for each in said["subjects"]] == [("道徳", (0,)), ("人生訓", (0, 1))]
    assert [(each.value.name, each.places) for each in said["creators"]] == [
        ("福沢, 諭吉, 1835-1901", (0, 1)),
        ("例太郎", (1,)),
    ]


def test_who_says_nothing_of_a_field_contradicts_nobody() -> None:
    said = _said(ONE, THREE)
    assert unanimous(said["creators"])
    assert "notes" not in said


def test_an_article_without_its_publication_says_nothing_of_it() -> None:
    article = BibliographicRecord(titles=(Title(value="論文"),), host=Host(title="図書", pages="1-3"))
    assert [each.places for each in _said(article, BibliographicRecord(titles=(Title(value="論文"),)))["host"]] == [
        (0,)
    ]


def test_several_names_sent_as_one_speak_for_each() -> None:
    one = BibliographicRecord(creators=(Agent(name="例太郎／例花子"),))
    two = BibliographicRecord(creators=(Agent(name="例太郎"), Agent(name="例花子")))
    assert [each.places for each in _said(one, two)["creators"]] == [(0, 1), (0, 1)]
