"""Whether the doctoral theses of a trial would be handed over to the NDL. No query."""

from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from harvesting.trials.report import SampledRecord
from metadata.catalogue import remedy, sentence
from metadata.deposits.theses import is_collected, needs
from metadata.issue import Issue


@dataclass(frozen=True, slots=True)
class ThesisVerdict:
    """issues: what keeps the thesis from being handed over."""

    issues: tuple[Issue, ...]

    @property
    def sentence(self) -> str:
        """Return the verdict in the language of the page."""
        if self.issues:
            return _("The doctoral thesis would not be handed over to the NDL.")
        return _("The doctoral thesis would be handed over to the NDL.")

    def reasons(self, language: str) -> list[tuple[str, str]]:
        """Return the code of each issue, and what is wrong and what to do."""
        return [(issue.code, " ".join((sentence(issue, language), remedy(issue, language)))) for issue in self.issues]


def thesis_of(sampled: SampledRecord) -> ThesisVerdict | None:
    """Return the verdict about a record, None if it is no thesis that the NDL collects."""
    record = sampled.record
    if record is None or not is_collected(record):
        return None
    return ThesisVerdict(tuple(needs(record, timezone.localdate())))
