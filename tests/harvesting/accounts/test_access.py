"""The role of a user: asked for once a request, and known at once after a change."""

import pytest
from django.contrib.auth import get_user_model

from harvesting.accounts.access import role_of
from harvesting.accounts.invitations import give_role
from harvesting.accounts.ranks import Role
from harvesting.models import Repository

pytestmark = pytest.mark.django_db


def test_the_groups_of_a_user_are_asked_for_once(django_assert_num_queries):
    person = get_user_model().objects.create_user("hanako")
    give_role(person, Role.LIBRARIAN)
    with django_assert_num_queries(1):
        assert [role_of(person) for _time in range(3)] == [Role.LIBRARIAN] * 3
        str(Repository.objects.for_user(person).query)


def test_a_role_that_was_given_is_known_at_once():
    person = get_user_model().objects.create_user("hanako")
    for role in (Role.LIBRARIAN, Role.STAFF, Role.PUBLIC):
        give_role(person, role)
        assert role_of(person) is role
