"""The quality tier of a provider: its bounds, what lifts it, and the yearly letter."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.issues import letter as letters
from harvesting.issues.tiers import quality_of
from harvesting.models import DailyCount, IssueCount
from tests.harvesting.batches import new_feed

ERROR, ITEM, WARNING, INFO = "record_error", "item_error", "warning", "information"


def counted(records: int, unregistered: int, faulty: int, *rules: tuple[str, str, int]) -> IssueCount:
    rows = [[code, severity, number, number, 0] for code, severity, number in rules]
    return IssueCount(records=records, unregistered=unregistered, faulty=faulty, counts=rows)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (counted(990, 10, 100), ("A", "", 0)),
        (counted(990, 10, 101), ("B", "A", 1)),
        (counted(950, 50, 400), ("B", "A", 300)),
        (counted(949, 51, 60), ("C", "B", 1)),
        (counted(600, 400, 1000), ("C", "B", 600)),
    ],
)
def test_the_bounds_of_the_tiers(count, expected):
    quality = quality_of(count)
    assert (quality.tier, quality.better, quality.to_mend) == expected


def test_without_records_there_is_no_tier():
    assert quality_of(counted(0, 0, 0)) is None


def test_three_rules_lift_the_tier_and_refused_records_come_first():
    rules = (("x.E001", ERROR, 80), ("x.W001", WARNING, 500), ("x.W002", WARNING, 400), ("x.E002", ITEM, 300),
             ("x.I001", INFO, 900))  # fmt: skip
    refused = quality_of(counted(920, 80, 800, *rules))
    assert [rule.code for rule in refused.rules] == ["x.E001", "x.W001", "x.W002"]
    registered = quality_of(counted(1000, 0, 800, *rules), ignored=["x.W002"])
    assert [rule.code for rule in registered.rules] == ["x.W001", "x.E002", "x.E001"]


@pytest.mark.django_db
def test_the_yearly_letter_says_the_tier_and_the_development():
    repository = new_feed().repository
    count = counted(100, 0, 20, ("oai_dc.W001", WARNING, 20))
    count.repository = repository
    count.save()
    day = timezone.localdate() - timedelta(days=380)
    DailyCount.objects.create(
        repository=repository, day=day, records=50, with_issues=25, counted_at=timezone.now() - timedelta(days=380)
    )
    content = letters.letter(repository, "en", yearly=True)
    text = letters.as_text(content, "en", "https://x.example.jp/")
    assert "is B" in text and "becomes A when 10 more records" in text
    assert "50.0% of 50 records" in text and "now it is 20.0%" in text
    assert not letters.letter(repository, "en").development
    assert "Aになります" in letters.as_text(letters.letter(repository, "ja", yearly=True), "ja", "")
