"""References in SIST 02 and APA, for all kinds of records that they distinguish."""

import pytest
from msgspec import structs

from metadata.citations import apa, sist02
from metadata.citations.facts import cite
from metadata.citations.text import Run, plain_text
from metadata.record import Agent, BibliographicRecord, Host, Identifier, Title
from tests.metadata.citations.examples import ALL, ARTICLE, BOTCHAN, CHAPTER, DATASET, JOURNAL, THESIS, kind

EBOOK = structs.replace(
    BOTCHAN,
    material_types=(kind("Book"), kind("ElectronicResource")),
    see_also=("https://reader.example.jp/1",),
    editions=("初版",),
    volumes=(),
    contributors=(),
)
ENGLISH = BibliographicRecord(
    titles=(Title(value="Norwegian wood : a novel."),),
    creators=(Agent(name="Murakami, Haruki, 1949-"), Agent(name="Van Dyke, Jan-Pieter de")),
    contributors=(Agent(name="Rubin, Jay", role="translator"), Agent(name="Birnbaum, Alfred", role="translator")),
    publishers=(Agent(name="Harvill Press", location="London"),),
    issued="2000",
    editions=("2nd ed.",),
    identifiers=(Identifier(scheme="ISBN", value="9781860468186"),),
    material_types=(kind("Book"),),
)


@pytest.mark.parametrize(
    ("record", "reference"),
    [
        (
            BOTCHAN,
            "夏目漱石. 坊っちゃん 上. 見本花子編. McClellan, Edwin trans. 改版, 岩波書店, 1950, 198p, (見本文庫, 12), "
            "ISBN 978-4-00-310103-2.",
        ),
        (
            EBOOK,
            "夏目漱石. 坊っちゃん. 岩波書店, 1950, 198p, (見本文庫, 12), ISBN 978-4-00-310103-2. "
            "https://reader.example.jp/1, (参照 2026-11-22).",
        ),
        (
            ARTICLE,
            "見本太郎; Smith, John Jr. 書誌同定の評価. 見本大学紀要. 2019, vol. 12, no. 3, p. 45-67. "
            "https://doi.org/10.1234/abc_1, (参照 2026-11-22).",
        ),
        (THESIS, "寺田寅彦. On Pipes & Flutes: 100% of {them}. 見本大学, 1908, 博士論文."),
        (CHAPTER, "“第2章”. 見本論集. p. 10-20."),
        (JOURNAL, "日本図書館協会. 図書館雑誌. 1907."),
        (
            ENGLISH,
            "Murakami, Haruki; Van Dyke, Jan-Pieter de. Norwegian wood : a novel. Rubin, Jay; Birnbaum, Alfred trans. "
            "2nd ed., Harvill Press, 2000, ISBN 978-1-86046-818-6.",
        ),
    ],
)
def test_a_reference_in_sist_02(record, reference):
    assert sist02.reference(cite(record), "2026-11-22") == reference


@pytest.mark.parametrize(
    ("record", "reference"),
    [
        (BOTCHAN, "夏目漱石. (1950). 坊っちゃん (E. McClellan, Trans., 改版, 上). 岩波書店."),
        (EBOOK, "夏目漱石. (1950). 坊っちゃん (初版). 岩波書店. https://reader.example.jp/1"),
        (
            ARTICLE,
            "見本太郎, & Smith, J. J. (2019). 書誌同定の評価. 見本大学紀要, 12(3), 45–67. "
            "https://doi.org/10.1234/abc_1",
        ),
        (
            THESIS,
            "寺田寅彦. (1908). On Pipes & Flutes: 100% of {them} [Doctoral dissertation, 見本大学].",
        ),
        (CHAPTER, "第2章. (n.d.). In 見本論集 (pp. 10–20)."),
        (DATASET, "見本研究所. (2020). 見本データ [Data set]."),
        (
            ENGLISH,
            "Murakami, H., & Van Dyke, J.-P. de. (2000). Norwegian wood: a novel "
            "(J. Rubin & A. Birnbaum, Trans., 2nd ed.). Harvill Press.",
        ),
    ],
)
def test_a_reference_in_apa(record, reference):
    assert plain_text(apa.reference(cite(record))) == reference


def test_apa_has_titles_of_books_and_journals_in_italics():
    assert Run("坊っちゃん", italic=True) in apa.reference(cite(BOTCHAN))
    assert [run.text for run in apa.reference(cite(ARTICLE)) if run.italic] == ["見本大学紀要, 12"]


def test_a_book_without_authors_begins_with_its_editors():
    book = structs.replace(BOTCHAN, creators=(), contributors=(Agent(name="見本, 花子", role="編"),))
    assert sist02.reference(cite(book)).startswith("見本花子編. 坊っちゃん 上. 改版")
    assert plain_text(apa.reference(cite(book))).startswith("見本花子 (Ed.). (1950). 坊っちゃん")


def test_a_chapter_names_the_editors_of_its_book():
    chapter = structs.replace(
        CHAPTER, creators=(Agent(name="例, 太郎"),), contributors=(Agent(name="Smith, Ann", role="editor"),)
    )
    assert sist02.reference(cite(chapter)) == "例太郎. “第2章”. 見本論集. Smith, Ann ed. p. 10-20."
    assert plain_text(apa.reference(cite(chapter))) == "例太郎. (n.d.). 第2章. In A. Smith (Ed.), 見本論集 (pp. 10–20)."


def test_a_newspaper_article_has_the_day():
    news = structs.replace(
        ARTICLE,
        identifiers=(),
        host=Host(title="見本新聞", pages="3"),
        material_types=(kind("Article", "newspaper article"),),
    )
    assert "(2019, March 15)" in plain_text(apa.reference(cite(news)))


def test_a_long_list_of_authors_is_shortened():
    book = structs.replace(BOTCHAN, creators=tuple(Agent(name=f"例{n:02}, 太郎") for n in range(25)))
    assert "例09太郎 ほか." in sist02.reference(cite(book))
    assert "例18太郎, … 例24太郎." in plain_text(apa.reference(cite(book)))


@pytest.mark.parametrize("record", [*ALL, EBOOK, ENGLISH, BibliographicRecord()])
def test_no_punctuation_is_left_for_an_absent_part(record):
    for text in (sist02.reference(cite(record)), plain_text(apa.reference(cite(record)))):
        assert not any(mark in text for mark in ("..", ",,", ", .", "()", "( ", "  ", "[]", " ,")), text
        assert text == text.strip()
