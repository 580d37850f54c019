"""What the report of a self-test says about DOIs."""

import msgspec
import pytest
from django.utils import translation

from aggregator.trials.doi import doi_summary, thesis_of, verdict_of
from harvesting.trials.report import SampledIssue, SampledRecord
from metadata.formats import CROSSWALKS
from metadata.issue import Profile
from metadata.policy import Policy
from metadata.reading import read
from metadata.record import Host, Identifier
from tests.metadata.deposits.test_jalc import PAPER
from tests.metadata.deposits.test_theses import thesis

WITHOUT_VOLUME = msgspec.structs.replace(PAPER, host=Host())
DATACITE = msgspec.structs.replace(PAPER, registrations=(Identifier(scheme="DataCite", value="10.14977/12"),))
NONE = msgspec.structs.replace(PAPER, registrations=())


def sampled(record, profile: Profile = Profile.NDL) -> SampledRecord:
    policy = Policy(profile=profile)
    payload = CROSSWALKS["jpcoar"].write(record)
    reading = read(payload, "jpcoar", policy)
    findings = [SampledIssue(code=issue.code, severity=str(policy.severity(issue.code))) for issue in reading.issues]
    return SampledRecord(
        identifier="x", prefix="jpcoar", payload=payload.decode(), record=reading.record, findings=tuple(findings)
    )


@pytest.mark.parametrize("profile", [Profile.NDL, Profile.IRDB])
def test_a_record_says_what_is_missing(profile):
    verdict = verdict_of(sampled(WITHOUT_VOLUME, profile))
    assert verdict.missing == ("doi.E006",)
    assert "doi.E006" in verdict.sentence


def test_a_record_says_where_its_doi_would_be_registered():
    assert "10.14977/12" in verdict_of(sampled(PAPER)).sentence
    assert "DataCite" in verdict_of(sampled(DATACITE)).sentence
    assert verdict_of(sampled(NONE)) is None


def test_a_sample_counts_the_dois_that_would_be_registered():
    records = [sampled(record) for record in (PAPER, WITHOUT_VOLUME, DATACITE, NONE)]
    with translation.override("en"):
        assert doi_summary(records) == "1 of 2 requested DOIs would be registered."
    assert doi_summary([sampled(NONE)]) == ""


def test_a_thesis_says_whether_it_would_be_handed_over():
    assert thesis_of(sampled(thesis())).issues == ()
    verdict = thesis_of(sampled(thesis(degree_names=())))
    with translation.override("ja"):
        assert "引き渡せません" in verdict.sentence
    [(code, reason)] = verdict.reasons("ja")
    assert (code, "学位名" in reason) == ("thesis.E002", True)
    assert thesis_of(sampled(PAPER)) is None
    assert thesis_of(SampledRecord(identifier="x")) is None
