"""Who works for which library, and which requests a person may see. A merged library counts as the one it became.

Members act for their library on the pages of interlibrary loan only. Staff see all requests, but act for no library
unless they are its members.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from aggregator.libraries.numbers import library_pk
from aggregator.libraries.successors import present_library, with_merged
from aggregator.models import Library, LibraryInvitation, LibraryMember, Loan
from harvesting.accounts.access import role_of
from harvesting.accounts.invitations import ChangeContext, invite
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.models import Invitation

NO_RANK = Role.PUBLIC.name.lower()  # `Invitation.role` of a person who is only a member of a library


@dataclass(frozen=True)
class Desk:
    """A person as the pages of interlibrary loan see them: their libraries, by name."""

    user: Any
    libraries: tuple[Library, ...]

    @cached_property
    def keys(self) -> frozenset[int]:
        """The keys of the libraries and of those that were merged into them."""
        return with_merged(library.pk for library in self.libraries)

    @cached_property
    def sees_all(self) -> bool:
        """Whether the person may see the requests of all libraries."""
        return role_of(self.user) >= Role.STAFF

    @property
    def is_open(self) -> bool:
        """Whether the person may enter the pages of interlibrary loan at all."""
        return bool(self.libraries) or self.sees_all

    def loans(self) -> QuerySet[Loan]:
        """The requests that the person may see; drafts are the borrower's."""
        if self.sees_all:
            return Loan.objects.all()
        received = Q(lender__in=self.keys, sent__isnull=False)
        return Loan.objects.filter(Q(borrower__in=self.keys) | received)


def desk_of(user: Any) -> Desk:
    """Return the desk of a user; that of a user who is not logged in is not open. One query, more after merges."""
    if not (user.is_authenticated and user.is_active):
        return Desk(user, ())
    own = Library.objects.filter(members__user=user)
    libraries = {library.pk: library for library in map(present_library, own)}
    return Desk(user, tuple(sorted(libraries.values(), key=lambda library: (library.reading, library.name))))


@transaction.atomic
def add_member(person: Any, library: Library, context: ChangeContext) -> None:
    """Let a person work for a library."""
    _member, is_new = LibraryMember.objects.get_or_create(user=person, library=library)
    if is_new:
        note(context.actor, "person.library_given", library, context.reason, {"person": person.get_username()})


@transaction.atomic
def remove_members(memberships: Collection[LibraryMember], context: ChangeContext) -> None:
    """End these memberships."""
    for membership in memberships:
        facts = {"person": membership.user.get_username()}
        note(context.actor, "person.library_taken", membership.library, context.reason, facts)
        membership.delete()


@transaction.atomic
def invite_member(invitation: Invitation, library: Library, actor: Any) -> None:
    """Invite a person who gets no rank, but becomes a member of a library."""
    invitation.role = NO_RANK
    LibraryInvitation.objects.create(invitation=invite(invitation, (), actor), library=library)


def join_by_invitation(invitation: Invitation, person: Any) -> None:
    """Make a person who has accepted an invitation a member of its library, if it is for one."""
    for accepted in LibraryInvitation.objects.filter(invitation=invitation).select_related("library"):
        add_member(person, accepted.library, ChangeContext(person))


def find_libraries(text: str, most: int) -> list[Library]:
    """Return the open libraries with this code or number, else those whose name contains the text."""
    libraries = Library.objects.current().order_by("name", "pk")
    number = Q(pk=library_pk(text)) if library_pk(text) else Q()
    found = list(libraries.filter(Q(codes__value=text) | number).distinct()[:most])
    return found or list(libraries.filter(Q(name__icontains=text) | Q(name_en__icontains=text))[:most])
