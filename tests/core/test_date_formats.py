"""How dates are written."""

import datetime

import pytest
from django.utils import translation
from django.utils.formats import date_format

AFTERNOON = datetime.datetime(2026, 3, 4, 15, 7)  # noqa: DTZ001 written as it is


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("DATETIME_FORMAT", "March 4, 2026, 15:07"),
        ("SHORT_DATETIME_FORMAT", "2026-03-04 15:07"),
        ("TIME_FORMAT", "15:07"),
        ("DATE_FORMAT", "March 4, 2026"),
    ],
)
def test_english_has_24_hours(form, written):
    with translation.override("en"):
        assert date_format(AFTERNOON, form) == written


def test_japanese_is_as_django_writes_it():
    with translation.override("ja"):
        assert date_format(AFTERNOON, "DATETIME_FORMAT") == "2026年3月4日15:07"
