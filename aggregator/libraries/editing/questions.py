"""Questions about libraries that only staff can answer: one code under two clearly different names, and two libraries
that are probably one. Computed from what is stored; answers are remembered.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models, transaction
from django.db.models import Count

from aggregator.libraries.editing.duplicates import Described, Pair, probable_duplicates
from aggregator.libraries.editing.name_conflicts import conflicting
from aggregator.libraries.identify import FA, ISIL, NDL
from aggregator.models import Library, LibraryAnswer, LibraryCode, LibraryName
from core.database.batches import select_in
from harvesting.audit.trail import note
from metadata.text.folding import fold_tight

TELLING_APART = (NDL, ISIL, FA)  # schemes of registers that give a library one code
ONE, TWO = LibraryAnswer.Verdict.ONE, LibraryAnswer.Verdict.TWO


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """A library under different names. names: with the keys of the providers that use them."""

    library: int
    names: Mapping[str, Sequence[int]]


def name_questions() -> list[NameQuestion]:
    """Return the libraries whose records give them clearly different names, without those that were answered."""
    counted = (
        LibraryName.objects.filter(library__merged_into=None)
        .values("library")
        .annotate(count=Count("name", distinct=True))
    )
    several = list(counted.filter(count__gt=1).values_list("library", flat=True))
    names: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for library, repository, name in sorted(
        select_in(LibraryName, ("library_id", "repository_id", "name"), "library_id", several)
    ):
        names[library][name].append(repository)
    related, accepted = _related(several), _accepted(several)
    found = []
    for library, own in names.items():
        if asked := conflicting(own, accepted.get(library, ()), related.get(library, ())):
            found.append(NameQuestion(library, {name: own[name] for name in asked}))
    return found


def pair_questions() -> list[Pair]:
    """Return the pairs of libraries that are probably one, without those that were answered."""
    described_by = ("pk", "name", "prefecture", "municipality")
    named: defaultdict[str, list[tuple[int, str, str, str]]] = defaultdict(list)
    for row in Library.objects.current().filter(closed_on=None).order_by().values_list(*described_by).iterator():
        named[fold_tight(row[1])].append(row)
    shared = [row for rows in named.values() if len(rows) > 1 for row in rows]
    if not shared:
        return []
    codes: defaultdict[int, set[tuple[str, str]]] = defaultdict(set)
    columns = ("library_id", "scheme", "value")
    for library, scheme, value in select_in(LibraryCode, columns, "library_id", [row[0] for row in shared]):
        if scheme in TELLING_APART:
            codes[library].add((scheme, value))
    described = (Described(*row, codes=frozenset(codes[row[0]])) for row in shared)
    answered = LibraryAnswer.objects.exclude(other=None).values_list("library", "other")
    return probable_duplicates(described, set(answered))


def count_questions() -> int:
    """Return how many questions there are."""
    return len(name_questions()) + len(pair_questions())


def answer_names(library: Library, verdict: str, names: Collection[str], person: Any) -> None:
    """Remember that these names are one library's, or two libraries'. Either way the question is asked again only when
    records use a name that is different from all of them.
    """
    folded = {fold_tight(name) for name in names}
    with transaction.atomic():
        row, _made = LibraryAnswer.objects.select_for_update(no_key=True).get_or_create(
            library=library, other=None, defaults={"verdict": verdict}
        )
        row.names, row.verdict, row.person = sorted({*row.names, *folded}), verdict, _name_of(person)
        row.save()
        note(person, "library.names", library, details={"answer": verdict, "names": " / ".join(sorted(names))})


def answer_pair(first: Library, second: Library, person: Any) -> None:
    """Remember that two libraries are not one."""
    lower, higher = sorted((first, second), key=lambda library: library.pk)
    with transaction.atomic():
        values = {"verdict": TWO, "person": _name_of(person)}
        LibraryAnswer.objects.update_or_create(library=lower, other=higher, defaults=values)
        note(person, "library.two", lower, details={"other": str(higher)})


def answers() -> models.QuerySet[LibraryAnswer]:
    """What staff have answered, the latest first."""
    return LibraryAnswer.objects.select_related("library", "other").order_by("-at", "-pk")


def names_of(given: Sequence[LibraryAnswer]) -> dict[int, list[str]]:
    """Return answer -> the names that it is about, as records write them; folded if no record uses them any more."""
    written: dict[tuple[int, str], str] = {}
    libraries = {answer.library_id for answer in given}
    for library, name in sorted(select_in(LibraryName, ("library_id", "name"), "library_id", libraries)):
        written.setdefault((library, fold_tight(name)), name)
    return {answer.pk: [written.get((answer.library_id, name), name) for name in answer.names] for answer in given}


def take_back(answer: LibraryAnswer, person: Any) -> None:
    """Forget an answer, so that its question is asked again if it still arises."""
    with transaction.atomic():
        details = {"answer": answer.verdict, "names": " / ".join(answer.names), "other": str(answer.other or "")}
        note(person, "library.answer_taken_back", answer.library, details=details)
        answer.delete()


def _related(libraries: Collection[int]) -> dict[int, list[str]]:
    """The names of the parents, of the branches and of the merged libraries of these libraries."""
    related: defaultdict[int, list[str]] = defaultdict(list)
    parents = select_in(Library, ("id", "parent_id"), "id", libraries)
    parent_of = {pk: parent for pk, parent in parents if parent}
    named = dict(select_in(Library, ("id", "name"), "id", set(parent_of.values())))
    for pk, parent in parent_of.items():
        related[pk].append(named[parent])
    for column in ("parent_id", "merged_into_id"):
        for name, of in select_in(Library, ("name", column), column, libraries):
            related[of].append(name)
    merged = dict(select_in(Library, ("id", "merged_into_id"), "merged_into_id", libraries))
    for pk, name in select_in(LibraryName, ("library_id", "name"), "library_id", merged):
        related[merged[pk]].append(name)
    return dict(related)


def _accepted(libraries: Collection[int]) -> dict[int, frozenset[str]]:
    rows = select_in(LibraryAnswer, ("library_id", "other_id", "names"), "library_id", libraries)
    return {library: frozenset(_listed(names)) for library, other, names in rows if other is None}


def _listed(names: Any) -> list[str]:
    """The value of a JSON column as a list: some drivers return the column as text."""
    return list(json.loads(names)) if isinstance(names, str | bytes) else list(names)


def _name_of(person: Any) -> str:
    return str(person.get_username()) if person else ""
