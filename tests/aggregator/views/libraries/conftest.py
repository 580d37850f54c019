"""People who are logged in, for the tests of the pages about libraries."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client

from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles


def _client(name: str, group: str) -> Client:
    ensure_roles()
    user = get_user_model().objects.create_user(name, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


@pytest.fixture
def staff(db) -> Client:
    return _client("taro", STAFF)


@pytest.fixture
def librarian(db) -> Client:
    """A librarian who does not look after any provider so far."""
    return _client("hanako", LIBRARIANS)
