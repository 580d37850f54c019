"""What the catalogue holds is counted in one pass, and again when a day is over or the catalogue has grown."""

from datetime import date, timedelta

import msgspec
import pytest
from django.utils import timezone

from aggregator.models import ContentFigures, Manifestation, Member, NumberCounter
from aggregator.statistics import contents, figures
from aggregator.statistics.shares import months_in
from aggregator.statistics.tallies import OTHER, facts_of
from harvesting.models import DailyCount
from harvesting.records.compression import pack_record
from metadata.record import Agent, BibliographicRecord, Funding, Identifier, License, MaterialType, Subject
from tests.aggregator.views.shelf import KOKORO

TODAY = date(2026, 6, 1)
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
THESIS = MaterialType(uri="http://ndl.go.jp/ndltype/DoctoralDissertation", label="博士論文")


def record(**fields) -> BibliographicRecord:
    return msgspec.structs.replace(KOKORO, **fields)


THESIS_OF_1989 = record(
    material_types=(THESIS,), subjects=(Subject(scheme="NDC9", value="913.6"),), licenses=(License(uri=CC_BY),)
)


@pytest.fixture
def filled(shelf, library, archive):
    """Two books of one provider, one of which another describes too, held by a library."""
    city = shelf.library("市立図書館", "100001", prefecture="13")
    shelf.book(shelf.record(library), libraries=[city])
    shelf.book(shelf.record(library), shelf.record(archive), record=THESIS_OF_1989)
    NumberCounter.objects.create(pk=1, last=Manifestation.objects.count())
    return city


def test_the_properties_of_a_book():
    facts = facts_of(THESIS_OF_1989, TODAY)
    assert (facts.types, facts.division, facts.year, facts.decade) == (("DoctoralDissertation",), "9", "1989", "1980")
    assert (facts.licence, facts.online) == ("cc-by", False)


def test_shares_are_kept_by_month(filled, library):
    work = record(
        identifiers=(Identifier(scheme="DOI", value="10.1234/5"),),
        creators=(Agent(name="例", identifiers=(Identifier(scheme="ORCID", value="0000-0002-1825-0097"),)),),
        fundings=(Funding(funder=Agent(name="例財団")),),
        access_rights=("open access",),
    )
    Manifestation.objects.filter(pk=Manifestation.objects.first().pk).update(record=pack_record(work))
    now = timezone.now()
    contents.count_contents(now)
    ContentFigures.objects.filter(kind="provider", number=library.pk).update(
        counts={"titles_by_month": {"2020-01": 4}, "doi_by_month": {"2020-01": 1}}
    )
    contents.count_contents(now + timedelta(seconds=1))
    earlier, this = months_in(figures.figures_of("provider", library.pk).counts)
    assert (earlier.month, earlier.titles, earlier.counts, earlier.percents[1]) == ("2020-01", 4, (0, 1, 0, 0), 25.0)
    assert (this.titles, this.counts, this.percents) == (2, (1, 1, 1, 1), (50.0,) * 4)
    [whole] = months_in(figures.whole().counts)
    assert (whole.titles, whole.counts) == (2, (1, 1, 1, 1))


def test_an_orcid_with_a_wrong_check_digit_does_not_count():
    wrong = Agent(name="例", identifiers=(Identifier(scheme="ORCID", value="0000-0002-1825-0098"),))
    assert facts_of(record(creators=(wrong,)), TODAY).traits == ()


@pytest.mark.parametrize(("issued", "year"), [("1989", "1989"), ("0007", ""), ("2099", ""), ("", ""), ("2027", "2027")])
def test_a_year_that_cannot_be_true_is_unknown(issued, year):
    assert facts_of(record(issued=issued), TODAY).year == year


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({}, ""),
        ({"rights": ("無断転載を禁ず",)}, ""),
        ({"rights": (CC_BY,)}, "cc-by"),
        ({"licenses": (License(uri="https://example.jp/terms"),)}, OTHER),
    ],
)
def test_only_licences_with_a_name_are_told_apart(fields, licence):
    assert facts_of(record(**fields), TODAY).licence == licence


def test_the_whole_catalogue_is_counted_by_one_property_and_by_two(filled):
    assert contents.count_contents(timezone.now()) == 2
    found = figures.whole()
    assert found.books == 2
    assert found.by("type") == {"Book": 1, "DoctoralDissertation": 1}
    assert found.by("licence") == {"": 1, "cc-by": 1}
    assert found.table("class_year") == {"": {"1989": 1}, "9": {"1989": 1}}
    assert found.table("type_licence") == {"Book": {"": 1}, "DoctoralDissertation": {"cc-by": 1}}
    assert found.by("prefecture")["13"] == 1


def test_each_provider_and_library_is_counted_with_its_partners(filled, library, archive):
    contents.count_contents(timezone.now())
    provider = figures.figures_of("provider", library.pk)
    assert (provider.books, provider.by("decade")) == (2, {"1980": 2})
    assert provider.table("type_decade") == {"Book": {"1980": 1}, "DoctoralDissertation": {"1980": 1}}
    assert provider.table("type_licence") == {"Book": {"": 1}, "DoctoralDissertation": {"cc-by": 1}}
    assert figures.figures_of("library", filled.pk).table("type_decade") == {"Book": {"1980": 1}}
    assert provider.by("partner") == {str(filled.pk): 1}
    assert figures.figures_of("library", filled.pk).by("partner") == {str(library.pk): 1}
    assert [found.number for found in figures.largest("provider", 5)] == [library.pk, archive.pk]

    contents.count_contents(timezone.now())
    Member.objects.filter(source_record__repository=archive).delete()
    contents.count_contents(timezone.now() + timedelta(days=1))
    assert figures.figures_of("provider", archive.pk) is None
    assert ContentFigures.objects.filter(kind="all").count() == 1


def test_a_count_is_due_after_the_first_books_after_a_day_and_after_much_growth(filled):
    assert contents.is_due()
    contents.count_contents(timezone.now())
    assert not contents.is_due()
    ContentFigures.objects.update(counted_at=timezone.now() - timedelta(days=1))
    assert contents.is_due()
    contents.count_contents(timezone.now())
    NumberCounter.objects.update(last=100)
    assert contents.is_due()


def test_nothing_is_counted_on_an_empty_site(db):
    assert not contents.is_due()


def test_arrivals_outlive_the_daily_counts(filled, library):
    now = timezone.now()
    day = DailyCount.objects.create(repository=library, day=date(2025, 3, 9), created=7, counted_at=now)
    DailyCount.objects.create(repository=library, day=date(2025, 3, 10), created=5, counted_at=now)
    contents.count_contents(now)
    day.delete()
    contents.count_contents(now + timedelta(days=1))
    assert figures.figures_of("provider", library.pk).by("arrived") == {"2025-03": 12}
    assert figures.whole().by("arrived") == {"2025-03": 12}


def test_the_newest_readable_books_are_named(filled, shelf, library):
    readable = shelf.book(shelf.record(library), record=record(access_rights=("open access",)))
    contents.count_contents(timezone.now())
    assert figures.whole().online_newest == (readable.pk,)
    assert figures.whole().online == 1


def test_the_number_of_queries_does_not_grow_with_the_books(filled, shelf, library, django_assert_max_num_queries):
    for _number in range(20):
        shelf.book(shelf.record(library), libraries=[filled])
    with django_assert_max_num_queries(25):
        contents.count_contents(timezone.now())
