"""The sample of links that a trial shows."""

from aggregator.trials.sample import OF_EACH, link_samples
from harvesting.models import Repository
from harvesting.trials.report import Report, SampledRecord
from metadata.record import BibliographicRecord, Identifier, Title


def sampled(place: int, *numbers: Identifier) -> SampledRecord:
    record = BibliographicRecord(titles=(Title(value=f"見本{place}"),), identifiers=numbers)
    return SampledRecord(identifier=str(place), record=record)


def test_records_of_every_kind_are_shown_wherever_they_are_in_the_sample():
    many = tuple(sampled(place, Identifier(scheme="ISBN", value="9784003101117")) for place in range(30))
    journal = sampled(30, Identifier(scheme="ISSN", value="12345679"))
    samples = link_samples(Repository(), Report(records=(*many, journal)))
    assert [sample.number[:4] for sample in samples] == ["ISBN"] * OF_EACH + ["ISSN"]
