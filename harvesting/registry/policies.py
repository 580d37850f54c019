"""The policy of a repository: its profile and its switched rules, as the checks take them."""

from django.conf import settings

from harvesting.models import Feed, Repository, RuleSwitch
from metadata.issue import Severity
from metadata.policy import Policy, Profile
from metadata.validation.xsd.check import Schemas, schemas_in

IRDB_FORMATS = ("jpcoar", "junii2")  # beginnings of metadataPrefixes


def policy_of(repository: Repository) -> Policy:
    """How the records of this repository are checked now. One query: for each batch, not for each record.

    The profile is asked for too, because a run has held its repository in memory since it began.
    """
    columns = ("profile", "switches__code", "switches__outcome")
    rows = list(Repository.objects.filter(pk=repository.pk).values_list(*columns))
    switches = {code: severity_of(outcome) for _profile, code, outcome in rows if code}
    return Policy(profile=Profile(rows[0][0]), switches=switches, schemas=schemas())


def policy_by_profile(profile: Profile) -> Policy:
    """How records are checked here that belong to no registered repository."""
    return Policy(profile=profile, schemas=schemas())


def schemas() -> Schemas | None:
    """The official schemas that the operator has placed, None where that has not been done."""
    found = schemas_in(settings.AGGREGATOR_SCHEMAS) if settings.AGGREGATOR_SCHEMAS else None
    return found if found and found.folder.files else None


def usual_profile(prefix: str) -> Profile:
    """The profile of a repository for which nobody chose one: its format tells whose practice it follows."""
    return Profile.IRDB if prefix.startswith(IRDB_FORMATS) else Profile.NDL


def registered_policy(base_url: str) -> Policy | None:
    """How the records behind this address are checked, where exactly one registered repository has it."""
    owners = Repository.objects.filter(pk__in=Feed.objects.filter(base_url=base_url).values("repository"))
    found = list(owners[:2])
    return policy_of(found[0]) if len(found) == 1 else None


def severity_of(outcome: str) -> Severity | None:
    """What a switched rule counts as; None: it is off."""
    return None if outcome == RuleSwitch.Outcome.OFF else Severity(outcome)
