"""What the page of a book says first, who says what, its relatives, and what it tells programs."""

import html
import re
from urllib.parse import parse_qs

import pytest
from msgspec.structs import replace

from aggregator.merge import merge
from metadata.record import Agent, File, Host, Item, Subject, Title
from tests.aggregator.views.shelf import KOKORO

EN = {"accept-language": "en"}


@pytest.fixture
def page_of(client, shelf, library, archive):
    """The page of descriptions by two providers in turn, merged."""

    def show(*records) -> str:
        sources = [shelf.record((library, archive)[place % 2], each) for place, each in enumerate(records)]
        shelf.book(*sources, record=merge(list(records)))
        return client.get(f"/books/{sources[0].public_id}", headers=EN).text

    return show


def test_title_makers_and_edition_stand_before_where_to_find_it(page_of):
    page = page_of(KOKORO)
    heading = page[page.index('<header class="heading">') : page.index('id="holdings"')]
    for text in ("こころ", "夏目漱石", "岩波書店", "1989", "改版"):
        assert text in heading


def test_a_full_text_is_offered_first_and_a_dangerous_address_is_not(page_of):
    files = (File(uri="https://x.example.jp/1.pdf", type="fulltext"), File(uri="javascript:alert(1)", type="fulltext"))
    page = page_of(replace(KOKORO, files=files))
    assert page.index("Read the full text") < page.index("Where to find it")
    assert page.count("Read the full text") == 1


def test_descriptions_that_agree_are_said_so_once(page_of):
    page = page_of(KOKORO, KOKORO)
    assert "which contradict each other nowhere" in page
    assert "Others say otherwise" not in page
    assert "Who says what" not in page


def test_one_description_has_nobody_to_agree_with(page_of):
    assert "descriptions" not in page_of(KOKORO)


def test_who_says_otherwise_is_named_with_the_way_to_its_record(page_of):
    page = page_of(KOKORO, KOKORO, replace(KOKORO, issued="1990"))
    [said] = re.findall(r'<li class="apart">(.*?)</li>', page)
    assert "1990" in said
    assert "Sample City Library" in said
    assert "?source=1" in said
    assert "Where they differ" in page


def test_a_provider_is_named_once_for_what_several_of_its_records_say(page_of):
    page = page_of(KOKORO, KOKORO, replace(KOKORO, issued="1990"), KOKORO, replace(KOKORO, issued="1990"))
    [said] = re.findall(r'<li class="apart">(.*?)</li>', page)
    assert said.count("Sample City Library") == 1


def test_names_in_kanji_stand_at_the_top_as_they_are_spoken(page_of):
    page = page_of(replace(KOKORO, creators=(Agent(name="夏目, 漱石, 1867-1916"), Agent(name="Keene, Donald, 1922-"))))
    heading = page[page.index('<header class="heading">') : page.index('id="holdings"')]
    assert ">夏目漱石</a>" in heading
    assert ">Keene, Donald</a>" in heading


def test_many_records_are_folded_away(page_of):
    page = page_of(*[KOKORO] * 12)
    assert "4 more records" in page
    assert page.count("#payload") == 12


def test_a_subject_of_one_provider_is_marked_more_quietly(page_of):
    page = page_of(KOKORO, replace(KOKORO, subjects=(Subject(value="小説"),)), KOKORO)
    assert "Others say otherwise" not in page
    page = page_of(
        replace(KOKORO, subjects=(Subject(value="小説"),)),
        replace(KOKORO, subjects=(Subject(value="小説"), Subject(value="恋愛"))),
    )
    assert "Who says what" in page
    assert "Others say otherwise" not in page


def test_many_copies_of_one_provider_are_folded_away(page_of):
    items = tuple(Item(holding_agent=f"分館{n}", call_number=f"913/{n}") for n in range(60))
    page = page_of(replace(KOKORO, items=items))
    assert page.count('<li class="holding">') == 60
    assert page.count('<li class="shelf">') == 1
    assert "56 more copies" in page


def test_a_copy_has_its_own_link_where_that_leads_elsewhere(page_of):
    items = (
        Item(holding_agent="本館", see_also=("https://library.example.jp/1",)),
        Item(holding_agent="分館", see_also=("https://library.example.jp/2",)),
    )
    page = page_of(replace(KOKORO, items=items))
    assert page.count('href="https://library.example.jp/1"') == 1
    assert page.count('href="https://library.example.jp/2"') == 1


def test_a_long_text_can_be_opened_and_a_short_one_is_there(page_of):
    page = page_of(replace(KOKORO, abstracts=("あ" * 5000,), notes=("短い注記",)))
    assert '<details class="long">' in page
    assert "あ" * 5000 in page
    assert page.count('<details class="long">') == 1


def test_other_volumes_and_editions_of_the_work_are_listed_apart(client, shelf, library):
    one, two, old = (
        replace(KOKORO, volumes=(Title(value=volume),), issued=year)
        for volume, year in (("上", "1989"), ("下", "1990"), ("上", "1950"))
    )
    books = [shelf.book(shelf.record(library, each), record=each) for each in (one, two, old)]
    type(books[0]).objects.update(work=books[0].pk)
    page = client.get(f"/books/{books[0].members.get().source_record.public_id}", headers=EN).text
    volumes, editions = page.index("Other volumes"), page.index("Other editions")
    assert "下" in page[volumes:editions]
    assert "1950" in page[editions:]


def test_references_are_there_to_be_copied(page_of):
    page = page_of(KOKORO)
    assert "夏目漱石. こころ. 改版, 岩波書店, 1989, ISBN 978-4-00-310111-7." in page
    assert "夏目漱石. (1989). <i>こころ</i> (改版). 岩波書店." in page


def test_programs_find_coins_and_highwire_tags(page_of):
    article = replace(KOKORO, host=Host(title="図書", volume="3", pages="1-9"), items=(), material_types=())
    page = page_of(replace(article, titles=(Title(value='論文 "と" <b>'),)))
    [coins] = re.findall(r'<span class="Z3988" title="([^"]*)"></span>', page)
    found = parse_qs(html.unescape(coins))
    assert (found["rft.atitle"], found["rft.jtitle"]) == (['論文 "と" <b>'], ["図書"])
    assert '<meta name="citation_journal_title" content="図書">' in page
    assert '<meta name="citation_title" content="論文 &quot;と&quot; &lt;b&gt;">' in page


def test_searches_from_a_name_leave_out_its_dates_and_from_a_publisher_its_legal_form(page_of):
    page = page_of(
        replace(
            KOKORO,
            creators=(Agent(name="夏目, 漱石, 1867-1916"),),
            publishers=(Agent(name="(株)見本社"),),
            subjects=(Subject(value="913.6", scheme="NDC9"),),
            series=(Title(value="見本文庫 ; 12"),),
        )
    )
    for found in ("creator=%E5%A4%8F%E7%9B%AE%2C+%E6%BC%B1%E7%9F%B3", "publisher=%E8%A6%8B%E6%9C%AC%E7%A4%BE"):
        assert f'href="/search?{found}"' in page
    assert 'href="/search?ndc=913.6"' in page
    assert 'href="/search?q=%E8%A6%8B%E6%9C%AC%E6%96%87%E5%BA%AB"' in page


def test_each_source_tells_how_many_findings_it_has(client, shelf, library):
    source = shelf.record(library)
    shelf.book(source)
    shelf.issue(source, "dcndl.W012", "warning")
    shelf.issue(source, "dcndl.E003", "item_error")
    shelf.issue(source, "dcndl.I001", "information")
    page = client.get(f"/books/{source.public_id}", headers=EN).text
    assert f'href="/books/{source.public_id}?source=1#findings" rel="nofollow">2 findings' in page
