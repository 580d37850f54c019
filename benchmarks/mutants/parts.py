"""The parts that are measured, their mutants, and the mutants that no test can notice."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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


ROUND_TRIPS = ("tests/metadata/formats/test_round_trip.py", "tests/metadata/formats/test_round_trip_generated.py")
# Without `test_truth`, which needs data beside the repository, and minutes.
MATCHING = (
    *(f"tests/aggregator/matching/{folder}" for folder in ("comparison", "features", "groups")),
    *(f"tests/aggregator/matching/test_{name}.py" for name in ("keys", "reasons", "signs")),
    *(
        f"tests/aggregator/matching/evaluation/test_{name}.py"
        for name in ("calibration", "files", "learning", "measures", "training")
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


def occurrences(tree, name: str) -> int:
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
    old, new = (ROOT / mutant.path).read_text().splitlines(), changed.splitlines()
    if len(old) != len(new):
        return f"{len(old)} lines => {len(new)} lines"
    pairs = [(before.strip(), after.strip()) for before, after in zip(old, new, strict=True) if before != after]
    return "; ".join(f"{before} => {after}" for before, after in pairs)


def equivalent() -> dict[tuple[str, str], str]:
    """Return (path, difference) -> why no test can notice this mutant."""
    listed = tomllib.loads(EQUIVALENT.read_text())["mutant"]
    return {(entry["path"], f"{entry['old']} => {entry['new']}"): entry["reason"] for entry in listed}
