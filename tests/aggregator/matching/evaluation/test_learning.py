"""Learning a model from labelled records: what it makes of them, and that nothing helps to judge its own family."""

import msgspec
import pytest

from aggregator.matching import extract_features
from aggregator.matching.comparison.compare import VETOES, outcomes
from aggregator.matching.comparison.weights import LIMITS, VETO, Model
from aggregator.matching.evaluation.cross_validation import (
    CrossValidation,
    LabelledPair,
    LabelledRecords,
    Sample,
    Thresholds,
    best_thresholds,
    learn_weights,
    lowest_threshold,
    make_rules,
)
from aggregator.matching.evaluation.learning import learn, sample_of_pairs
from aggregator.matching.evaluation.training import fold_of
from aggregator.matching.features.row import VERSION
from tests.aggregator.matching.books import book

TITLES = ("山の音", "川の音", "海の色", "雪の国", "森の歌", "空の旅", "花の名", "鳥の声", "風の町", "星の夜")
AUTHORS = ("夏目漱石", "森鷗外", "芥川竜之介", "川端康成", "三島由紀夫")


def catalogued(number: int) -> dict[str, object]:
    """Three descriptions of a book, and one of a reprint that is another book."""
    title, author, year = TITLES[number % 10], AUTHORS[number // 10], 1950 + number
    isbn = f"97840031{number:04}0"
    full = {"author": author, "publisher": "岩波書店", "year": str(year), "extent": f"{100 + number}p"}
    return {
        f"{number}-a": book(title, isbn=isbn, **full),
        f"{number}-b": book(title, **full),
        f"{number}-c": book(title, author=author, year=str(year)),
        f"{number}-d": book(title, author=author, publisher="新潮社", year=str(year + 20), extent=f"{300 + number}p"),
    }


@pytest.fixture(scope="module")
def labelled() -> LabelledRecords:
    rows = {name: extract_features(record) for number in range(50) for name, record in catalogued(number).items()}
    truth = {name: name if name.endswith("d") else name[:-2] for name in rows}
    return LabelledRecords(rows, truth, {name: name[:-2] for name in rows})


@pytest.fixture(scope="module")
def learned(labelled: LabelledRecords) -> tuple[Model, dict[str, object]]:
    figures: dict[str, object] = {"command": "train"}
    pairs = [("1-a", "1-b", True), ("1-b", "1-c", True), ("2-a", "2-d", False), ("2-a", "nowhere", True)]
    judged = sample_of_pairs("judged", labelled.rows, pairs, 0.25)
    model, score = learn(labelled, [judged], figures)
    assert (score.precision, score.largest) == (1.0, 3)
    assert score.recall > 0.9
    return model, figures


def test_every_pair_with_a_common_key_is_compared_and_labelled(labelled: LabelledRecords) -> None:
    sample = labelled.sample()
    assert {pair.same for pair in sample.pairs} == {True, False}
    assert labelled.same(("1-a", "1-b"))
    assert not labelled.same(("1-a", "1-d"))
    assert len(sample.pairs) == len(labelled.patterns) >= 150
    by_names = dict(zip(labelled.patterns, sample.pairs, strict=True))
    pair = by_names["1-a", "1-b"]
    assert (pair.same, pair.families) == (True, ("1", "1"))
    assert pair.pattern == tuple(outcomes(labelled.rows["1-a"], labelled.rows["1-b"]))


def test_agreement_adds_and_disagreement_subtracts(learned) -> None:
    weights = learned[0].weights
    assert weights["author"]["same"] > 0 > weights["author"]["different"]
    assert weights["year"]["same"] > 0 > weights["year"]["very_far"]
    assert weights["pages"]["same"] > 0 > weights["pages"]["different"]


def test_a_veto_and_a_limit_are_in_no_model(learned) -> None:
    stored = {(rule, outcome) for rule, table in learned[0].weights.items() for outcome in table}
    assert stored.isdisjoint(VETOES)
    assert stored.isdisjoint(LIMITS.values())
    assert all(weight > VETO for table in learned[0].weights.values() for weight in table.values())


def test_the_thresholds_are_in_order_and_chances_rise(learned) -> None:
    model = learned[0]
    assert model.floor < model.review <= model.join - 1 < model.join <= model.certain
    assert list(model.chances) == sorted(model.chances)
    assert [chance for _, chance in model.chances] == sorted(chance for _, chance in model.chances)
    assert (model.version, model.features) == (2, VERSION)
    assert model.chance(model.certain + 1) > 0.9 > 0.5 > model.chance(model.floor)


def test_a_model_says_from_what_it_was_learned_and_how_good_it_is(learned) -> None:
    model, figures = learned
    assert model.trained is figures
    assert figures["command"] == "train"
    assert figures["grouped"]["precision"] == 1.0
    assert figures["grouped"]["largest"] == 3
    assert figures["certain"]["precision"] == 0.987
    assert 0.5 < figures["certain"]["recall"] <= 1
    assert figures["pairs"] == {"judged": {"precision": 1.0, "recall": 1.0, "f1": 1.0}}
    assert set(figures["tenths"]) == {"records", "judged"}
    assert sum(pairs for pairs, *_shares in figures["tenths"]["judged"]) == 2  # a veto decides the third
    tenths = figures["tenths"]["records"]
    assert all(pairs > 0 and 0 < margin < 0.5 for pairs, _stated, _true, margin in tenths)
    wrong_by = sum(pairs * abs(stated - true) for pairs, stated, true, _margin in tenths)
    assert wrong_by < 0.1 * sum(pairs for pairs, *_shares in tenths)


def test_judged_pairs_of_unknown_records_are_left_out_and_connected_ones_are_a_family(labelled) -> None:
    pairs = [("1-a", "1-b", True), ("1-b", "2-a", False), ("3-a", "3-b", True), ("3-a", "nowhere", True)]
    sample = sample_of_pairs("judged", labelled.rows, pairs, 0.25)
    assert [pair.same for pair in sample.pairs] == [True, False, True]
    families = [pair.families for pair in sample.pairs]
    assert families[0] == families[1] != families[2]
    assert (sample.name, sample.share) == ("judged", 0.25)


def test_a_family_is_judged_by_weights_of_the_others_only(labelled: LabelledRecords) -> None:
    """In one family of all, the pairs say the opposite of what they say elsewhere."""
    agree, differ = (("publisher", "same"),), (("publisher", "different"),)
    odd = next(str(number) for number in range(100) if fold_of(str(number), 5) == 0)
    usual = [str(number) for number in range(100) if fold_of(str(number), 5) != 0]
    pairs = [
        *(LabelledPair(pattern=agree, same=True, families=(family, family)) for family in usual),
        *(LabelledPair(pattern=differ, same=False, families=(family, family)) for family in usual),
        *(LabelledPair(pattern=agree, same=False, families=(odd, odd)) for _ in range(500)),
    ]
    trial = CrossValidation(labelled, [Sample(name="odd", pairs=tuple(pairs), share=0.9)])
    judged = {family: trial.log_odds(LabelledPair(pattern=agree, same=True, families=(family, family)))
              for family in (odd, usual[0])}  # fmt: skip
    assert judged[odd] > judged[usual[0]]


def test_scores_of_pairs_that_a_veto_decides_are_no_measure(labelled: LabelledRecords) -> None:
    trial = CrossValidation(labelled)
    veto = next(iter(VETOES))
    free = LabelledPair(pattern=(("publisher", "same"),), same=True, families=("1", "1"))
    vetoed = msgspec.structs.replace(free, pattern=(("publisher", "same"), veto))
    unsupported = msgspec.structs.replace(free, pattern=(("support", "none"),))
    assert (free.free, vetoed.free, unsupported.free) == (True, False, False)
    assert len(trial.scored(Sample(name="", pairs=(free, vetoed, unsupported)))) == 1
    scores = [score for score, _same in trial.scored_pairs()]
    assert scores == sorted(scores, reverse=True)


def test_a_sample_counts_by_its_share_and_not_by_its_size() -> None:
    pattern = (("publisher", "rather"),)  # no bound

    def sample(name: str, same: bool, count: int, share: float) -> Sample:
        pair = LabelledPair(pattern=pattern, same=same, families=("1", "1"))
        return Sample(name=name, pairs=(pair,) * count, share=share)

    few, many = sample("few", True, 10, 0.75), sample("many", False, 1000, 0.0)
    weights, bias = learn_weights([few, many])
    assert weights[pattern[0]] + bias == pytest.approx(1.0986, abs=0.05)  # three to one
    only, other = learn_weights([few, many], lambda family: family != "1")
    assert (only, other) == ({}, 0.0)


def test_thresholds_leave_the_bias_out_as_scores_do() -> None:
    same = ("publisher", "same")
    rules = make_rules(({same: 1.234}, -2.0), Thresholds(certain=3.0, join=0.5, review=-1.0, floor=-6.0))
    assert (rules.join, rules.review, rules.floor) == (2.5, 1.0, -4.0)
    assert rules.evidence_of[same].weight == 1.23
    assert rules.evidence_of["support", "title_only"].weight == -2.5
    assert rules.evidence_of["number", "different_jpno"].weight == -6.0  # its bound, without any pair
    assert all(rules.evidence_of[outcome].weight == VETO for outcome in VETOES)


def test_the_best_thresholds_find_most_at_the_wanted_precision(labelled: LabelledRecords) -> None:
    trial = CrossValidation(labelled)
    usual, strict = (Thresholds(join=join, floor=-7.0) for join in (0.0, 40.0))
    assert trial.tally(strict).score().recall < trial.tally(usual).score().recall
    chosen, tally = best_thresholds(trial, [strict, usual], 0.979)
    assert (chosen, tally.records) == (usual, len(labelled.rows))


@pytest.mark.parametrize(
    ("pairs", "precision", "found"),
    [
        ([(3.0, True), (2.0, True), (1.0, False)], 1.0, (2.0, 1.0)),
        ([(3.0, True), (2.0, False), (1.0, True)], 1.0, (3.0, 0.5)),
        ([(3.0, True), (2.0, False), (1.0, True)], 0.6, (1.0, 1.0)),
        ([(3.05, True), (2.0, False)], 1.0, (3.0, 1.0)),  # a multiple of 0.1
        ([(3.05, True), (3.04, False), (2.0, False)], 1.0, (4.05, 0.0)),  # no multiple lies between them
        ([(3.0, False)], 1.0, (4.0, 0.0)),
        ([], 1.0, (0.0, 0.0)),
    ],
)
def test_the_lowest_threshold_that_is_precise_enough(
    pairs: list[tuple[float, bool]], precision: float, found: tuple[float, float]
) -> None:
    assert lowest_threshold(pairs, precision) == found
