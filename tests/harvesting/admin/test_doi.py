"""The DOI agreement in the form of a provider: the login is stored sealed and never shown."""

import json

import pytest
from django.forms import inlineformset_factory

from harvesting.admin.doi import DoiAgreementForm
from harvesting.models import DoiAgreement, Repository
from harvesting.registry.credentials import unseal
from tests.harvesting.batches import new_feed

pytestmark = pytest.mark.django_db
TERMS = {"jalc_prefixes": "10.14977 10.12345", "site_id": "SI/1", "hand_over": "api"}


def saved(repository: Repository, **data: str):
    forms = inlineformset_factory(Repository, DoiAgreement, form=DoiAgreementForm, extra=1, max_num=1)
    stored = DoiAgreement.objects.filter(repository=repository).exists()
    values = {f"doi_agreement-0-{name}": value for name, value in {**TERMS, **data}.items()}
    counts = {"doi_agreement-TOTAL_FORMS": "1", "doi_agreement-INITIAL_FORMS": str(int(stored))}
    key = {"doi_agreement-0-repository": str(repository.pk)}
    formset = forms({**values, **counts, **key}, instance=repository)
    if formset.is_valid():
        formset.save()
    return formset


def test_the_login_is_sealed_kept_and_forgotten():
    repository = new_feed().repository
    assert saved(repository, login="user", password="secret-word").is_valid()
    sealed = bytes(DoiAgreement.objects.get().credentials)
    assert b"secret-word" not in sealed
    assert json.loads(unseal(sealed)) == ["user", "secret-word"]
    assert "secret-word" not in str(saved(repository, site_id="SI/2"))
    assert bytes(DoiAgreement.objects.get().credentials) == sealed
    saved(repository, forget_login="on")
    assert bytes(DoiAgreement.objects.get().credentials) == b""


@pytest.mark.parametrize(
    "wrong", [{"login": "user"}, {"jalc_prefixes": "11.1234"}, {"hosts": "https://a.example.jp/"}, {"hand_over": "fax"}]
)
def test_a_wrong_agreement_is_refused(wrong):
    assert not saved(new_feed().repository, **wrong).is_valid()
    assert not DoiAgreement.objects.exists()
