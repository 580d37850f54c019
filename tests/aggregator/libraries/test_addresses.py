"""The address of a library's page."""

from aggregator.libraries.addresses import library_path, library_url


def test_a_library_is_addressed_by_its_number(settings):
    settings.PUBLIC_URL = "https://catalogue.example.jp"
    assert library_path(12) == "/libraries/L12"
    assert library_url(12) == "https://catalogue.example.jp/libraries/L12"


def test_a_library_that_is_not_in_the_table_has_no_address():
    assert library_path(0) == library_url(0) == ""
