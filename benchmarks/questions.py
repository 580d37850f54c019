"""How many of the remaining errors staff are asked about: `python3 run.py bench questions FOLDER…`.

FOLDER holds records.jsonl and truth.jsonl. An error is a pair of records that are wrongly together or apart; a question
concerns those of its group or groups. Printed is the share of the errors that the first 60 questions for every 10,000
records concern, one pair each, and that the questions of the first 60 patterns concern (`aggregator.review.patterns`);
then what staff would do who judge every pair rightly and take up every offer (`aggregator.review.offers`). Once with
the weights of the aggregator, and once held out: five folds, each judged by weights that were learned from the others.
"""

import argparse
import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ.setdefault("DEBUG", "0")

import django

django.setup()  # the modules below need Django's apps

from aggregator.matching import JOIN, Features, Rules, extract_features  # noqa: E402
from aggregator.matching.comparison.decide import probability  # noqa: E402
from aggregator.matching.evaluation.cross_validation import (  # noqa: E402
    CrossValidation,
    LabelledRecords,
    Thresholds,
    make_rules,
)
from aggregator.matching.evaluation.files import read_rows, record_of  # noqa: E402
from aggregator.matching.groups import doubts  # noqa: E402
from aggregator.matching.groups.doubts import Doubt, doubt_within, doubts_between, worth  # noqa: E402
from aggregator.matching.groups.partition import Partition, partition  # noqa: E402
from aggregator.matching.patterns import pattern_of  # noqa: E402
from aggregator.review.offers import ENOUGH  # noqa: E402
from aggregator.review.patterns import MOST  # noqa: E402

FOLDS = 5
type Groups = dict[int, dict[int, int]]  # core -> the cores of its group with their numbers of kinds


@dataclass(frozen=True, slots=True)
class Question:
    """A question to staff. errors: pairs of records that it concerns and that are wrongly together or apart. same: the
    right answer. providers: those of the two records that stand for it.
    """

    pattern: tuple[bool, str]
    worth: float
    errors: int
    same: bool
    providers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """All questions about some records, and all errors, those that no question concerns included."""

    questions: list[Question]
    errors: int


def main(folders: list[Path]) -> None:
    for folder in folders:
        rows, truth, family = labelled(folder)
        print(f"{folder.name}: {len(rows)} records")
        show("the weights of the aggregator", ask(partition(rows), Rules(), truth, lambda name: True), len(rows))
        trial = CrossValidation(LabelledRecords(rows, truth, family), folds=FOLDS)
        parts = [held_out(trial, fold, truth) for fold in trial.folds]
        whole = Asked([question for part in parts for question in part.questions], sum(part.errors for part in parts))
        show("held out", whole, len(rows))


def labelled(folder: Path) -> tuple[dict[str, Features], dict[str, str], dict[str, str]]:
    """The features, the book and the family of each record."""
    with (folder / "records.jsonl").open("rb") as lines:
        rows = {row.id: extract_features(record_of(row)) for row in read_rows(lines)}
    right = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    truth = {row["id"]: row["manifestation"] for row in right}
    return rows, truth, {row["id"]: row.get("family") or row["manifestation"] for row in right}


def held_out(trial: CrossValidation, fold: int, truth: dict[str, str]) -> Asked:
    """The questions about the records of a fold, by weights that were learned from the others.

    Learned weights leave the bias out, so their scores are moved to the scale of the stated probabilities.
    """
    rules = make_rules(trial.models[fold], Thresholds())
    moved = patch.object(doubts, "probability", lambda score: probability(score + JOIN - rules.join))
    with moved:
        return ask(partition(trial.labelled.rows, rules=rules), rules, truth, lambda name: trial.fold[name] == fold)


def ask(found: Partition, rules: Rules, truth: dict[str, str], use: Callable[[str], bool]) -> Asked:
    """The questions and errors of a partition. use: whether a record is among those that are looked at."""
    members: defaultdict[int, list[str]] = defaultdict(list)
    for name in sorted(found.core_of):
        members[found.core_of[name]].append(name)
    groups: Groups = {}
    for group in found.groups:
        kinds = {core: found.cores[core].kinds for core in group.cores}
        groups.update((core, kinds) for core in kinds)  # the same object for all cores of a group
    books = {id(group): Counter(truth[name] for core in group for name in members[core]) for group in groups.values()}
    questions = []
    for doubt in _doubts(found, groups, rules):
        sides = list({id(groups[core]): books[id(groups[core])] for core in (doubt.first, doubt.second)}.values())
        shown = [members[core][0] for core in (doubt.first, doubt.second)]
        if use(shown[0]):
            questions.append(
                Question(
                    (doubt.joined, pattern_of(found.comparisons.evidence(doubt.first, doubt.second))),
                    worth(doubt.chance, *(side.total() for side in sides)),
                    _wrong(sides[0])
                    if doubt.joined
                    else sum(count * sides[1][book] for book, count in sides[0].items()),
                    truth[shown[0]] == truth[shown[1]],
                    frozenset(name.partition(":")[0] for name in shown),
                )
            )
    return Asked(questions, _all_errors(found, truth, use))


def _doubts(found: Partition, groups: Groups, rules: Rules) -> Iterator[Doubt]:
    for group in {id(group): group for group in groups.values()}.values():
        doubt = doubt_within(group, found.comparisons, (), rules)
        if doubt and doubt.asked:
            yield doubt
    yield from filter(
        lambda doubt: doubt.asked, doubts_between(sorted(found.likely), groups, (), found.comparisons, rules)
    )


def _all_errors(found: Partition, truth: dict[str, str], use: Callable[[str], bool]) -> int:
    """Wrong pairs of the groups that begin with a record in use, and missed pairs of the books that do."""
    together: defaultdict[str, Counter[int]] = defaultdict(Counter)  # book -> group -> records
    first: dict[str, str] = {}
    wrong = 0
    for number, names in enumerate(found.records()):
        wrong += _wrong(Counter(truth[name] for name in names)) if use(names[0]) else 0
        for name in names:
            together[truth[name]][number] += 1
            first[truth[name]] = min(name, first.get(truth[name], name))
    return wrong + sum(_wrong(counts) for book, counts in together.items() if use(first[book]))


def _wrong(counts: "Counter[str] | Counter[int]") -> int:
    """Pairs of different kinds among so many of each kind."""
    return (counts.total() ** 2 - sum(count**2 for count in counts.values())) // 2


def show(name: str, asked: Asked, records: int) -> None:
    """Print the shares, and what becomes of the questions of the first patterns."""
    most = max(1, MOST * records // 10_000)
    single = sorted(asked.questions, key=lambda question: -question.worth)
    by_pattern: defaultdict[tuple[bool, str], list[Question]] = defaultdict(list)
    for question in single:
        by_pattern[question.pattern].append(question)
    patterns = sorted(by_pattern.values(), key=lambda questions: -sum(question.worth for question in questions))
    first = [question for questions in patterns[:most] for question in questions]
    share = partial(_share, whole=asked.errors)
    print(f"  {name}: {asked.errors} errors, {len(single)} questions, {len(patterns)} patterns")
    print(f"    the first {most} questions, one pair each: {share(single[:most]):.3f} of the errors")
    print(f"    the first {most} patterns, {len(first)} pairs: {share(first):.3f}; all questions: {share(single):.3f}")
    judged, offered = _reviewed(patterns[:most])
    right = [question for question, is_right in offered if is_right]
    settled, by_offers = _reviewed(patterns[:most], most)
    first_right = [question for question, is_right in by_offers if is_right]
    print(f"    after the first {most} judgements in this order: {share(settled + first_right):.3f}")
    print(
        f"    judged one by one {len(judged)}, answered by offers {len(offered)}, of these rightly {len(right)}; "
        f"errors settled: {share(judged + right):.3f}"
    )


def _share(questions: list[Question], whole: int) -> float:
    return sum(question.errors for question in questions) / (whole or 1)


def _reviewed(
    patterns: list[list[Question]], most: int | None = None
) -> tuple[list[Question], list[tuple[Question, bool]]]:
    """The questions that staff judge, and those that offers answer, each with whether rightly. most: judgements."""
    judged: list[Question] = []
    offered: list[tuple[Question, bool]] = []
    for questions in patterns:
        answers: defaultdict[str, list[bool]] = defaultdict(list)
        for question in questions:
            alike = [answers[provider] for provider in sorted(question.providers)]
            settled = next((given[0] for given in alike if len(given) >= ENOUGH and len(set(given)) == 1), None)
            if settled is not None:
                offered.append((question, settled == question.same))
                continue
            if len(judged) == most:
                break
            judged.append(question)
            for given in alike:
                given.append(question.same)
    return judged, offered


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python3 run.py bench questions", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="with records.jsonl and truth.jsonl")
    main(parser.parse_args().folders)
