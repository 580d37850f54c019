"""Registering repositories: numbers that are never used twice, and their feeds."""

import re

from django.db import transaction
from django.utils.translation import gettext as _

from harvesting.models import REPOSITORY_NUMBER, Feed, IssuedNumber, Repository

FIRST_ALLOCATED = 900000001  # R9… is ours to give; NDL's own numbers begin with R0 to R1


class RegistrationError(ValueError):
    """What a person asked for cannot be registered; the text says why and what to do."""


def allocate_number() -> str:
    """The next free repository number. To be called inside the transaction that uses it."""
    floor = f"R{FIRST_ALLOCATED - 1}"
    last = IssuedNumber.objects.filter(number__gt=floor).order_by("-number").first()
    return f"R{int(last.number[1:]) + 1 if last else FIRST_ALLOCATED}"


def check_number(number: str) -> None:
    """Raises RegistrationError unless this number has the right form and was never given out."""
    if not re.fullmatch(REPOSITORY_NUMBER, number):
        raise RegistrationError(
            _("“%(number)s” is not a repository number. It is R and nine digits, for example R900000001.")
            % {"number": number}
        )
    if IssuedNumber.objects.filter(number=number).exists():
        raise RegistrationError(
            _(
                "The repository number %(number)s has been used already and is never used again. "
                "Give another one, or none to have one allocated."
            )
            % {"number": number}
        )


def claim_number(number: str) -> str:
    """Take a number for good: the given one, or with "" the next free one. Raises RegistrationError."""
    number = number or allocate_number()
    check_number(number)
    IssuedNumber.objects.create(number=number)
    return number


@transaction.atomic
def register(repository: Repository, feeds: list[Feed]) -> Repository:
    """Store a new repository with its feeds; its number is claimed. Raises RegistrationError."""
    repository.number = claim_number(repository.number)
    repository.save(force_insert=True)
    for feed in feeds:
        feed.repository = repository
        feed.save(force_insert=True)
    return repository
