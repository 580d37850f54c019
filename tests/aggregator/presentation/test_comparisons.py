"""Comparisons in plain words: the likelihood is never certain, and every sign is on the side where it belongs."""

import pytest
from django.utils import translation

from aggregator.catalogue.books import Description
from aggregator.matching import VETO, Evidence
from aggregator.matching.comparison.decide import stated_probability
from aggregator.matching.reasons import Step
from aggregator.presentation import comparisons
from aggregator.presentation.comparisons import compared, likelihood, strongest_difference
from harvesting.models import Repository
from metadata.record import BibliographicRecord


def described(name: str) -> Description:
    return Description(0, name, Repository(), BibliographicRecord())


def step(*evidence: Evidence) -> Step:
    total = sum(item.weight for item in evidence)
    return Step(first="a", second="b", score=VETO if total < VETO / 2 else total, evidence=evidence)


KNOWN = {name: described(name) for name in "ab"}


@pytest.mark.parametrize(
    ("chance", "en", "ja"),
    [
        (1.0, "99% or more likely to be the same book", "同じ本である確率 99%以上"),
        (0.99, "99% or more likely to be the same book", "同じ本である確率 99%以上"),
        (0.9703, "about 97% likely to be the same book", "同じ本である確率 約97%"),
        (0.01, "about 1% likely to be the same book", "同じ本である確率 約1%"),
        (0.0, "less than 1% likely to be the same book", "同じ本である確率 1%未満"),
    ],
)
def test_the_likelihood_is_a_percentage_but_never_0_or_100(monkeypatch, chance, en, ja):
    monkeypatch.setattr(comparisons, "stated_probability", lambda _score: chance)
    for language, expected in (("en", en), ("ja", ja)):
        with translation.override(language):
            assert likelihood(1.0) == expected


@pytest.mark.parametrize("score", [VETO, -30.0, -1.0, 0.0, 1.0, 30.0])
def test_the_probability_grows_with_the_score(score):
    assert 0 <= stated_probability(score) <= stated_probability(score + 1) <= 1
    assert stated_probability(-4.0) < 0.2 < stated_probability(0.0) < 0.8 < stated_probability(5.0)


def test_every_sign_is_listed_on_its_side_with_its_strength():
    about = step(
        Evidence("isbn", "same", 3.5),
        Evidence("author", "same", -0.28),
        Evidence("title", "core", 0.6),
        Evidence("year", "far", -1.7),
        Evidence("pages", "different", 0.3),
    )
    with translation.override("en"):
        found = compared(about, KNOWN)
    assert [(line.text, line.strength) for line in found.same] == [
        ("The ISBN agrees", "strong sign"),
        ("The main title agrees; only one has a subtitle", "weak sign"),
    ]
    assert [(line.text, line.strength) for line in found.different] == [("The years differ", "strong sign")]
    assert {line.text for line in found.neither} == {"The author agrees", "The numbers of pages differ"}
    assert found.points.total == "+2.4"


def test_a_veto_is_decisive_and_has_no_total():
    about = step(Evidence("isbn", "same", 3.5), Evidence("volume", "different", VETO))
    with translation.override("en"):
        found = compared(about, KNOWN)
        assert strongest_difference(about) == "The volumes differ"
    assert [line.strength for line in found.vetoes] == ["decisive"]
    assert (found.likelihood, found.points.total) == ("less than 1% likely to be the same book", "")


def test_a_ruling_of_staff_has_no_likelihood():
    found = compared(step(Evidence("staff", "same", 100.0)), KNOWN)
    assert found.likelihood == ""
    assert [line.kind for line in found.same] == ["decisive"]
