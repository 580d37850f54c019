"""Erasing a provider takes its DOIs, their history, its deliveries and its agreement with it."""

import pytest

from aggregator.erasing.begin import begin
from aggregator.tasks import erase_providers
from harvesting.doi.deliveries import prepare
from harvesting.doi.states import check_changed
from harvesting.models import DoctoralThesis, DoiAgreement, DoiDelivery, DoiEvent, RequestedDoi, ThesisEvent
from harvesting.theses.states import check_changed as check_theses
from tests.harvesting.batches import new_feed
from tests.harvesting.doi.papers import harvest, new_provider, paper
from tests.harvesting.theses.theses import new_repository, received

pytestmark = pytest.mark.django_db


def test_the_dois_of_a_provider_go_and_those_of_others_stay():
    feed = new_provider()
    harvest(feed, paper("a"), paper("b"))
    harvest(new_feed(base_url="https://b.example.jp/oai", metadata_prefix="jpcoar"), paper("c"))
    check_changed()
    prepare(DoiAgreement.objects.get(), rehearsal=True)
    RequestedDoi.objects.filter(doi="10.14977/b").update(record=None)
    begin(feed.repository, None, "wish")
    assert erase_providers() in (0, 1)
    assert list(RequestedDoi.objects.values_list("doi", flat=True)) == ["10.14977/c"]
    assert DoiEvent.objects.count() == 1
    assert not DoiDelivery.objects.exists()
    assert not DoiAgreement.objects.exists()


def test_the_doctoral_theses_of_a_provider_go_too():
    feed = new_repository()
    harvest(feed, received("a"), received("b"))
    harvest(new_feed(base_url="https://b.example.jp/oai", metadata_prefix="jpcoar"), received("c"))
    check_theses()
    DoctoralThesis.objects.filter(record__identifier="oai:x:b").update(record=None)
    begin(feed.repository, None, "wish")
    assert erase_providers() in (0, 1)
    assert list(DoctoralThesis.objects.values_list("record__identifier", flat=True)) == ["oai:x:c"]
    assert ThesisEvent.objects.count() == 1
