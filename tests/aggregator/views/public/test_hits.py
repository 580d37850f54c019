"""What a results page prints of a book, and of a work with several volumes."""

import re
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from metadata.record import Agent, File, Title
from tests.aggregator.views.shelf import KOKORO

EN = {"accept-language": "en"}


@dataclass
class Searched:
    """Puts records on the shelf and returns the results page."""

    client: object
    shelf: object
    library: object

    def __call__(self, *records, q="こころ", same_work=False) -> str:
        books = [self.shelf.book(self.shelf.record(self.library, record), record=record) for record in records]
        if same_work:
            type(books[0]).objects.update(work=books[0].pk)
        return self.client.get(f"/search?q={q}", headers=EN).text


@pytest.fixture
def search(client, shelf, library) -> Searched:
    return Searched(client, shelf, library)


def volume(label: str):
    return replace(KOKORO, volumes=(Title(value=label),))


def test_results_print_names_without_the_dates_of_headings(search):
    page = search(replace(KOKORO, creators=(Agent(name="夏目, 漱石, 1867-1916"),)))
    assert ">夏目漱石<" in page
    assert "1867" not in page


def test_the_work_heads_its_volumes_which_are_links_in_order(search):
    page = search(volume("下"), volume("上"), volume("中"), same_work=True)
    [heading] = re.findall(r"<h3><a[^>]*>(.*?)</a></h3>", page.partition('class="plain hit-list"')[2])
    assert re.sub(r"<[^>]*>", "", heading) == "こころ"
    assert re.findall(r"</span>([上中下])<span", page) == ["上", "中", "下"]
    assert "All editions and volumes" not in page  # all of them are shown
    assert page.count('data-save="') == 1


def test_an_edition_that_is_no_volume_is_listed_below_the_volumes(search):
    page = search(volume("下"), volume("上"), replace(KOKORO, issued="1950"), same_work=True)
    assert page.index('class="plain volumes"') < page.index("Same work") < page.index("1950", page.index("Same work"))


@pytest.mark.parametrize(
    ("title", "reading", "q", "is_shown"),
    [
        ("こころ", "ココロ", "こころ", False),
        ("羅生門", "ラショウモン", "羅生門", True),  # in kanji alone
        ("吾輩は猫である", "ワガハイ ワ ネコ デ アル", "猫", False),
        ("吾輩は猫である", "ワガハイ ワ ネコ デ アル", "わがはい", True),  # the title does not show why it was found
        ("1Q84", "イチ キュー ハチ ヨン", "1Q84", False),
    ],
)
def test_the_reading_is_printed_where_it_helps(search, title, reading, q, is_shown):
    page = search(replace(KOKORO, titles=(Title(value=title, transcription=reading),)), q=q)
    assert ('class="reading"' in page) is is_shown


def test_what_can_be_read_at_once_is_linked_and_unsafe_addresses_are_not(search):
    assert "Read it now" not in search(replace(KOKORO, files=(File(uri="javascript:alert(1)", type="fulltext"),)))
    readable = replace(KOKORO, files=(File(uri="https://x.example.jp/1.pdf", type="fulltext"),))
    assert '<a class="now-read out" href="https://x.example.jp/1.pdf"' in search(readable)
