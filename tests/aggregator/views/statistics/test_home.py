"""The start page shows what the catalogue holds by the daily counts, and says nothing false without them."""

import re
from dataclasses import replace

import msgspec
import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from aggregator.covers.drawing import CREAM, INK, OF_DIVISION
from aggregator.statistics.contents import count_contents
from aggregator.statistics.figures import WholeFigures
from aggregator.statistics.home import class_tiles
from metadata.record import Subject, Title
from tests.aggregator.views.shelf import KOKORO
from tests.paths import ROOT


def _record(number: str, year: int, **fields):
    subjects = (Subject(scheme="NDC10", value=f"{number}10"),) if number else ()
    return msgspec.structs.replace(KOKORO, subjects=subjects, issued=str(year), **fields)


@pytest.fixture
def filled(shelf, library):
    """Books of three classes from five decades, one of them readable online."""
    city = shelf.library("市立図書館", "100001", prefecture="13")
    for year, number in ((1981, "9"), (1995, "9"), (2004, "2"), (2012, ""), (2021, "9")):
        shelf.book(shelf.record(library), record=_record(number, year), libraries=[city])
    readable = _record("4", 2022, titles=(Title(value="光の本"),), access_rights=("open access",))
    shelf.book(shelf.record(library), record=readable)
    count_contents(timezone.now())


def test_the_landscape_leads_to_the_decades(client, filled):
    page = client.get("/en/").content.decode()
    assert '<path class="class-9"' in page
    assert re.search(r'href="/search\?from=1980&amp;until=1989"[^>]*aria-label="1980s: 1"', page)


def test_classes_are_tiles_that_lead_to_their_books(client, filled):
    page = client.get("/en/").content.decode()
    tiles = re.findall(r'<a href="(/search\?ndc=\d)" rel="nofollow" aria-label="([^"]+)"', page)
    assert tiles[0] == ("/search?ndc=9", "9 Literature: 3")
    assert len(tiles) == 3 * 3  # once for each kind of screen


@pytest.mark.parametrize(
    ("counts", "place"),
    [
        (
            {"9": 560, "0": 190, "7": 180, "3": 55, "2": 41, "4": 37, "1": 35, "8": 29, "5": 20, "6": 5},
            ' x="50%" text-anchor="middle"',
        ),
        ({"9": 5, "6": 5}, ' x="10"'),
    ],
)
def test_the_number_of_a_narrow_class_is_not_cut(counts, place):
    [drawn, *_others] = class_tiles(WholeFigures(0, 0, {"class": counts}, timezone.now(), {}))
    [tile] = [tile for tile in drawn.tiles if tile.number == "6"]
    page = render_to_string("search/class_tiles.html", {"drawn": replace(drawn, tiles=(tile,))})
    assert f'<text class="digit"{place}' in page


def test_shelves_of_the_newest_and_of_what_can_be_read_online(client, filled):
    page = client.get("/en/").content.decode()
    newest, readable = (page.split(f'aria-labelledby="{name}"')[-1] for name in ("newest", "readable"))
    assert newest.index("光の本") < newest.index("こころ")
    assert "光の本" in readable
    assert "1 title that can be read online" in page


def test_the_map_has_the_libraries(client, filled):
    assert 'href="/libraries/?region=13"' in client.get("/en/").content.decode()


def test_a_fresh_site_shows_no_counts(client, db):
    page = client.get("/en/").content.decode()
    assert "Browse by class" in page
    assert 'class="class-tiles' not in page
    for heading in ("Through the years", "New in the catalogue", "To read online now", "Libraries by region"):
        assert heading not in page


def test_books_that_were_not_counted_yet_are_on_the_shelf_only(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/en/").content.decode()
    assert "New in the catalogue" in page
    assert "Statistics of the catalogue" not in page


def test_the_number_of_queries_does_not_grow(client, filled, shelf, library, django_assert_max_num_queries):
    for _number in range(10):
        shelf.book(shelf.record(library))
    with django_assert_max_num_queries(4):
        client.get("/en/")


def test_covers_and_plots_have_the_same_colours():
    style = (ROOT / "static" / "css" / "plots.css").read_text(encoding="utf-8")
    for division, colours in OF_DIVISION.items():
        name = f"class-{division or 'none'}"
        assert f"--{name}: light-dark({colours.cloth}, {colours.tint});" in style
        assert f".{name} {{ fill: var(--{name});" in style
    assert f"--on-class: light-dark({CREAM}, {INK});" in style


@pytest.mark.parametrize("division", OF_DIVISION)
def test_texts_on_the_tiles_can_be_read(division):
    assert _contrast(OF_DIVISION[division].cloth, CREAM) >= 4.5
    assert _contrast(OF_DIVISION[division].tint, INK) >= 4.5


def _contrast(first: str, second: str) -> float:
    """Contrast as in WCAG 2."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
