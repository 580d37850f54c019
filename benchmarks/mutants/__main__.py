"""Measures how many planted faults the tests notice: `python3 run.py bench mutants decisions --sample 400 --seed 1`.

Cosmic Ray changes one place of a part's code at a time, and the part's tests run (`trial`). A mutant survives if they
still pass. The places are drawn at random from all changes that Cosmic Ray knows for the part, so that a part of any
size can be measured; the same seed draws the same ones. Mutants that compile to the same bytecode are left out, and
those of `equivalent.toml`, which no test can notice.

Results are kept in `var/mutants`, so that a later call goes on: a mutant that was noticed is not tried again while its
file is the same, one that survived is tried again after the tests have changed.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import redirect_stdout
from hashlib import sha256
from io import StringIO
from math import sqrt
from pathlib import Path

import pytest

from benchmarks.mutants.fresh import OPTIONS, Fresh
from benchmarks.mutants.parts import PARTS, ROOT, Equivalent, Mutant, difference, files, mutants, mutated
from benchmarks.mutants.trial import NOTICED, SAME, SURVIVES, Trials

GOAL = 0.85  # of the mutants that are noticed
RESULTS = ROOT / "var" / "mutants"
MEMORY = Path("/dev/shm")  # files without a disk
ENOUGH = 2_000_000_000  # bytes that must be free there


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 run.py bench mutants", description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    part = PARTS[options.part]
    everything = list(mutants(part.code))
    drawn = draw(everything, options.sample, options.seed)
    kept = Kept(RESULTS / f"{options.part}.jsonl", part.tests)
    known = Equivalent()
    untried = [(mutant, mutated(mutant)) for mutant in drawn if not kept.outcome(mutant)]
    to_try = [(mutant, changed) for mutant, changed in untried if not known.has(mutant, changed)]
    if to_try:
        where = MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH else None
        with tempfile.TemporaryDirectory(prefix="mutants-", dir=where) as folder:
            failed = Path(folder) / "failed.txt"
            trials = Trials(Fresh(Path(folder), part.tests, failed), failed, to_try, kept.add)
            with redirect_stdout(StringIO()):
                pytest.main([*OPTIONS, f"--basetemp={folder}/tests", *part.tests], plugins=[trials])
        if not trials.passes_without:
            print("the tests fail without any mutant", file=sys.stderr)
            return 2
    return report(options.part, len(everything), drawn, kept, known)


def draw(everything: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Draw mutants at random. Those of a file that stays the same are drawn again after other files have changed."""
    return sorted(everything, key=lambda mutant: sha256(f"{seed} {mutant.name}".encode()).digest())[:count]


def report(name: str, total: int, drawn: list[Mutant], kept: "Kept", known: Equivalent) -> int:
    """Print every survivor and the share that was noticed. Return 1 if it is too small."""
    counts, same, listed = {NOTICED: 0, SURVIVES: 0}, 0, 0
    for mutant in drawn:
        result = kept.outcome(mutant)
        if result == SAME:
            same += 1
        elif result != NOTICED and known.has(mutant, mutated(mutant)):
            listed += 1
        else:
            counts[result] += 1
            if result == SURVIVES:
                change = difference(mutant, mutated(mutant))
                print(f"survives: {mutant.name}\n    {change}")
    tried = sum(counts.values()) or 1
    share = counts[NOTICED] / tried
    low, high = interval(counts[NOTICED], tried)
    print(
        f"{name}: {len(drawn)} of {total} mutants; {same} compile to the same, {listed} are listed as equivalent;"
        f" of the others {counts[NOTICED]} noticed, {counts[SURVIVES]} survive: {share:.1%} noticed"
        f" (95 % interval {low:.1%} to {high:.1%})"
    )
    return int(share < GOAL)


def interval(count: int, total: int) -> tuple[float, float]:
    """Return Wilson's interval in which the share of all mutants is with 95 % certainty, from that of a sample."""
    share, z = count / total, 1.96
    middle, half = share + z * z / (2 * total), z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - half) / (1 + z * z / total), (middle + half) / (1 + z * z / total)


class Kept:
    """The results of a part, of this call and of earlier ones."""

    def __init__(self, path: Path, tests: tuple[str, ...]) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.tests = digest(file for name in tests for file in files(ROOT / name))
        rows = path.read_text().splitlines() if path.exists() else []
        self.results = {row["mutant"]: row for row in map(json.loads, rows)}

    def outcome(self, mutant: Mutant) -> str:
        """Return the earlier result of a mutant; "" if there is none, or if its file, or the tests it survived, have changed."""
        row = self.results.get(mutant.name)
        if not row or row["code"] != digest([ROOT / mutant.path]):
            return ""
        return "" if row["outcome"] == SURVIVES and row["tests"] != self.tests else row["outcome"]

    def add(self, mutant: Mutant, outcome: str) -> None:
        code = digest([ROOT / mutant.path])
        row = {"mutant": mutant.name, "outcome": outcome, "code": code, "tests": self.tests}
        self.results[mutant.name] = row
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")


def digest(paths: Iterable[Path]) -> str:
    """Return a hash of the contents of these files."""
    made_of = sha256()
    for path in sorted(paths):
        made_of.update(path.read_bytes())
    return made_of.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
