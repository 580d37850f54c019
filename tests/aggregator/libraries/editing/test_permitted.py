"""Which libraries librarians may change: those that are their own providers, or that no other provider reports."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser, Group
from msgspec import structs

from aggregator.libraries.editing.merging import merge, seen_of
from aggregator.libraries.editing.permitted import may_change, permitted_libraries, reporting_numbers
from aggregator.models import Library, LibraryName
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from metadata.record import Item
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db


def person(group: str, *providers):
    ensure_roles()
    user = get_user_model().objects.create_user(group, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    for provider in providers:
        provider.managers.add(user)
    return user


@pytest.fixture
def shelf() -> Shelf:
    """Libraries of the provider a, of b, and of both."""
    shelf = Shelf()
    held = {
        "a": [Item(), Item(holding_agent="甲館"), Item(holding_agent="乙館", library_code="2101")],
        "b": [Item(), Item(holding_agent="甲館"), Item(holding_agent="丙館", library_code="2102")],
    }
    for provider, items in held.items():
        both = Item(holding_agent="共館" if provider == "a" else "", library_code="2103")
        for number, item in enumerate((*items, both)):
            name = f"{provider}{number}"
            shelf.put(provider, name, structs.replace(record(name, title=f"本{name}"), items=(item,)))
    match_and_merge()
    return shelf


def names(libraries) -> set[str]:
    return {f"{library.name}{library.codes.earliest('pk').scheme}" for library in libraries}


def test_a_librarian_sees_and_changes_those_of_the_own_provider(shelf) -> None:
    librarian = person(LIBRARIANS, shelf.repository("a"))
    shown = permitted_libraries(librarian)
    assert names(shown) == {"aprovider", "甲館name", "乙館NDLLibCode", "共館NDLLibCode"}
    # Provider b gives no name for 共館, but reports it too: this is seen by the books that b's records are in.
    assert names(library for library in shown if may_change(librarian, library)) == names(shown) - {"共館NDLLibCode"}
    assert reporting_numbers(Library.objects.get(name="共館")) == {"R000000001", "R000000002"}


def test_a_librarian_of_both_providers_changes_all_of_them(shelf) -> None:
    librarian = person(LIBRARIANS, shelf.repository("a"), shelf.repository("b"))
    shown = permitted_libraries(librarian)
    assert shown.count() == Library.objects.count()
    assert all(may_change(librarian, library) for library in shown)


def test_a_library_that_another_provider_names_too_is_not_shown(shelf) -> None:
    library = Library.objects.get(name="乙館")
    LibraryName.objects.create(library=library, repository=shelf.repository("b"), name="乙館")
    assert library not in permitted_libraries(person(LIBRARIANS, shelf.repository("a")))


def test_a_provider_that_is_a_library_stays_that_of_its_librarian_when_others_are_merged_into_it(shelf) -> None:
    library, into = Library.objects.get(name="丙館"), Library.objects.get(name="a")
    merge(library.pk, into.pk, seen_of(library, into), (), None)
    match_and_merge()
    librarian = person(LIBRARIANS, shelf.repository("a"))
    assert may_change(librarian, permitted_libraries(librarian).get(pk=into.pk))


def test_staff_change_all_and_others_none(shelf) -> None:
    assert permitted_libraries(person(STAFF)).count() == Library.objects.count()
    assert not permitted_libraries(AnonymousUser()).exists()
    assert not permitted_libraries(person(LIBRARIANS)).exists()
