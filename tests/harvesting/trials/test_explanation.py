"""What a trial says of a provider in plain words."""

import pytest
from django.utils import translation

from harvesting.trials.explanation import facts_of
from harvesting.trials.report import Report
from harvesting.types import Identity


@pytest.mark.parametrize(
    ("protocol", "version", "said"),
    [
        ("oai-pmh", "2.0", []),
        ("oai-pmh", "1.1", ["Only version 2.0 of OAI-PMH is supported."]),
        ("resourcesync", "ResourceSync 1.1", []),
        ("rss", "", []),
    ],
)
@translation.override("en")
def test_another_version_than_the_supported_one_is_reported(protocol, version, said):
    facts = facts_of(Report(protocol=protocol, identity=Identity(protocol_version=version)))
    assert [fact.meaning for fact in facts if fact.label == "Version"] == said
