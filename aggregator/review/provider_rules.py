"""Rules for a whole provider that an answer of staff suggests. They are offered, never applied by themselves.

Read-only.
"""

from aggregator.grouping.inspection.reasons import PairExplanation
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.matching.signs import Side, signs
from harvesting.models import Repository


def provider_of_printings(found: PairExplanation) -> Repository | None:
    """Return the provider whose dates may be those of printings; None if nothing suggests it, or if staff ruled so.

    It is suggested if nothing but the dates speaks against two records being the same book; the provider is that of
    the record with the later date.
    """
    step = found.step
    against = [sign.evidence.rule for sign in signs(step.evidence) if sign.side is Side.DIFFERENT] if step else []
    if against != ["year"]:
        return None
    years = [features.year for features in found.features]
    later = found.first if years[0] > years[1] else found.second
    earlier = found.second if later is found.first else found.first
    if later.repository.pk == earlier.repository.pk or later.repository.number in rulings_in_force().printings:
        return None
    return later.repository
