"""Accounts and their roles: invite, accept, change, close. Every change is noted; the last administrator stays."""

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
from harvesting.mail.texts import INVITATION, invitation_letter, opened
from harvesting.models import Invitation, Recipient, Repository
from harvesting.models.people import new_nonce

VALID = timedelta(days=14)
GROUPS = {Role.LIBRARIAN: LIBRARIANS, Role.STAFF: STAFF}


@dataclass(frozen=True, slots=True)
class Why:
    """Who does it, and the reason given."""

    actor: User
    reason: str = ""


class LastAdministrator(Exception):
    """Nobody would be left who can change roles."""


def may_change(mine: Role, person: Any) -> bool:
    """Whether somebody of this role may change an account: staff those of librarians, administrators everybody's."""
    return mine is Role.ADMINISTRATOR or (mine is Role.STAFF and rank(person) < Role.STAFF)


def rank(person: Any) -> Role:
    """The role of an account, also of one that is closed now. No query where its groups are fetched already."""
    if person.is_superuser:
        return Role.ADMINISTRATOR
    groups = {each.name for each in person.groups.all()}
    return Role.STAFF if STAFF in groups else Role.LIBRARIAN if LIBRARIANS in groups else Role.PUBLIC


def open_invitations() -> Any:
    """Those that can still be accepted, or have only run out."""
    return Invitation.objects.filter(accepted=None, revoked=None).prefetch_related("repositories")


@transaction.atomic
def invite(made: Invitation, repositories: Collection[Repository], actor: User) -> Invitation:
    """Store an invitation and its mail. An earlier open one to the same address gives way."""
    open_invitations().filter(email__iexact=made.email).update(revoked=timezone.now())
    made.invited_by, made.expires = actor.get_username(), timezone.now() + VALID
    made.save()
    made.repositories.set(repositories)
    invitation_letter(made).save()
    given = ", ".join(each.number for each in repositories)
    note(actor, "person.invited", made.email, details={"role": made.role, "providers": given})
    return made


@transaction.atomic
def invite_again(made: Invitation, actor: User) -> None:
    """The link of the first mail stops working; a new one goes out."""
    made.nonce, made.expires = new_nonce(), timezone.now() + VALID
    made.save(update_fields=["nonce", "expires"])
    invitation_letter(made).save()
    note(actor, "person.invited_again", made.email)


@transaction.atomic
def revoke(made: Invitation, actor: User) -> None:
    Invitation.objects.filter(pk=made.pk, accepted=None).update(revoked=timezone.now())
    note(actor, "invitation.revoked", made.email)


def invitation_of(token: str) -> Invitation | None:
    """The open invitation that a link belongs to, None if it is used, revoked, too old or not ours."""
    parts = opened(INVITATION, token)
    if len(parts) != 2:
        return None
    found: Invitation | None = (
        open_invitations().filter(pk=parts[0], nonce=parts[1], expires__gt=timezone.now()).first()
    )
    return found


@transaction.atomic
def accept(made: Invitation, username: str, password: str) -> User | None:
    """Open the account; None if the invitation was used at the same moment."""
    taken = Invitation.objects.filter(pk=made.pk, accepted=None, revoked=None)
    if taken.update(accepted=timezone.now()) != 1:
        return None
    user: User = get_user_model().objects.create_user(username, made.email, password or None)
    give_role(user, Role[made.role.upper()])
    for each in made.repositories.all():
        each.managers.add(user)
    Recipient.objects.create(person=user, address=made.email, language=made.language, confirmed=timezone.now())
    note(user, "person.joined", user.get_username(), details={"role": made.role, "invited by": made.invited_by})
    return user


def give_role(person: User, role: Role) -> None:
    """Exactly this role. Who has one may also use the administration pages, as far as the role goes."""
    if Group.objects.filter(name__in=GROUPS.values()).count() != len(GROUPS):
        ensure_roles()
    person.is_superuser, person.is_staff = role is Role.ADMINISTRATOR, role > Role.PUBLIC
    person.save(update_fields=["is_superuser", "is_staff"])
    person.groups.remove(*Group.objects.filter(name__in=GROUPS.values()))
    if role in GROUPS:
        person.groups.add(Group.objects.get(name=GROUPS[role]))


@transaction.atomic
def change(person: User, role: Role, repositories: Collection[Repository] | None, active: bool, why: Why) -> None:
    """Give a person this role and these providers (None: as they are). Raises LastAdministrator."""
    if person.is_superuser and person.is_active and not (active and role is Role.ADMINISTRATOR):
        others = get_user_model().objects.select_for_update().filter(is_superuser=True, is_active=True)
        if not [each for each in others if each.pk != person.pk]:
            raise LastAdministrator
    before = rank(person)
    if before is not role:
        give_role(person, role)
        note(why.actor, "person.role", person.get_username(), why.reason, {"before": before.name.lower(),
                                                                            "now": role.name.lower()})  # fmt: skip
    if active is not person.is_active:
        person.is_active = active
        person.save(update_fields=["is_active"])
        note(why.actor, "person.opened" if active else "person.closed", person.get_username(), why.reason)
    if repositories is not None:
        _give_providers(person, {each.pk: each for each in repositories}, why)


def _give_providers(person: User, wanted: dict[int, Repository], why: Why) -> None:
    """Each provider that is given or taken is noted for itself, so that its own trace tells it."""
    has = {each.pk: each for each in Repository.objects.filter(managers=person)}
    for pk in wanted.keys() - has.keys():
        wanted[pk].managers.add(person)
        note(why.actor, "person.provider_given", wanted[pk], why.reason, {"person": person.get_username()})
    for pk in has.keys() - wanted.keys():
        has[pk].managers.remove(person)
        note(why.actor, "person.provider_taken", has[pk], why.reason, {"person": person.get_username()})


def named(text: str) -> Any:
    """The accounts whose login name, name or address contains the text, in the order of the names."""
    people = get_user_model().objects.order_by("username").prefetch_related("groups", "repository_set")
    if not text:
        return people
    found = Q(username__icontains=text) | Q(email__icontains=text)
    return people.filter(found | Q(first_name__icontains=text) | Q(last_name__icontains=text))
