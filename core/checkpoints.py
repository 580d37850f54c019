"""Named points of a run at which a test can kill or freeze the process. Does nothing unless a variable is set.

HARVEST_KILL_AT="store.after_commit:3" kills the process, as a power failure would, when it reaches that checkpoint for
the third time; HARVEST_FREEZE_AT stops it there until SIGCONT. "*" stands for any checkpoint.
"""

import os
import signal
from collections import Counter

# All checkpoints, in the order of a run. tests/durability kills a worker at each of them.
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
    """Kill or freeze the process if the environment says so. name: one of CHECKPOINTS."""
    for variable, number in SIGNALS.items():
        wanted = os.environ.get(variable)
        if wanted:
            _signal_if_reached(name, wanted, number)


def _signal_if_reached(name: str, wanted: str, number: signal.Signals) -> None:
    checkpoint_name, _, nth = wanted.partition(":")
    if checkpoint_name not in {name, "*"}:
        return
    _passed[wanted] += 1
    if _passed[wanted] == int(nth or 1):
        os.kill(os.getpid(), number)
