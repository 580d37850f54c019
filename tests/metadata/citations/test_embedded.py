"""Citations in pages for reference managers: COinS and the tags of Highwire Press."""

from urllib.parse import parse_qs

from metadata.citations.coins import context_object
from metadata.citations.facts import cite
from metadata.citations.highwire import tags
from tests.metadata.citations.examples import ARTICLE, BOTCHAN, CHAPTER, JOURNAL, PAGE, THESIS


def _coins(record) -> dict[str, list[str]]:
    return parse_qs(context_object(cite(record)))


def test_a_book_as_coins():
    found = _coins(BOTCHAN)
    assert found["rft_val_fmt"] == ["info:ofi/fmt:kev:mtx:book"]
    assert (found["rft.btitle"], found["rft.aulast"], found["rft.aufirst"]) == (["坊っちゃん 上"], ["夏目"], ["漱石"])
    assert (found["rft.isbn"], found["rft.date"], found["rft.pub"]) == (
        ["978-4-00-310103-2"],
        ["1950-01"],
        ["岩波書店"],
    )
    assert found["rft_id"] == [PAGE]


def test_an_article_as_coins():
    found = _coins(ARTICLE)
    assert found["rft_val_fmt"] == ["info:ofi/fmt:kev:mtx:journal"]
    assert (found["rft.atitle"], found["rft.jtitle"]) == (["書誌同定の評価"], ["見本大学紀要"])
    assert (found["rft.spage"], found["rft.epage"], found["rft.issn"]) == (["45"], ["67"], ["1880-6971"])
    assert found["rft_id"] == ["info:doi/10.1234/abc_1", PAGE]


def test_a_chapter_a_thesis_and_a_journal_as_coins():
    assert (_coins(CHAPTER)["rft.atitle"], _coins(CHAPTER)["rft.btitle"]) == (["第2章"], ["見本論集"])
    assert _coins(THESIS)["rft.inst"] == ["見本大学"]
    assert _coins(JOURNAL)["rft.jtitle"] == ["図書館雑誌"]


def test_an_article_in_highwire_tags():
    found = tags(cite(ARTICLE), ARTICLE)
    assert ("citation_author", "見本, 太郎") in found
    assert ("citation_publication_date", "2019/03/15") in found
    assert ("citation_journal_title", "見本大学紀要") in found
    assert ("citation_doi", "10.1234/abc_1") in found
    assert all(content for _name, content in found)


def test_highwire_tags_of_a_thesis_have_the_university_and_of_a_book_the_publisher():
    assert ("citation_dissertation_institution", "見本大学") in tags(cite(THESIS), THESIS)
    assert ("citation_publisher", "岩波書店") in tags(cite(BOTCHAN), BOTCHAN)
