"""Planning the import of providers as rows."""

import pytest

from harvesting.registry.bulk import plan

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("number", ["R1", "R9000000012"])
def test_a_number_of_the_wrong_form_is_one_error_that_says_what_is_right(number):
    [change] = plan([{"number": number, "name": "見本図書館"}])
    [error] = change.errors
    assert "R900000001" in error


def test_a_number_that_was_never_issued_is_accepted():
    [change] = plan([{"number": "R900000001", "name": "見本図書館"}])
    assert change.errors == []
