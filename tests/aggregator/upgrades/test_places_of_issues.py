"""Issues that earlier versions stored have the places that issues have now, so that ignored ones stay ignored."""

from importlib import import_module

import pytest
from django.apps import apps

from harvesting.models import RecordIssue
from metadata.deposits.needs import check_deposit
from metadata.record import Agent, BibliographicRecord, Identifier
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.metadata.formats.jpcoar.test_rules import read_jpcoar

MIGRATION = import_module("harvesting.migrations.0035_places_of_issues")


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("dcndl.E013", "dcterms:identifier[@ISBN]", "dcterms:identifier[ISBN]"),
        ("dcndl.W023", "dcterms:subject[NDC9]", "dcterms:subject[NDC9]"),
        ("rss.W011", "dc:subject[@NDC]", "dc:subject[NDC]"),
        ("mods.E009", "identifier[@ISBN]", 'identifier[@type="isbn"]'),
        ("mods.E009", "identifier[@]", "identifier"),
        ("doi.E013", "jpcoar:sourceTitle[@en]", 'jpcoar:sourceTitle[@xml:lang="en"]'),
        ("doi.E013", "jtitle[@en]", 'jtitle[@lang="en"]'),
        ("jpcoar.E010", "URI[@HDL]", "URI"),
        (
            "jpcoar.W121",
            "jpcoar:creator/jpcoar:nameIdentifier[@ORCID]",
            'jpcoar:creator/jpcoar:nameIdentifier[@nameIdentifierScheme="ORCID"]',
        ),
        (
            "jpcoar.I039",
            "jpcoar:file/jpcoar:URI[@fulltext]",
            'jpcoar:file/jpcoar:URI[@objectType="fulltext"]',
        ),
        ("dcndl.W003", "dcndl:Item/@rdf:about", "dcndl:Item/@rdf:about"),
    ],
)
def test_a_place_names_the_attribute(code, before, after):
    assert MIGRATION.place(code, before) == after
    assert MIGRATION.place(code, after) == after


def test_the_places_are_those_that_reading_gives():
    doi = Identifier(scheme="Crossref", value="10.12345/1")
    thesis = BibliographicRecord(material_types=(), registrations=(doi,), publishers=(Agent(name="見本大学"),))
    places = {issue.code: issue.field for issue in check_deposit(thesis)}
    assert MIGRATION.place("doi.E004", "jpcoar:identifier[@HDL|@URI]") == places["doi.E004"]
    assert MIGRATION.place("doi.E011", "publisher[@en]") == places["doi.E011"]
    assert MIGRATION.place("doi.E002", "jpcoar:identifierRegistration[@Crossref]") == places["doi.E002"]
    dates = read_jpcoar('<datacite:date dateType="Available">来年</datacite:date>').issues
    assert MIGRATION.place("jpcoar.E017", "datacite:date[@Available]") in {issue.field for issue in dates}


@pytest.mark.django_db
def test_stored_issues_are_renamed():
    source = Shelf().put("provider", "a1", record("a1"))
    about = {"source_record": source, "repository": source.repository, "severity": "warning"}
    for field in ("jpcoar:identifier[@HDL]", "dc:title"):
        RecordIssue.objects.create(code="jpcoar.E010", field=field, value="x", **about)
    MIGRATION.rename(apps, None)
    places = RecordIssue.objects.order_by("field").values_list("field", flat=True)
    assert list(places) == ["dc:title", 'jpcoar:identifier[@identifierType="HDL"]']
