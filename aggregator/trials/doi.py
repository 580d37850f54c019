"""Whether what the records of a trial ask for would be done: DOIs registered, doctoral theses handed over. No query."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from harvesting.trials.report import SampledRecord
from metadata.catalogue import family_of, remedy, sentence
from metadata.deposits.kinds import DATACITE
from metadata.deposits.needs import FAMILY, asked_for
from metadata.deposits.theses import is_collected, needs
from metadata.deposits.values import doi_of
from metadata.issue import Issue, Severity


@dataclass(frozen=True, slots=True)
class DoiVerdict:
    """agency, doi: "" if the record was not registered, so that only the issues are known. missing: codes of rules."""

    agency: str
    doi: str
    missing: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Return the verdict in the language of the page."""
        about = {"agency": self.agency, "doi": self.doi, "codes": ", ".join(self.missing)}
        if self.missing:
            return _("The DOI would not be registered: %(codes)s") % about
        if self.agency == DATACITE:
            return _("DOIs of DataCite are not handed over by us. Register them from the repository.")
        return _("The DOI %(doi)s would be registered at %(agency)s.") % about


def verdict_of(sampled: SampledRecord) -> DoiVerdict | None:
    """Return the verdict about the DOI of a record, None if it asks for none."""
    informing = (Severity.INFORMATION, Severity.NORMALISED_SILENTLY)
    codes = [found.code for found in sampled.findings if found.severity not in informing]
    missing = tuple(dict.fromkeys(code for code in codes if family_of(code) == FAMILY))
    agency, doi = asked_for(sampled.record)
    if not doi and sampled.record and (doi := doi_of(sampled.record, DATACITE)):
        agency = DATACITE
    return DoiVerdict(agency, doi, missing) if doi or missing else None


def doi_summary(records: Iterable[SampledRecord]) -> str:
    """Return how many DOIs of a sample would be registered, "" if no record asks for one."""
    verdicts = [verdict for verdict in map(verdict_of, records) if verdict and verdict.agency != DATACITE]
    good = sum(not verdict.missing for verdict in verdicts)
    text = ngettext(
        "%(good)s of %(all)s requested DOI would be registered.",
        "%(good)s of %(all)s requested DOIs would be registered.",
        len(verdicts),
    )
    return text % {"good": good, "all": len(verdicts)} if verdicts else ""


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
