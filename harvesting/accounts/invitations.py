"""Accounts and their roles: invite, accept, change, close.

Every change is written to the audit trail in the same transaction. The last administrator cannot be demoted or closed.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.audit.trail import note
from harvesting.mail.texts import INVITATION, invitation_message, read_token
from harvesting.models import Invitation, Recipient, Repository, forget_groups
from harvesting.models.people import new_nonce

VALID = timedelta(days=14)
GROUPS = {Role.LIBRARIAN: LIBRARIANS, Role.STAFF: STAFF}


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """Who makes a change, and the reason given."""

    actor: User
    reason: str = ""


class LastAdministrator(Exception):
    """Raised for a change after which nobody could change roles any more."""


def may_change(role: Role, person: Any) -> bool:
    """Whether a user with this role may change an account: staff below their own role, administrators every account."""
    return role is Role.ADMINISTRATOR or (role is Role.STAFF and role_of_account(person) < Role.STAFF)


def role_of_account(person: Any) -> Role:
    """Return the role of an account, even of a closed one. No query where its groups are prefetched."""
    if person.is_superuser:
        return Role.ADMINISTRATOR
    groups = {group.name for group in person.groups.all()}
    return Role.STAFF if STAFF in groups else Role.LIBRARIAN if LIBRARIANS in groups else Role.PUBLIC


def open_invitations() -> Any:
    """The invitations that were neither accepted nor revoked; expired ones are included."""
    return Invitation.objects.filter(accepted=None, revoked=None).prefetch_related("repositories")


@transaction.atomic
def invite(invitation: Invitation, repositories: Collection[Repository], actor: User) -> Invitation:
    """Store an invitation and its message. An earlier open invitation to the same address is revoked."""
    open_invitations().filter(email__iexact=invitation.email).update(revoked=timezone.now())
    invitation.invited_by, invitation.expires = actor.get_username(), timezone.now() + VALID
    invitation.save()
    invitation.repositories.set(repositories)
    invitation_message(invitation).save()
    numbers = ", ".join(repository.number for repository in repositories)
    note(actor, "person.invited", invitation.email, details={"role": invitation.role, "providers": numbers})
    return invitation


@transaction.atomic
def resend_invitation(invitation: Invitation, actor: User) -> None:
    """Send a new link; the link of the earlier message stops working."""
    invitation.nonce, invitation.expires = new_nonce(), timezone.now() + VALID
    invitation.save(update_fields=["nonce", "expires"])
    invitation_message(invitation).save()
    note(actor, "person.invited_again", invitation.email)


@transaction.atomic
def revoke_invitation(invitation: Invitation, actor: User) -> None:
    Invitation.objects.filter(pk=invitation.pk, accepted=None).update(revoked=timezone.now())
    note(actor, "invitation.revoked", invitation.email)


def invitation_of(token: str) -> Invitation | None:
    """Return the open invitation of a link; None if it was used, revoked, expired or never signed by us."""
    parts = read_token(INVITATION, token)
    if len(parts) != 2:
        return None
    invitation: Invitation | None = (
        open_invitations().filter(pk=parts[0], nonce=parts[1], expires__gt=timezone.now()).first()
    )
    return invitation


@transaction.atomic
def accept_invitation(invitation: Invitation, username: str, password: str) -> User | None:
    """Create the account; None if the invitation was used by another request at the same moment."""
    unused = Invitation.objects.filter(pk=invitation.pk, accepted=None, revoked=None)
    if unused.update(accepted=timezone.now()) != 1:
        return None
    user: User = get_user_model().objects.create_user(username, invitation.email, password or None)
    give_role(user, Role[invitation.role.upper()])
    for repository in invitation.repositories.all():
        repository.managers.add(user)
    Recipient.objects.create(
        person=user, address=invitation.email, language=invitation.language, confirmed=timezone.now()
    )
    note(
        user,
        "person.joined",
        user.get_username(),
        details={"role": invitation.role, "invited by": invitation.invited_by},
    )
    return user


def give_role(person: User, role: Role) -> None:
    """Give an account exactly this role. Every role above PUBLIC may use the administration pages (`is_staff`)."""
    if Group.objects.filter(name__in=GROUPS.values()).count() != len(GROUPS):
        ensure_roles()
    person.is_superuser, person.is_staff = role is Role.ADMINISTRATOR, role > Role.PUBLIC
    person.save(update_fields=["is_superuser", "is_staff"])
    person.groups.remove(*Group.objects.filter(name__in=GROUPS.values()))
    if role in GROUPS:
        person.groups.add(Group.objects.get(name=GROUPS[role]))
    forget_groups(person)


@transaction.atomic
def change_account(
    person: User, role: Role, repositories: Collection[Repository] | None, active: bool, context: ChangeContext
) -> None:
    """Give an account this role and these providers (None: unchanged), and open or close it.

    Raises LastAdministrator.
    """
    if person.is_superuser and person.is_active and not (active and role is Role.ADMINISTRATOR):
        others = get_user_model().objects.select_for_update().filter(is_superuser=True, is_active=True)
        if not [other for other in others if other.pk != person.pk]:
            raise LastAdministrator
    before = role_of_account(person)
    if before is not role:
        give_role(person, role)
        details = {"before": before.name.lower(), "now": role.name.lower()}
        note(context.actor, "person.role", person.get_username(), context.reason, details)
    if active is not person.is_active:
        person.is_active = active
        person.save(update_fields=["is_active"])
        note(context.actor, "person.opened" if active else "person.closed", person.get_username(), context.reason)
    if repositories is not None:
        _set_providers(person, {repository.pk: repository for repository in repositories}, context)


def _set_providers(person: User, chosen: dict[int, Repository], context: ChangeContext) -> None:
    """Let a person manage exactly these providers (by primary key).

    Every provider given or taken gets an audit entry of its own, so that the change shows in that provider's trail.
    """
    managed = {repository.pk: repository for repository in Repository.objects.filter(managers=person)}
    for pk in chosen.keys() - managed.keys():
        chosen[pk].managers.add(person)
        note(context.actor, "person.provider_given", chosen[pk], context.reason, {"person": person.get_username()})
    for pk in managed.keys() - chosen.keys():
        managed[pk].managers.remove(person)
        note(context.actor, "person.provider_taken", managed[pk], context.reason, {"person": person.get_username()})


def search_people(text: str) -> Any:
    """The accounts whose login name, name or e-mail address contains the text, ordered by login name."""
    people = get_user_model().objects.order_by("username").prefetch_related("groups", "repository_set")
    if not text:
        return people
    matches = Q(username__icontains=text) | Q(email__icontains=text)
    return people.filter(matches | Q(first_name__icontains=text) | Q(last_name__icontains=text))
