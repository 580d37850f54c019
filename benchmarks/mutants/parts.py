"""The parts that are measured, their mutants, and the mutants that no test can notice."""

import tomllib
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parent.parent.parent
EQUIVALENT = Path(__file__).parent / "equivalent.toml"


class Part(NamedTuple):
    """Modules or folders with code, and the tests that concern it."""

    code: tuple[str, ...]
    tests: tuple[str, ...]


class Mutant(NamedTuple):
    """One change of a file. operator: of Cosmic Ray. occurrence: which of the places that it can change, from 0."""

    path: str
    operator: str
    occurrence: int

    @property
    def name(self) -> str:
        return f"{self.path} {self.operator} {self.occurrence}"


ROUND_TRIPS = ("tests/metadata/formats/test_round_trip.py", "tests/metadata/formats/test_round_trip_generated.py")
# Without `test_truth`, which needs data beside the repository, and minutes.
MATCHING = (
    *(f"tests/aggregator/matching/{folder}" for folder in ("comparison", "features", "groups")),
    *(f"tests/aggregator/matching/test_{name}.py" for name in ("keys", "patterns", "reasons", "signs")),
    *(
        f"tests/aggregator/matching/evaluation/test_{name}.py"
        for name in ("bounds", "calibration", "files", "learning", "measures", "training")
    ),
)
PARTS = {
    "decisions": Part(
        ("harvesting/records/decisions.py",),
        ("tests/harvesting/harvest", "tests/harvesting/completion", "tests/harvesting/records"),
    ),
    "guards": Part(
        ("harvesting/completion/guards.py",), ("tests/harvesting/completion", "tests/harvesting/harvest/test_run.py")
    ),
    "dcndl": Part(
        ("metadata/formats/dcndl",),
        ("tests/metadata/formats/dcndl", *ROUND_TRIPS, "tests/metadata/formats/test_through_dcndl.py"),
    ),
    "jpcoar": Part(("metadata/formats/jpcoar",), ("tests/metadata/formats/jpcoar", *ROUND_TRIPS)),
    "matching": Part(("aggregator/matching",), MATCHING),
    "merge": Part(("aggregator/merge",), ("tests/aggregator/merge",)),
}


def mutants(code: tuple[str, ...]) -> Iterator[Mutant]:
    """Return every mutant of these modules and folders."""
    for path in sorted(path for name in code for path in files(ROOT / name)):
        tree = get_ast(path.read_text())
        for name in sorted(name for name in operator_names() if not get_operator(name).arguments()):
            count = occurrences(tree, name)
            yield from (Mutant(str(path.relative_to(ROOT)), name, number) for number in range(count))


def files(path: Path) -> list[Path]:
    return list(path.rglob("*.py")) if path.is_dir() else [path]


def occurrences(tree: Any, name: str) -> int:
    """Return how many places of a file the operator can change."""
    operator, nodes, count = get_operator(name)(), [tree], 0
    while nodes:
        node = nodes.pop()
        count += len(list(operator.mutation_positions(node)))
        nodes += getattr(node, "children", [])
    return count


def mutated(mutant: Mutant) -> str:
    """Return the source of the mutant's file with its change."""
    changed = mutate_code((ROOT / mutant.path).read_text(), get_operator(mutant.operator)(), mutant.occurrence)
    if changed is None:
        raise ValueError(f"nothing to change: {mutant}")
    return changed


def difference(mutant: Mutant, changed: str) -> str:
    """Return the lines that differ, as in equivalent.toml: `old => new`, without indentation."""
    old, new = (
        [line.strip() for line in source.splitlines()] for source in ((ROOT / mutant.path).read_text(), changed)
    )
    if len(old) == len(new):
        return "; ".join(f"{before} => {after}" for before, after in zip(old, new, strict=True) if before != after)
    changes = [
        change for change in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if change[0] != "equal"
    ]
    pairs = [(old[start:end], new[first:last]) for _, start, end, first, last in changes]
    return "; ".join(" => ".join(" ".join(filter(None, lines)) for lines in pair) for pair in pairs)


class Equivalent:
    """The mutants of equivalent.toml."""

    def __init__(self) -> None:
        listed = tomllib.loads(EQUIVALENT.read_text())["mutant"]
        self._listed = {(entry["path"], f"{entry['old']} => {entry['new']}") for entry in listed}

    def has(self, mutant: Mutant, changed: str) -> bool:
        """Whether no test can notice the mutant. The path "*" in the list stands for any file."""
        change = difference(mutant, changed)
        return not self._listed.isdisjoint({(mutant.path, change), ("*", change)})
