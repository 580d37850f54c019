"""Geometry of plots: what is drawn is in proportion to the numbers, and inside the box."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plots import PERCENT
from core.plots.areas import WIDTH, areas
from core.plots.columns import HEIGHT, Datum, columns
from core.plots.scale import length, ticks, top_of
from core.plots.tiles import tiles

COUNTS = st.lists(st.integers(0, 10**7), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("most", "top", "step"),
    [(1, 1, 1), (3, 3, 1), (7, 8, 2), (40, 40, 10), (41, 60, 20), (1_234, 1_500, 500), (999_999, 1_000_000, 500_000)],
)
def test_an_axis_ends_at_a_round_number(most, top, step):
    assert top_of(most) == (top, step)


def test_the_lines_of_an_axis_are_at_their_numbers():
    assert [(tick.value, tick.y) for tick in ticks(40, 200)] == [(10, 150), (20, 100), (30, 50), (40, 0)]


def test_a_small_count_is_visible_and_none_is_not():
    assert length(1, 1_000_000, 100) > 0
    assert length(0, 1_000_000, 100) == 0
    assert length(0, 0, 100) == 0


def test_a_column_of_two_parts_is_as_high_as_their_sum():
    drawn = columns([Datum(label="1990", counts=(10, 30)), Datum(label="2000", counts=(0, 20))])
    first, second = (column.parts for column in drawn.columns)
    assert [(part.series, part.y, part.height) for part in first] == [(0, 150, 50), (1, 0, 150)]
    assert [(part.series, part.y, part.height) for part in second] == [(1, 100, 100)]


def test_few_labels_are_written_below_many_columns_and_the_last_is_one_of_them():
    drawn = columns([Datum(label=str(year), counts=(1,)) for year in range(1900, 2024)]).columns
    assert sum(column.named for column in drawn) <= 6
    assert drawn[-1].named


def test_on_a_narrow_screen_every_second_label_is_left_out_and_the_outer_ones_stay_inside():
    drawn = columns([Datum(label=f"{decade}s", counts=(1,)) for decade in range(1870, 2030, 10)]).columns
    named = [column for column in drawn if column.named]
    assert [column.is_spare for column in named] == [True, False, True, False, True, False]
    assert (named[-1].label_x, named[-1].label_anchor) == (PERCENT, "end")
    assert (drawn[0].label_x, drawn[0].label_anchor) == (0, "start")
    assert columns([Datum(label="2026", counts=(1,))], fewest=8).columns[0].label_anchor == "middle"


@given(COUNTS)
def test_columns_stay_inside_the_drawing(counts):
    for column in columns([Datum(label="", counts=(count, count // 2)) for count in counts]).columns:
        assert 0 <= column.middle <= PERCENT
        assert column.slot.end <= PERCENT + 0.1
        assert all(part.y >= 0 and part.y + part.height <= HEIGHT + 0.01 for part in column.parts)


def test_areas_lie_upon_each_other():
    lower, upper = areas([[0, 10], [0, 10]], 100)
    assert lower == "M0 100H250C500 100 500 50 750 50H1000L1000 100H750H250H0Z"
    assert upper == "M0 100H250C500 100 500 0 750 0H1000L1000 50H750C500 50 500 100 250 100H0Z"


@given(st.lists(COUNTS, min_size=1, max_size=5))
def test_areas_stay_inside_the_drawing(series):
    shortest = min(map(len, series))
    for path in areas([counts[:shortest] for counts in series], 100):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", path)]
        assert all(-0.1 <= number <= WIDTH for number in numbers)


@given(COUNTS)
def test_tiles_are_in_proportion_and_fill_the_rectangle(counts):
    found = tiles(counts, 600, 300)
    assert sorted(tile.place for tile in found) == [place for place, count in enumerate(counts) if count]
    for tile in found:
        area = 600 * 300 * counts[tile.place] / sum(counts)
        assert tile.width * tile.height == pytest.approx(area, rel=0.01, abs=12)
        assert tile.x >= -0.01 and tile.x + tile.width <= 600.1
        assert tile.y >= -0.01 and tile.y + tile.height <= 300.1


def test_tiles_of_nothing_are_none():
    assert tiles([0, 0], 600, 300) == ()


def test_long_names_do_not_extend_beyond_the_edges_and_only_their_beginning_is_written():
    names = ["Sample Prefectural Central Library", "Others", "その他の図書館・室"]
    first, middle, last = columns([Datum(label=name, counts=(1,)) for name in names]).columns
    assert (first.written, first.label_anchor) == ("Sample Prefec…", "start")
    assert (middle.written, middle.label_anchor) == ("Others", "middle")
    assert (last.written, last.label_anchor) == ("その他の図書館・室", "end")
    assert first.datum.label == names[0]
