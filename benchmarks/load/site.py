"""A site with very many books, made once and used by every benchmark of load. Knows folders and processes; no request.

    python3 run.py bench load.site --site /somewhere/site1m --books 1000000

SQLite in the folder; with DATABASE_URL the rows go there (an empty database) and the folder holds the index and the
static files. A folder that is made already is left as it is; every other benchmark takes it by the same two options.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import batched
from pathlib import Path

from aggregator.deployment.launch import module
from aggregator.search.tantivy.engine import TantivyIndex
from benchmarks.load.made_books import documents

ROOT = Path(__file__).resolve().parents[2]
MADE = "made.json"  # written last, so that a folder with it is whole
BATCH = 1000


@dataclass(frozen=True, slots=True)
class Site:
    """A folder with everything, and how many books it has."""

    folder: Path
    books: int

    @property
    def environment(self) -> dict[str, str]:
        """What every program on it is told."""
        made = {"AGGREGATOR_DATA": str(self.folder), "DJANGO_SETTINGS_MODULE": "aggregator.settings"}
        return {**os.environ, "LOG_LEVEL": "ERROR", **made}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    options = parser.parse_args()
    if options.site is None:
        parser.error("--site is missing: without it a site is made for one benchmark only")
    made = make(options.site, options.books)
    print(f"{made.folder}: {made.books} books")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that say on which site a benchmark works."""
    parser.add_argument("--site", type=Path, default=None, help="its folder; made if it is not there, and kept")
    parser.add_argument("--books", type=int, default=20_000, help="how many it gets if it has to be made")


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Site]:
    """The site that the options name; without --site one for this time only."""
    if options.site is not None:
        yield make(options.site, options.books)
        return
    with tempfile.TemporaryDirectory(prefix="load-site-") as folder:
        yield make(Path(folder), options.books)


def make(folder: Path, books: int) -> Site:
    """The site in this folder, whole. Raises SystemExit if something else is there."""
    folder = folder.resolve()
    if (folder / MADE).exists():
        site = Site(folder, json.loads((folder / MADE).read_text())["books"])
        subprocess.run(fill(0), cwd=ROOT, env=site.environment, check=True)  # made by earlier code, perhaps
        if not TantivyIndex(folder / "search").is_current():
            index(folder, site.books)
        return site
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} has no {MADE}: it is no site, or was not finished. Remove it or name another.")
    folder.mkdir(parents=True, exist_ok=True)
    site, begun = Site(folder, books), time.perf_counter()
    # Rows and index at the same time: they are made of the same books and do not know each other.
    rows = subprocess.Popen(fill(books), cwd=ROOT, env=site.environment)
    try:
        index(folder, books)
        if rows.wait():
            raise SystemExit("the rows could not be written")
    except BaseException:
        rows.kill()
        rows.wait()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    told = {"books": books, "database": "DATABASE_URL" if os.environ.get("DATABASE_URL") else "SQLite"}
    (folder / MADE).write_text(json.dumps(told))
    print(f"made in {time.perf_counter() - begun:.0f} s", flush=True)
    return site


def fill(books: int) -> list[str]:
    """The command that brings tables and static files up to date, and so many books into empty ones."""
    return module("benchmarks.load.fill", str(books))


def index(folder: Path, books: int) -> None:
    """From nothing, as `reindex` does; with the tables of suggestions."""
    whole = TantivyIndex(folder / "search")
    with whole.build_beside() as fresh:
        for batch in batched(documents(books), BATCH):
            fresh.update(batch)
    whole.tidy()


if __name__ == "__main__":
    main()
