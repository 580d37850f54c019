"""What is stored under the e-mail address of a reader is erased, or forgotten after some time."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from aggregator.erasing.surroundings import ErasedReader, erase_reader
from aggregator.models import ErrorReport, SearchAlert
from aggregator.review import retention

pytestmark = pytest.mark.django_db
ADDRESS = "reader@example.jp"


def report(**values) -> ErrorReport:
    return ErrorReport.objects.create(public_id="R900000001-Ia", kind="other", text="x", email=ADDRESS, **values)


def test_alerts_and_the_address_in_reports_are_erased_and_the_words_stay():
    SearchAlert.objects.create(address=ADDRESS, search="q=a", language="ja", due=timezone.now())
    other = SearchAlert.objects.create(address="b@example.jp", search="q=a", language="ja", due=timezone.now())
    report()
    assert erase_reader("Reader@Example.jp ") == ErasedReader(alerts=1, reports=1)
    assert list(SearchAlert.objects.all()) == [other]
    assert list(ErrorReport.objects.values_list("email", "text")) == [("", "x")]


def test_the_command_takes_an_address(capsys):
    report()
    call_command("erase", ADDRESS, json=True)
    assert '"reports": 1' in capsys.readouterr().out


def test_addresses_are_forgotten_some_time_after_a_report_was_handled():
    now = timezone.now()
    for handled in (None, now, now - retention.KEPT - timedelta(days=1)):
        report(handled=handled)
    assert retention.forget(now) == 1
    assert sorted(ErrorReport.objects.values_list("email", flat=True)) == ["", ADDRESS, ADDRESS]
