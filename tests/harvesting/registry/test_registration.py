"""Repository numbers are assigned only once, and registering is all or nothing."""

import pytest

from harvesting.models import Feed, IssuedNumber, Repository
from harvesting.registry.registration import RegistrationError, register

pytestmark = pytest.mark.django_db


def test_a_number_is_allocated_where_none_is_given():
    assert register(Repository(name="一"), []).number == "R900000001"
    assert register(Repository(name="二"), []).number == "R900000002"


def test_a_given_number_is_kept():
    assert register(Repository(name="一", number="R000000123"), []).number == "R000000123"


def test_a_number_is_never_used_again_even_when_its_repository_is_gone():
    register(Repository(name="一"), []).delete()
    assert register(Repository(name="二"), []).number == "R900000002"
    with pytest.raises(RegistrationError, match="R900000001"):
        register(Repository(name="三", number="R900000001"), [])


@pytest.mark.parametrize("number", ["900000001", "R90000001", "R9000000011", "r900000001", "R90000000１"])
def test_a_number_of_another_form_is_refused(number):
    with pytest.raises(RegistrationError):
        register(Repository(name="一", number=number), [])
    assert not IssuedNumber.objects.exists()


def test_feeds_are_stored_with_their_repository():
    repository = register(Repository(name="一"), [Feed(base_url="https://a.example/oai", metadata_prefix="dcndl")])
    assert repository.feeds.get().metadata_prefix == "dcndl"
