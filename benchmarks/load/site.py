"""A site with very many books, made once and used by every load test.

    python3 run.py bench load.site --site /somewhere/site1m --books 1000000

The folder holds the SQLite file, the search index and the static files. With DATABASE_URL, which must name an empty
database, the rows go there instead. A folder that is complete is used as it is; the load tests take the same options.
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
from pathlib import Path

from aggregator.deployment.launch import module
from aggregator.search.tantivy.engine import TantivyIndex

ROOT = Path(__file__).resolve().parents[2]
MADE = "made.json"  # written last: a folder that has it is complete


@dataclass(frozen=True, slots=True)
class Site:
    """The folder of a site and its number of books."""

    folder: Path
    books: int

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every process of the site."""
        made = {"AGGREGATOR_DATA": str(self.folder), "DJANGO_SETTINGS_MODULE": "aggregator.settings"}
        return {**os.environ, "LOG_LEVEL": "ERROR", **made}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    options = parser.parse_args()
    if options.site is None:
        parser.error("--site is missing (only the load tests can do without it, on a temporary site)")
    made = make(options.site, options.books)
    print(f"{made.folder}: {made.books} books")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the site."""
    parser.add_argument("--site", type=Path, default=None, help="folder of the site; created if missing, and kept")
    parser.add_argument("--books", type=int, default=20_000, help="number of books, if the site has to be made")


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Site]:
    """Yield the site that the options choose; without --site, a temporary one."""
    if options.site is not None:
        yield make(options.site, options.books)
        return
    with tempfile.TemporaryDirectory(prefix="load-site-") as folder:
        yield make(Path(folder), options.books)


def make(folder: Path, books: int) -> Site:
    """Return the site in this folder, making it if necessary. Raises SystemExit if the folder holds anything else."""
    folder = folder.resolve()
    if (folder / MADE).exists():
        site = Site(folder, json.loads((folder / MADE).read_text())["books"])
        subprocess.run(fill(0), cwd=ROOT, env=site.environment, check=True)  # it may have been made by older code
        missing = 0 if TantivyIndex(folder / "search").is_current() else site.books
        subprocess.run(index(missing), cwd=ROOT, env=site.environment, check=True)
        return site
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} has no {MADE}: not a complete site. Remove the folder or name another one.")
    folder.mkdir(parents=True, exist_ok=True)
    site, begun = Site(folder, books), time.perf_counter()
    # Rows and index are made in parallel: both come from the same generated books, independently of each other.
    rows = subprocess.Popen(fill(books), cwd=ROOT, env=site.environment)
    try:
        subprocess.run(index(books), cwd=ROOT, env=site.environment, check=True)
        if rows.wait():
            raise SystemExit("the rows could not be written")
    except BaseException:
        rows.kill()
        rows.wait()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    description = {"books": books, "database": "DATABASE_URL" if os.environ.get("DATABASE_URL") else "SQLite"}
    (folder / MADE).write_text(json.dumps(description))
    print(f"made in {time.perf_counter() - begun:.0f} s", flush=True)
    return site


def fill(books: int) -> list[str]:
    """Return the command line that migrates, collects static files and, if `books` is not 0, fills the empty tables."""
    return module("benchmarks.load.fill_ours", str(books))


def index(books: int) -> list[str]:
    """Return the command line that builds the search index; if `books` is 0, that indexes what waits for it."""
    return module("benchmarks.load.index_ours", str(books))


if __name__ == "__main__":
    main()
