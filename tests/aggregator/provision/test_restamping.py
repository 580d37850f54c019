"""After an update, records that are redistributed in another form are stamped again, in portions."""

import pytest

from aggregator.jobs import STAMPING
from aggregator.models import Provided, ProvidedCopy, ProvidedTerms
from aggregator.provision import copies, restamping, stamping
from aggregator.provision.stamping import stamp_pending
from aggregator.tasks import aggregate, stamp
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site before the update: four records of two providers, which are four books."""
    shelf = Shelf()
    for number in range(4):
        shelf.put("ab"[number % 2], str(number), record(str(number), title=f"本{number}"))
    aggregate()
    ProvidedTerms.objects.update(form=0)
    Provided.objects.update(stamp=1, digest=b"of the earlier form")
    monkeypatch.setattr(restamping, "PORTION", 2)


def stamped_again() -> int:
    return Provided.objects.filter(stamp__gt=1).count()


def test_every_run_stamps_a_portion_until_everything_is_stamped(catalogue: None) -> None:
    assert list(STAMPING.waiting()) == [("stamp", ())]
    counts = []
    while restamping.has_outdated() and len(counts) < 10:
        stamp()
        counts.append(stamped_again())
    assert counts == [4, 4, 8, 8]
    assert not list(STAMPING.waiting())


def test_a_new_site_has_nothing_to_stamp_again(catalogue: None) -> None:
    ProvidedTerms.objects.all().delete()
    list(stamp_pending())
    assert not restamping.has_outdated()
    assert stamped_again() == 0


def test_a_new_form_alone_stamps_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    for number in range(4):
        shelf.put("ab"[number % 2], str(number), record(str(number), title=f"本{number}"))
    aggregate()
    Provided.objects.update(stamp=1)
    ProvidedCopy.objects.update(stamp=1)
    aggregate()
    assert stamped_again() == 0
    for module in (restamping, stamping, copies):
        monkeypatch.setattr(module, "FORM", restamping.FORM + 1)
    while restamping.has_outdated():
        stamp()
    assert stamped_again() == 8
    assert not ProvidedCopy.objects.filter(stamp=1).exists()
