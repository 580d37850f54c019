"""The versions of a provider's enrichment rules: storing one, going back to one, and which is in use.

Every change of what is in use lets the queue read the records of the provider again (`enrichment.applying`).
"""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from harvesting.audit.trail import note
from harvesting.models import EnrichmentRules, Repository, Reread
from harvesting.rereading.run import last_record
from metadata.enrichment.documents import as_json, check_rules, trusted_rules
from metadata.enrichment.rules import AnyRule

EMPTY = as_json(())


def in_use(repository: Repository) -> EnrichmentRules | None:
    """Return the version in use; None if the provider has never had rules."""
    return EnrichmentRules.objects.filter(repository=repository, in_use=True).first()


def rules_in_use(repository: Repository) -> tuple[AnyRule, ...]:
    """Return the rules in use, in their order."""
    current = in_use(repository)
    return trusted_rules(current.rules) if current else ()


@transaction.atomic
def store(repository: Repository, rules: Sequence[AnyRule], person: Any, reason: str = "") -> EnrichmentRules | None:
    """Store these rules as a new version and use it. None if they are those in use already. Raises RuleError.

    reason: why they were made, for the history.
    """
    check_rules(tuple(rules))
    _lock(repository)
    current, document = in_use(repository), as_json(rules)
    if document == (current.rules if current else EMPTY):
        return None
    newest = EnrichmentRules.objects.filter(repository=repository).order_by("-version").first()
    if newest is None:
        EnrichmentRules.objects.create(repository=repository, version=0, rules=EMPTY)
    stored = EnrichmentRules.objects.create(
        repository=repository,
        version=newest.version + 1 if newest else 1,
        rules=document,
        reason=reason,
        made_by=person.get_username(),
    )
    _use(stored)
    note(person, "enrichment.changed", stored, reason, {"version": stored.version, "rules": len(rules)})
    return stored


@transaction.atomic
def go_back(repository: Repository, version: int, person: Any, reason: str = "") -> EnrichmentRules | None:
    """Use an earlier version again, 0 for none. None if there is no such version, or it is the one in use."""
    _lock(repository)
    stored = EnrichmentRules.objects.filter(repository=repository, version=version, in_use=False).first()
    if stored is None:
        return None
    _use(stored)
    note(person, "enrichment.back", stored, reason, {"version": version})
    return stored


def _lock(repository: Repository) -> None:
    """Let nobody else change the rules of this provider until the commit."""
    Repository.objects.select_for_update().get(pk=repository.pk)


def _use(stored: EnrichmentRules) -> None:
    EnrichmentRules.objects.filter(repository=stored.repository, in_use=True).update(in_use=False)
    EnrichmentRules.objects.filter(pk=stored.pk).update(in_use=True)
    numbers = [stored.repository.number]
    earlier = Reread.objects.filter(enrichment__repository=stored.repository, state=Reread.State.OPEN)
    earlier.update(state=Reread.State.GIVEN_UP)
    Reread.objects.create(repositories=numbers, last=last_record(), enrichment=stored)
