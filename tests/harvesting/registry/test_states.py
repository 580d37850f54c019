"""The states of a provider: what each of them lets through, and that documents and migrations say the same."""

import importlib

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import translation

from harvesting.models import Feed, Repository, SourceRecord
from harvesting.models.states import HARVESTED, LISTED, NOT_PUBLISHED, STATES, ProviderState
from harvesting.registry.registration import register
from tests.harvesting.batches import harvest_records, make_records
from tests.paths import ROOT

S = ProviderState


def provider(state: ProviderState) -> Repository:
    return register(Repository(name=state, state=state), [Feed(base_url=f"https://{state}.example.jp/oai")])


def test_every_state_is_in_the_table_and_in_the_documents():
    assert list(STATES) == list(S)
    text = (ROOT / "docs/how-to/register-a-provider.md").read_text()
    for state, row in STATES.items():
        with translation.override("en"):
            english = f"| {state.label} ("
            meaning = str(row.meaning)
        with translation.override("ja"):
            assert f"{english}{state.label}) | `{state.value}` | {meaning} |" in text


def test_what_the_states_let_through():
    assert HARVESTED == (S.TRIAL, S.LIVE)
    assert LISTED == (S.LIVE, S.PAUSED)
    assert not {state for state in S if {*STATES[state].next, *STATES[state].by_staff} & {S.ASKED}}


@pytest.mark.django_db
def test_the_public_list_has_the_live_and_the_paused():
    for state in S:
        provider(state)
    assert {row.name for row in Repository.objects.listed()} == {"live", "paused"}
    assert {row.name for row in Repository.objects.public()} == {"live", "paused", "stopped"}


@pytest.mark.django_db
def test_the_records_of_a_preview_wait_until_it_is_published():
    repository = provider(S.TRIAL)
    harvest_records(repository.feeds.get(), make_records(2))
    assert not SourceRecord.objects.pending().exists()
    assert not SourceRecord.objects.public().exists()
    SourceRecord.objects.filter(pk=SourceRecord.objects.first().pk).update(deleted=True)
    assert SourceRecord.objects.pending().count() == 1  # what is deleted hides nothing, and erasing waits for it
    repository.state = S.LIVE
    repository.save()
    assert SourceRecord.objects.pending().count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("state", NOT_PUBLISHED)
def test_what_was_live_cannot_be_hidden_again(state):
    repository = provider(S.LIVE)
    repository.state = state
    with pytest.raises(ValidationError, match=r"already|すでに"):
        repository.full_clean()


@pytest.mark.django_db
def test_a_paused_and_a_stopped_provider_stay_published():
    repository = provider(S.LIVE)
    for state in (S.PAUSED, S.STOPPED):
        repository.state = state
        repository.save()
        assert Repository.objects.get().published


@pytest.mark.django_db
def test_the_migration_divides_trial_into_awaiting_approval_and_live():
    migration = importlib.import_module("harvesting.migrations.0037_provider_states")
    for name, approved in (("new", False), ("old", True)):
        repository = provider(S.LIVE)
        Repository.objects.filter(pk=repository.pk).update(name=name, state="trial", approved=approved)
    migration.forwards(apps, connection.schema_editor())
    rows = Repository.objects.order_by("name").values_list("name", "state", "approved", "published")
    assert list(rows) == [("new", "asked", False, False), ("old", "live", True, True)]
    migration.backwards(apps, connection.schema_editor())
    assert Repository.objects.get(name="new").state == "trial"
