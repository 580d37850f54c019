"""The languages that JPCOAR requires of texts: added as far as the script shows them, and never so that another text
becomes the main one for readers."""

import pytest

from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import Agent, BibliographicRecord, Host, Subject, Title
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import parse


def languages(name: str, **fields: object) -> list[tuple[str, str]]:
    """The text and the language of all elements with this local name."""
    record = BibliographicRecord(**{"titles": (Title(value="尺八の音響学"),), **fields})
    root = parse(WRITERS["jpcoar"].write(record))
    return [(element.text or "", element.get(XML_LANG, "")) for element in root.iter("{*}" + name)]


def creator(name: str, *others: str, language: str = "") -> tuple[Agent, ...]:
    return (Agent(name=name, language=language, other_names=tuple(Title(value=other) for other in others)),)


@pytest.mark.parametrize(
    ("text", "of_record", "language"),
    [
        ("尺八の音響学", (), "ja"),
        ("尺八音響学", (), "ja"),
        ("尺八音響學", ("chi",), "zh"),
        ("尺八音響學", ("chi", "jpn"), "ja"),
        ("尺八の音響学", ("chi",), "ja"),
        ("퉁소", (), "ko"),
        ("Акустика", ("rus",), ""),
        ("Acoustics", (), "en"),
        ("Acoustics", ("jpn",), "en"),
        ("Akustik", ("ger",), "de"),
        ("Akustik", ("ger", "eng"), "en"),
        ("Acoustique générale", ("fre",), "fr"),
        ("Acoustique générale", ("eng", "fre"), "fr"),
        ("Acoustique générale", ("eng",), ""),
        ("1991.4", ("ger", "fre"), "de"),
        ("一九九一・四", (), "ja"),
        ("１９９１", ("ger",), "de"),
        ("1991.4", (), ""),
        ("1991.4", ("ain", "ger"), ""),  # the first language has no code of two letters
    ],
)
def test_a_text_has_the_language_that_its_script_and_the_record_show(text, of_record, language):
    assert languages("title", titles=(Title(value=text),), languages=of_record) == [(text, language)]


@pytest.mark.parametrize(
    ("sent", "written"), [("jpn", "ja"), ("ja", "ja"), ("ja_JP", "ja-JP"), ("日本語", ""), ("ja-Kana", "ja-Kana")]
)
def test_a_stated_language_is_written_as_bcp_47_has_it(sent, written):
    assert languages("creatorName", creators=creator("Acoustics", language=sent)) == [("Acoustics", written)]


def test_names_of_one_person_have_each_language_once():
    names = ("夏目漱石", "Natsume, Soseki", "Natsume, Kinnosuke", "夏目金之助")
    assert languages("creatorName", creators=creator(*names)) == list(zip(names, ("ja", "en", "", ""), strict=True))


def test_no_language_makes_another_name_the_main_one():
    names = ("Natsume, Soseki", "夏目漱石")
    assert languages("creatorName", creators=creator(*names)) == [("Natsume, Soseki", "en"), ("夏目漱石", "")]
    written = WRITERS["jpcoar"].write(
        BibliographicRecord(titles=(Title(value="心"),), uri="https://a.example/1", creators=creator(*names))
    )
    assert read(written, "jpcoar").record.creators[0].name == "Natsume, Soseki"


@pytest.mark.parametrize(("of_record", "main"), [((), "en"), (("eng",), "en"), (("ger",), "de")])
def test_the_main_title_is_in_the_language_of_the_record_beside_a_parallel_title(of_record, main):
    found = languages(
        "title",
        titles=(Title(value="Acoustics"),),
        alternatives=(Title(value="尺八の音響学", language="ja", kind="parallel"),),
        languages=of_record,
    )
    assert found == [("Acoustics", main), ("尺八の音響学", "ja")]


@pytest.mark.parametrize(("of_record", "other"), [("jpn", "en"), ("eng", "")])
def test_a_parallel_title_has_no_language_that_readers_would_prefer(of_record, other):
    found = languages(
        "title",
        titles=(Title(value="尺八の音響学", language="ja"),),
        alternatives=(Title(value="Acoustics", kind="parallel"),),
        languages=(of_record,),
    )
    assert found == [("尺八の音響学", "ja"), ("Acoustics", other)]


def test_the_language_of_the_record_decides_about_titles_only():
    names = ("夏目漱石", "Natsume, Soseki")
    found = languages("creatorName", creators=creator(*names), languages=("eng",))
    assert found == list(zip(names, ("ja", "en"), strict=True))


def test_texts_that_may_be_repeated_have_all_their_languages():
    texts = ("音響学", "Acoustics", "尺八", "Flutes")
    alternatives = tuple(Title(value=text) for text in texts)
    found = languages("alternative", alternatives=alternatives)
    assert found == list(zip(texts, ("ja", "en", "ja", "en"), strict=True))


def test_numbers_of_classes_and_volumes_have_no_language():
    subjects = (Subject(value="768", scheme="NDC"), Subject(value="尺八", scheme="BSH"))
    assert languages("subject", subjects=subjects, languages=("jpn",)) == [("768", ""), ("尺八", "ja")]
    host = Host(title="紀要", volume="12")
    assert languages("sourceTitle", host=host) == [("紀要", "ja")]
    assert languages("volume", host=host) == [("12", "")]
