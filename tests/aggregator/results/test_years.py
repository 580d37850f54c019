"""Years as decades and as bars."""

from aggregator.results.years import BARS, HEIGHT, WIDTH, Span, bars, decades, within_decade

EVER = Span(0, 0)


def test_decades_are_counted_newest_first():
    assert decades({1989: 2, 1980: 1, 2001: 5}) == {Span(2000, 2009): 5, Span(1980, 1989): 3}


def test_every_decade_has_a_bar_even_without_hits():
    found = bars({1985: 4, 2005: 2}, EVER)
    assert [(bar.span.first, bar.count, bar.height) for bar in found] == [
        (1980, 4, HEIGHT),
        (1990, 0, 0),
        (2000, 2, HEIGHT / 2),
    ]


def test_early_decades_share_one_bar():
    found = bars({1600: 1, 1905: 3, 2021: 9}, EVER)
    assert len(found) == BARS
    assert (found[0].span, found[0].count) == (Span(0, 1939), 4)
    assert found[-1].slot.end <= WIDTH


def test_a_bar_with_a_single_hit_is_visible():
    assert min(bar.height for bar in bars({1980: 1, 1990: 90_000}, EVER)) > 0


def test_within_a_decade_the_bars_are_years():
    found = bars({1985: 4, 1987: 1, 2005: 2}, Span(1980, 1989))
    assert [bar.span for bar in found if bar.count] == [Span(1985, 1985), Span(1987, 1987)]
    assert len(found) == 10


def test_no_years_or_a_single_decade_give_no_bars():
    assert bars({}, EVER) == ()
    assert bars({1985: 4}, EVER) == ()


def test_a_choice_of_years_may_be_within_one_decade():
    assert within_decade(Span(1985, 1985)) == Span(1980, 1989)
    assert within_decade(Span(1985, 1995)) is None
    assert within_decade(Span(0, 1995)) is None


def test_spans_meet_where_they_share_a_year():
    assert Span(0, 1939).meets(Span(1930, 0))
    assert not Span(1980, 1989).meets(Span(1990, 0))
    assert 1985 in Span(1980, 0)
    assert 1985 not in Span(0, 1980)
