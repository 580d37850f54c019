"""Lists of headings: by letter, page by page, quick whatever their number."""

import pytest

from aggregator.browse import lists
from aggregator.browse.counting import current_run
from aggregator.browse.kinds import CREATOR
from aggregator.browse.letters import letter_of, sort_key
from aggregator.browse.lists import PAGE, Place
from metadata.record import Agent
from tests.aggregator.browse.conftest import SOSEKI, book


@pytest.mark.parametrize(
    ("label", "reading", "letter"),
    [
        ("夏目漱石", "ナツメ, ソウセキ", "ナ"),
        ("がん", "ガン", "カ"),
        ("ぱり", "", "ハ"),
        ("Émile", "", "E"),
        ("2001年", "", "0"),
        ("漢字", "", "_"),
        ("Толстой", "", "_"),
        ("!?", "", "_"),
    ],
)
def test_a_heading_is_listed_under_the_letter_of_its_reading(label, reading, letter):
    assert letter_of(sort_key(label, reading)) == letter


def pages(start: Place) -> list[list[str]]:
    found, place = [], start
    while place is not None:
        page = lists.page(current_run(), CREATOR, "ア", place)
        found.append([row.label for row in page.headings])
        place = page.after
    return found


def test_every_heading_is_on_exactly_one_page_in_the_order_of_readings(catalogue):
    names = [Agent(name=f"著者{n:03}", transcription=f"ア{'イウエ'[n % 3]}") for n in range(2 * PAGE + 5)]
    catalogue(*(book(name) for name in names), book(SOSEKI))
    found = pages(Place())
    assert [len(page) for page in found] == [PAGE, PAGE, 5]
    assert sorted(label for page in found for label in page) == sorted(name.name for name in names)


def test_the_page_before_is_the_one_that_led_here(catalogue):
    catalogue(*(book(Agent(name=f"著者{n:03}", transcription="ア")) for n in range(3 * PAGE)))
    second = lists.page(current_run(), CREATOR, "ア", Place()).after
    third = lists.page(current_run(), CREATOR, "ア", second).after
    assert lists.page(current_run(), CREATOR, "ア", third).before == second
    first = lists.page(current_run(), CREATOR, "ア", second).before
    assert lists.page(current_run(), CREATOR, "ア", first).headings[0].label == "著者000"
    assert lists.page(current_run(), CREATOR, "ア", Place()).before is None


def test_a_typed_beginning_leads_to_its_place(catalogue):
    catalogue(book(SOSEKI), book(Agent(name="中島敦", transcription="ナカジマ, アツシ")))
    letter, place = lists.place_of("なつ")
    assert letter == "ナ"
    assert [row.label for row in lists.page(current_run(), CREATOR, letter, place).headings] == ["夏目, 漱石"]


def test_the_largest_headings_come_first(catalogue):
    catalogue(book(SOSEKI), book(SOSEKI), book(Agent(name="中島敦")))
    assert [row.label for row in lists.largest(current_run(), CREATOR, 5)] == ["夏目, 漱石", "中島敦"]


def test_letters_are_all_there_with_their_headings(catalogue):
    catalogue(book(SOSEKI), book(Agent(name="中島敦", transcription="ナカジマ, アツシ")), book(Agent(name="Abe")))
    counted = {one.letter: one.headings for one in lists.letters(current_run(), CREATOR) if one.headings}
    assert counted == {"ナ": 2, "A": 1}
