"""The policy by which a repository's records are read: its profile, its switched rules, its enrichment rules, and the
official schemas.
"""

from django.conf import settings
from django.db import connection

from harvesting.models import EnrichmentRules, Feed, Repository, RuleSwitch
from metadata.enrichment.documents import trusted_rules
from metadata.enrichment.rules import RuleSet
from metadata.formats import format_named
from metadata.issue import Severity
from metadata.policy import Policy, Profile
from metadata.validation.xsd.check import Schemas, schemas_in

# As SQL, because putting it together in Django takes twenty times as long as the query, for every page of a harvest.
_POLICY = (
    "SELECT profile, code, outcome, rules.id "  # noqa: S608 names only
    f"FROM {Repository._meta.db_table} AS repository "
    f"LEFT JOIN {RuleSwitch._meta.db_table} AS switch ON switch.repository_id = repository.id "
    f"LEFT JOIN {EnrichmentRules._meta.db_table} AS rules ON rules.repository_id = repository.id AND rules.in_use "
    "WHERE repository.id = %s"
)


def policy_of(repository: Repository) -> Policy:
    """The current policy of a repository. One query, or two if it has enrichment rules; call it once per batch, not
    per record.

    The profile is queried too, because the repository object of a long run may be out of date.
    """
    with connection.cursor() as cursor:
        cursor.execute(_POLICY, [repository.pk])
        rows = cursor.fetchall()
    switches = {code: severity_of(outcome) for _profile, code, outcome, _rules in rows if code}
    profile, _code, _outcome, rules = rows[0]
    enrichment = rule_set(EnrichmentRules.objects.get(pk=rules)) if rules else None
    return Policy(profile=Profile(profile), switches=switches, schemas=schemas(), enrichment=enrichment)


def rule_set(stored: EnrichmentRules) -> RuleSet:
    """A stored version of enrichment rules."""
    return RuleSet(stored.version, trusted_rules(stored.rules))


def policy_by_profile(profile: Profile) -> Policy:
    """The policy for records that belong to no registered repository."""
    return Policy(profile=profile, schemas=schemas())


def schemas() -> Schemas | None:
    """The official schemas that the operator has installed, None if there are none."""
    found = schemas_in(settings.AGGREGATOR_SCHEMAS) if settings.AGGREGATOR_SCHEMAS else None
    return found if found and found.folder.files else None


def usual_profile(prefix: str) -> Profile:
    """The default profile of a repository: its metadataPrefix shows whose practice it follows."""
    known = format_named(prefix)
    return Profile(known.profile) if known else Profile.NDL


def registered_policy(base_url: str) -> Policy | None:
    """The policy for records from this address; None unless exactly one registered repository has it."""
    owners = Repository.objects.filter(pk__in=Feed.objects.filter(base_url=base_url).values("repository"))
    found = list(owners[:2])
    return policy_of(found[0]) if len(found) == 1 else None


def severity_of(outcome: str) -> Severity | None:
    """The severity of a switched rule; None if it is off. outcome: a value of RuleSwitch.Outcome."""
    return None if outcome == RuleSwitch.Outcome.OFF else Severity(outcome)
