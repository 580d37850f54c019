"""The page of a book: its heading, differences between providers, other editions, and data for programs."""

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
    """Return the page of these descriptions, by two providers in turn, merged."""

    def show(*records) -> str:
        sources = [shelf.record((library, archive)[place % 2], record) for place, record in enumerate(records)]
        shelf.book(*sources, record=merge(list(records)))
        return client.get(f"/books/{sources[0].public_id}", headers=EN).text

    return show


def test_title_creators_and_edition_are_above_the_holdings(page_of):
    page = page_of(KOKORO)
    heading = page[page.index('<header class="heading">') : page.index('id="holdings"')]
    for text in ("こころ", "夏目漱石", "岩波書店", "1989", "改版"):
        assert text in heading


def test_full_texts_come_first_and_unsafe_addresses_are_not_linked(page_of):
    files = (File(uri="https://x.example.jp/1.pdf", type="fulltext"), File(uri="javascript:alert(1)", type="fulltext"))
    page = page_of(replace(KOKORO, files=files))
    assert page.index("Read the full text") < page.index("Where to find it")
    assert page.count("Read the full text") == 1


def test_agreement_of_all_descriptions_is_stated_once(page_of):
    page = page_of(KOKORO, KOKORO)
    assert "that do not contradict each other" in page
    assert "Descriptions differ" not in page
    assert "Descriptions by provider" not in page


def test_a_single_description_has_no_note_about_agreement(page_of):
    assert "descriptions" not in page_of(KOKORO)


def test_a_differing_value_is_shown_with_a_link_to_its_record(page_of):
    page = page_of(KOKORO, KOKORO, replace(KOKORO, issued="1990"))
    [variant] = re.findall(r'<li class="apart">(.*?)</li>', page)
    assert "1990" in variant
    assert "Sample City Library" in variant
    assert "?source=1" in variant
    assert "Where they differ" in page


def test_a_provider_is_named_once_for_several_records(page_of):
    page = page_of(KOKORO, KOKORO, replace(KOKORO, issued="1990"), KOKORO, replace(KOKORO, issued="1990"))
    [variant] = re.findall(r'<li class="apart">(.*?)</li>', page)
    assert variant.count("Sample City Library") == 1


def test_names_in_the_heading_have_no_dates(page_of):
    page = page_of(replace(KOKORO, creators=(Agent(name="夏目, 漱石, 1867-1916"), Agent(name="Keene, Donald, 1922-"))))
    heading = page[page.index('<header class="heading">') : page.index('id="holdings"')]
    assert ">夏目漱石</a>" in heading
    assert ">Keene, Donald</a>" in heading


def test_many_source_records_are_folded(page_of):
    page = page_of(*[KOKORO] * 12)
    assert "4 more records" in page
    assert page.count("#payload") == 12


def test_an_additional_subject_is_no_contradiction(page_of):
    page = page_of(KOKORO, replace(KOKORO, subjects=(Subject(value="小説"),)), KOKORO)
    assert "Descriptions differ" not in page
    page = page_of(
        replace(KOKORO, subjects=(Subject(value="小説"),)),
        replace(KOKORO, subjects=(Subject(value="小説"), Subject(value="恋愛"))),
    )
    assert "Descriptions by provider" in page
    assert "Descriptions differ" not in page


def test_many_copies_of_one_library_are_folded(page_of):
    items = tuple(Item(holding_agent="本館", call_number=f"913/{n}") for n in range(60))
    page = page_of(replace(KOKORO, items=items))
    assert page.count('<li class="holding">') == 60
    assert page.count('<li class="shelf">') == 1
    assert "56 more copies" in page


def test_of_many_libraries_the_page_shows_the_first_and_links_to_the_others(page_of):
    items = tuple(Item(holding_agent=f"分館{n}", call_number=f"913/{n}") for n in range(60))
    page = page_of(replace(KOKORO, items=items))
    assert page.count('<li class="shelf">') == 8
    assert "60 libraries" in page and "52 more libraries" in page


def test_a_few_libraries_are_all_on_the_page(page_of):
    items = tuple(Item(holding_agent=f"分館{n}", call_number=f"913/{n}") for n in range(12))
    page = page_of(replace(KOKORO, items=items))
    assert page.count('<li class="shelf">') == 12
    assert "data-total" not in page


def test_a_copy_has_its_own_link_if_it_differs(page_of):
    items = (
        Item(holding_agent="本館", see_also=("https://library.example.jp/1",)),
        Item(holding_agent="分館", see_also=("https://library.example.jp/2",)),
    )
    page = page_of(replace(KOKORO, items=items))
    assert page.count('href="https://library.example.jp/1"') == 1
    assert page.count('href="https://library.example.jp/2"') == 1


def test_only_long_texts_are_folded(page_of):
    page = page_of(replace(KOKORO, abstracts=("あ" * 5000,), notes=("短い注記",)))
    assert '<details class="long">' in page
    assert "あ" * 5000 in page
    assert page.count('<details class="long">') == 1


def test_other_volumes_and_other_editions_are_separate_lists(client, shelf, library):
    one, two, old = (
        replace(KOKORO, volumes=(Title(value=volume),), issued=year)
        for volume, year in (("上", "1989"), ("下", "1990"), ("上", "1950"))
    )
    books = [shelf.book(shelf.record(library, record), record=record) for record in (one, two, old)]
    type(books[0]).objects.update(work=books[0].pk)
    page = client.get(f"/books/{books[0].members.get().source_record.public_id}", headers=EN).text
    volumes, editions = page.index("Other volumes"), page.index("Other editions")
    assert "下" in page[volumes:editions]
    assert "1950" in page[editions:]


def test_references_can_be_copied(page_of):
    page = page_of(KOKORO)
    assert "夏目漱石. こころ. 改版, 岩波書店, 1989, ISBN 978-4-00-310111-7." in page
    assert "夏目漱石. (1989). <i>こころ</i> (改版). 岩波書店." in page


def test_programs_find_coins_and_highwire_tags(page_of):
    article = replace(KOKORO, host=Host(title="図書", volume="3", pages="1-9"), items=(), material_types=())
    page = page_of(replace(article, titles=(Title(value='論文 "と" <b>'),)))
    [coins] = re.findall(r'<span class="Z3988" title="([^"]*)"></span>', page)
    keys = parse_qs(html.unescape(coins))
    assert (keys["rft.atitle"], keys["rft.jtitle"]) == (['論文 "と" <b>'], ["図書"])
    assert '<meta name="citation_journal_title" content="図書">' in page
    assert '<meta name="citation_title" content="論文 &#34;と&#34; &lt;b&gt;">' in page


def test_nothing_that_the_page_says_elsewhere_is_repeated_among_the_fields(page_of):
    held, other = "https://library.example.jp/1", "https://other.example.jp/1"
    items = (Item(holding_agent="本館", see_also=(held,)),)
    page = page_of(replace(KOKORO, items=items, see_also=(held, other), notes=(KOKORO.title, "挿絵あり")))
    fields = page[page.index('<dl class="rows">') :]
    assert (held in fields, other in fields) == (False, True)
    assert re.findall(r"<dt>Note</dt>\s*<dd[^>]*>(.*?)</dd>", fields, re.DOTALL) == ["挿絵あり"]


def test_links_to_searches_omit_dates_and_legal_forms(page_of):
    page = page_of(
        replace(
            KOKORO,
            creators=(Agent(name="夏目, 漱石, 1867-1916"),),
            publishers=(Agent(name="(株)見本社"),),
            subjects=(Subject(value="913.6", scheme="NDC9"),),
            series=(Title(value="見本文庫 ; 12"),),
        )
    )
    for query in ("creator=%E5%A4%8F%E7%9B%AE%2C+%E6%BC%B1%E7%9F%B3", "publisher=%E8%A6%8B%E6%9C%AC%E7%A4%BE"):
        assert f'href="/search?{query}"' in page
    assert 'href="/search?ndc=913.6"' in page
    assert 'href="/search?q=%E8%A6%8B%E6%9C%AC%E6%96%87%E5%BA%AB"' in page


def test_each_source_record_has_the_number_of_its_issues(client, shelf, library):
    source = shelf.record(library)
    shelf.book(source)
    shelf.issue(source, "dcndl.W012", "warning")
    shelf.issue(source, "dcndl.E003", "item_error")
    shelf.issue(source, "dcndl.I001", "information")
    page = client.get(f"/books/{source.public_id}", headers=EN).text
    assert f'href="/books/{source.public_id}?source=1#findings" rel="nofollow">2 issues' in page


def test_where_to_find_it_comes_before_the_details(page_of):
    page = page_of(KOKORO)
    assert page.index('class="cover"') < page.index('id="holdings"') < page.index('id="details"')


def test_other_sites_show_title_names_and_a_picture_if_the_record_names_one(page_of):
    page = page_of(replace(KOKORO, volumes=(Title(value="上"),)))
    shown = dict(re.findall(r'<meta property="((?:og|book):[a-z_]+)" content="([^"]*)">', page))
    assert (shown["og:type"], shown["og:title"], shown["book:isbn"]) == ("book", "こころ 上", "9784003101117")
    assert shown["og:description"] == "夏目漱石 · 岩波書店 · 1989"
    assert "og:image" not in shown  # a drawn cover is no picture for other sites
    assert 'property="og:image"' in page_of(replace(KOKORO, thumbnails=("https://x.example.jp/1.jpg",)))


def test_one_menu_has_every_form_of_the_book(page_of):
    page = page_of(KOKORO)
    [menu] = re.findall(r'<details class="menu exports">(.*?)</details>', page, re.DOTALL)
    for ending in (".ris", ".bib", ".csl.json", ".rdf", ".jsonld", ".json"):
        assert re.search(rf'href="/books/[^"]+{re.escape(ending)}"', menu), ending


def test_citations_and_the_address_have_buttons_that_copy_them(page_of):
    page = page_of(KOKORO)
    targets = re.findall(r'data-copy="([^"]+)"', page)
    assert targets == ["reference-1", "reference-2", "permalink"]
    assert all(page.count(f'id="{target}"') == 1 for target in targets)


def test_images_are_linked_at_the_provider(page_of):
    files = (File(uri="https://x.example.jp/manifest.json", type="iiif"),)
    items = (Item(holding_agent="中央図書館", see_also=("https://x.example.jp/1",)),)
    page = page_of(replace(KOKORO, files=files, items=items))
    heading = page[page.index('<header class="heading">') : page.index("</header>", page.index("heading"))]
    assert 'href="https://x.example.jp/1"' in heading and 'href="https://x.example.jp/manifest.json"' in heading
