"""Years as decades and as bars."""

from aggregator.results.years import BARS, HEIGHT, WIDTH, Span, bars, decades, within_decade

EVER = Span(0, 0)


def test_decades_are_counted_newest_first():
    assert decades({1989: 2, 1980: 1, 2001: 5}) == {Span(2000, 2009): 5, Span(1980, 1989): 3}


def test_bars_stand_for_every_decade_in_order_the_empty_ones_too():
    found = bars({1985: 4, 2005: 2}, EVER)
    assert [(each.span.first, each.count, each.height) for each in found] == [
        (1980, 4, HEIGHT),
        (1990, 0, 0),
        (2000, 2, HEIGHT / 2),
    ]


def test_what_is_long_ago_is_one_bar():
    found = bars({1600: 1, 1905: 3, 2021: 9}, EVER)
    assert len(found) == BARS
    assert (found[0].span, found[0].count) == (Span(0, 1939), 4)
    assert found[-1].end <= WIDTH


def test_one_hit_among_thousands_is_seen():
    assert min(each.height for each in bars({1980: 1, 1990: 90_000}, EVER)) > 0


def test_inside_a_decade_the_bars_are_years():
    found = bars({1985: 4, 1987: 1, 2005: 2}, Span(1980, 1989))
    assert [each.span for each in found if each.count] == [Span(1985, 1985), Span(1987, 1987)]
    assert len(found) == 10


def test_without_years_or_in_one_decade_only_there_is_nothing_to_draw():
    assert bars({}, EVER) == ()
    assert bars({1985: 4}, EVER) == ()


def test_a_choice_lies_in_a_decade_or_not():
    assert within_decade(Span(1985, 1985)) == Span(1980, 1989)
    assert within_decade(Span(1985, 1995)) is None
    assert within_decade(Span(0, 1995)) is None


def test_spans_meet_where_they_share_a_year():
    assert Span(0, 1939).meets(Span(1930, 0))
    assert not Span(1980, 1989).meets(Span(1990, 0))
    assert 1985 in Span(1980, 0)
    assert 1985 not in Span(0, 1980)
