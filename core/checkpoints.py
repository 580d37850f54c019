"""Named instants of a run at which a test can kill or freeze the process. Does nothing unless it is asked to.

HARVEST_KILL_AT="store.after_commit:3" ends the process, as the power would, when it passes that place the third
time; HARVEST_FREEZE_AT stops it there until SIGCONT. "*" stands for any place.
"""

import os
import signal
from collections import Counter

# Every place, in the order of a run. tests/durability kills a worker at each of them.
CHECKPOINTS = (
    "dispatch.begin",
    "dispatch.before_schedule",
    "dispatch.after_schedule",
    "dispatch.before_enqueue",
    "claim.before",
    "claim.after",
    "harvest.before_identify",
    "harvest.after_identify",
    "harvest.before_fetch",
    "harvest.after_fetch",
    "store.before",
    "store.after_advance",
    "store.after_records",
    "store.before_commit",
    "store.after_commit",
    "harvest.after_list",
    "sweep.before",
    "sweep.before_commit",
    "sweep.after_commit",
    "ledger.noted",
    "move.before",
    "move.after",
    "succeed.before_watermark",
    "succeed.after_watermark",
    "fail.before_count",
    "harvest.end",
)
SIGNALS = {"HARVEST_KILL_AT": signal.SIGKILL, "HARVEST_FREEZE_AT": signal.SIGSTOP}

_passed: Counter[str] = Counter()


def checkpoint(name: str) -> None:
    """Pass a place. name: one of CHECKPOINTS."""
    for variable, number in SIGNALS.items():
        wanted = os.environ.get(variable)
        if wanted:
            _strike(name, wanted, number)


def _strike(name: str, wanted: str, number: signal.Signals) -> None:
    place, _, nth = wanted.partition(":")
    if place not in {name, "*"}:
        return
    _passed[wanted] += 1
    if _passed[wanted] == int(nth or 1):
        os.kill(os.getpid(), number)
