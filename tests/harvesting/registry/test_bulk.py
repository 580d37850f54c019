"""Planning the import of providers as rows."""

import pytest

from harvesting.models import Feed, Repository
from harvesting.registry.bulk import SAME, carry_out, plan, rows_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("number", ["R1", "R9000000012"])
def test_a_number_of_the_wrong_form_is_one_error_that_says_what_is_right(number):
    [change] = plan([{"number": number, "name": "見本図書館"}])
    [error] = change.errors
    assert "R900000001" in error


def test_a_number_that_was_never_issued_is_accepted():
    [change] = plan([{"number": "R900000001", "name": "見本図書館"}])
    assert change.errors == []


def test_options_of_live_sources_are_exported_and_imported():
    made = Repository.objects.create(number="R900000001", name="見本大学")
    options = {"known_item": "門", "indexes": {"any": "", "title": "dc.title"}, "rate": 2.0}
    Feed.objects.create(
        repository=made,
        protocol="live-sru",
        base_url="https://sru.example.jp/",
        metadata_prefix="",
        live_options=options,
    )
    [row] = rows_of(Repository.objects.all())
    row = {name: str(value) for name, value in row.items()}
    assert [change.outcome for change in plan([row])] == [SAME]
    [change] = plan([{**row, "live_options": '{"known_item": "こころ", "rate": 0.5}'}])
    assert carry_out([change], None) == 1
    assert Feed.objects.get().live_options == {"known_item": "こころ", "rate": 0.5}


@pytest.mark.parametrize("options", ['{"indexes": {"title": "a or b"}}', '{"unknown": 1}', '{"rate": "x"}', "[]", "x"])
def test_options_that_cannot_be_used_are_refused(options):
    row = {"number": "", "name": "見本大学", "base_url": "https://sru.example.jp/", "protocol": "live-sru"}
    [change] = plan([{**row, "live_options": options}])
    assert change.errors
