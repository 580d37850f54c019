"""Trials with SQLite's WAL as a power cut may leave it. Needs Django set up.

A worker harvests to the end and its whole WAL is kept. A power cut may leave any beginning of it, followed by zeros or
random bytes. Every such image is opened as after a restart, and from every state that appears the run is resumed.
"""

import hashlib
import random
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from harvesting.models import Harvest
from tests.durability import stage
from tests.durability.kills import MOST_CLAIMS, Patch, Trial, Twin, active, expire, nothing, versions, work
from tests.durability.oracle import facts, violations
from tests.durability.scenarios import Scenario

HEADER, FRAME_HEADER = 32, 24  # bytes; sqlite.org/fileformat2.html, section 4
CUTS, BITS = 8, 6  # truncations and flipped bits in each frame
STATE = (
    "SELECT state, resumption_token, pages, received, created, updated, deleted, swept, fence FROM harvesting_harvest",
    "SELECT identifier, deleted, hex(payload_hash) FROM harvesting_sourcerecord ORDER BY identifier",
    "SELECT watermark, failures FROM harvesting_feed",
    "SELECT state, from_date, until_date FROM harvesting_window",
)


@dataclass(frozen=True, slots=True)
class Image:
    """A WAL as a power cut may leave it."""

    how: str
    wal: bytes


def power_lost(
    scenario: Scenario, address: str, twin: Twin, rng: random.Random, images: int, mutate: Patch = nothing
) -> Iterator[Trial]:
    """Try this many images of a run. Yields a trial for each; if its state is new, the run is also resumed to its end.

    mutate: plants a fault in the worker before the power cut, which the oracle must notice.
    """
    feed = scenario.stage(address)
    before = versions(feed)
    run = scenario.begin(feed)
    stage.disconnect()
    main = Path(settings.DATABASES["default"]["NAME"])
    with tempfile.TemporaryDirectory(prefix="power-") as folder:
        base = Path(folder, "base")
        shutil.copyfile(main, base)
        stage.wait(
            stage.fork(work(run, mutate))
        )  # the worker exits without closing the database, so the WAL is not copied back
        wal = Path(f"{main}-wal").read_bytes()
        assert main.read_bytes() == base.read_bytes(), "the WAL was written back, so its images prove nothing"
        seen: set[str] = set()
        for image in some(list(lost(wal, rng)), images, rng):
            trial = Trial(scenario.name, (image.how,), kills=1)
            begun = time.monotonic()
            state = reopened(base, image, Path(folder), trial)
            if state and state not in seen:
                seen.add(state)
                restore(main, base, image)
                finish(run, trial)
                run.refresh_from_db()
                trial.violations += violations(scenario, feed, run, facts(feed, run, before), twin.facts)
                trial.places["state"] += 1
            trial.seconds = time.monotonic() - begun
            yield trial
        restore(main, base, Image("whole", wal))


def lost(wal: bytes, rng: random.Random) -> Iterator[Image]:
    """Yield what may be left of the WAL: cut in or after a frame, then zeros or random bytes, or with a flipped bit."""
    size = FRAME_HEADER + int.from_bytes(wal[8:12], "big")
    ends = range(HEADER, len(wal) + 1, size)
    for number, end in enumerate(ends):
        yield Image(f"cut behind frame {number}", wal[:end])
        yield Image(f"zeros behind frame {number}", wal[:end] + bytes(len(wal) - end))
        if end < len(wal):
            for inside in rng.sample(range(end + 1, end + size), CUTS):
                yield Image(f"cut in frame {number + 1} at {inside}", wal[:inside])
            for bit in rng.sample(range(8 * size), BITS):
                damaged = bytearray(wal)
                damaged[end + bit // 8] ^= 1 << bit % 8
                yield Image(f"bit {bit} of frame {number + 1}", bytes(damaged))
            yield Image(f"rubbish behind frame {number}", wal[:end] + rng.randbytes(len(wal) - end))
    yield Image("no WAL at all", b"")
    yield Image("a torn header", wal[: HEADER // 2])


def some(images: list[Image], count: int, rng: random.Random) -> list[Image]:
    """Return at most `count` of the images, chosen at random, in their order."""
    return (
        images if count >= len(images) else [images[place] for place in sorted(rng.sample(range(len(images)), count))]
    )


def reopened(base: Path, image: Image, folder: Path, trial: Trial) -> str:
    """Return a hash of the database's content after the restart; "", with a violation, if the database is broken."""
    copy = folder / "image"
    restore(copy, base, image)
    database = sqlite3.connect(copy)
    try:
        sound = database.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            trial.violations.append(f"the database is broken: {sound}")
            return ""
        shown = repr([database.execute(query).fetchall() for query in STATE])
        return hashlib.sha256(shown.encode()).hexdigest()
    except sqlite3.DatabaseError as error:
        trial.violations.append(f"the database cannot be read: {error}")
        return ""
    finally:
        database.close()


def restore(main: Path, base: Path, image: Image) -> None:
    """Replace the database by that of the power cut."""
    stage.disconnect()
    shutil.copyfile(base, main)
    Path(f"{main}-shm").unlink(missing_ok=True)
    Path(f"{main}-wal").write_bytes(image.wal)


def finish(run: Harvest, trial: Trial) -> None:
    """Let workers resume the run until it has ended, as after a restart."""
    try:
        for _claim in range(MOST_CLAIMS):
            expire(run)
            if not active(run):
                return
            stage.wait(stage.fork(work(run)))
    except stage.Hung:
        trial.violations.append("a worker hung")
