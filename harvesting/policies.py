"""The policy of a repository: its profile and its switched rules, as the checks take them."""

from harvesting.models import Repository, RuleSwitch
from metadata.issue import Severity
from metadata.validation.policy import Policy, Profile


def policy_of(repository: Repository) -> Policy:
    """How the records of this repository are checked now. Asks the database: once a batch, not once a record."""
    switches = {
        code: None if outcome == RuleSwitch.Outcome.OFF else Severity(outcome)
        for code, outcome in repository.switches.values_list("code", "outcome")
    }
    return Policy(profile=Profile(repository.profile), switches=switches)
