"""Shapes of values: alike for the same mistake, and findable again by an expression."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvesting.issues.shapes import MOST, expression, shape


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("978-4-00", "999-9-99"),
        ("昭和50年", "漢99漢"),
        ("Tokyo: Kodansha", "Aa:␣Aa"),
        ("ノルウェイの森 下巻", "アあ漢␣漢"),
        ("９１１．１６８", "９９９．９９９"),
        ("199X", "999A"),
        ("", ""),
        ("1" * 30, "9" * MOST + "…"),
        ("a1" * 15, "a9" * (MOST // 2) + "…"),
    ],
)
def test_the_shape_of_a_value(value, expected):
    assert shape(value) == expected


@given(st.text(st.sampled_from("0９Zzあア漢 \n\u3000-.[]()…α\\^"), max_size=60), st.text("0zア漢-", max_size=60))
def test_an_expression_finds_exactly_the_values_of_its_shape(value, other):
    found = re.compile(expression(shape(value)))
    assert found.search(value)
    assert bool(found.search(other)) == (shape(other) == shape(value))


def test_an_expression_of_any_shape_takes_a_bounded_time():
    start = time.process_time()
    re.search(expression("漢" * 24), "漢" * 100_000 + "x")
    re.search(expression("漢a" * 12), "漢a" * 50_000 + "1")
    assert time.process_time() - start < 1
