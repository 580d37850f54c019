"""Which faults the tests notice: `python3 run.py bench mutants decisions --sample 400 --seed 1`.

Cosmic Ray changes one place of a copied tree at a time, and the tests of the part run. A mutant survives if they still
pass. The places are drawn at random from all changes that Cosmic Ray knows for the part, so that a part of any size can
be measured; the same seed draws the same ones.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parent.parent
GOAL = 0.85  # of the mutants that are noticed
TIMEOUT = 120  # seconds: a mutant whose tests do not end is noticed
LEFT_OUT = (".git", ".venv", "var", "__pycache__")


class Part(NamedTuple):
    """Modules or folders with code, and the tests that concern it."""

    code: tuple[str, ...]
    tests: tuple[str, ...]


class Mutant(NamedTuple):
    """The place in a file that an operator changes, counted from 0."""

    path: str
    operator: str
    occurrence: int


PARTS = {
    "decisions": Part(
        ("harvesting/records/decisions.py",),
        ("tests/harvesting/harvest/test_run.py", "tests/harvesting/completion/test_deletion_decisions.py"),
    ),
    "guards": Part(("harvesting/completion/guards.py",), ("tests/harvesting/completion/test_guards.py",)),
    "dcndl": Part(
        ("metadata/formats/dcndl",), ("tests/metadata/formats/dcndl", "tests/metadata/formats/test_round_trip.py")
    ),
    "jpcoar": Part(
        ("metadata/formats/jpcoar",), ("tests/metadata/formats/jpcoar", "tests/metadata/formats/test_round_trip.py")
    ),
    "matching": Part(("aggregator/matching",), ("tests/aggregator/matching",)),
    "merge": Part(("aggregator/merge",), ("tests/aggregator/merge",)),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 run.py bench mutants", description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    part = PARTS[options.part]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder, "tree")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        if is_noticed(copy, part.tests):
            print("the tests fail without any mutant", file=sys.stderr)
            return 2
        everything = list(mutants(part.code))
        drawn = random.Random(options.seed).sample(everything, min(options.sample, len(everything)))
        survivors = [mutant for mutant in drawn if survives(copy, mutant, part.tests)]
    share = 1 - len(survivors) / len(drawn)
    print(f"{options.part}: {len(drawn)} of {len(everything)} mutants, {len(survivors)} survive, {share:.1%} noticed")
    return int(share < GOAL)


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


def survives(copy: Path, mutant: Mutant, tests: tuple[str, ...]) -> bool:
    """Say whether the tests pass with the mutant, and print it if they do."""
    source = (ROOT / mutant.path).read_text()
    changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    if changed is None:
        raise ValueError(f"nothing to change: {mutant}")
    (copy / mutant.path).write_text(changed)
    noticed = is_noticed(copy, tests)
    (copy / mutant.path).write_text(source)
    if not noticed:
        print(
            f"survives: {mutant.path} {mutant.operator} {mutant.occurrence}\n{difference(source, changed)}", flush=True
        )
    return not noticed


def is_noticed(copy: Path, tests: tuple[str, ...]) -> bool:
    """Say whether a test fails in the copied tree."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *tests]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        done = subprocess.run(command, check=False, cwd=copy, env=os.environ, timeout=TIMEOUT, **quiet)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def difference(source: str, changed: str) -> str:
    pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
    return "\n".join(f"  - {old}\n  + {new}" for old, new in pairs if old != new)


if __name__ == "__main__":
    sys.exit(main())
