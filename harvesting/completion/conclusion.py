"""What becomes of a run whose list has come to its end: figures in, one transition of the run out.

Called inside the transaction of the last batch, and again by whoever takes up a run behind its list: the same
figures give the same verdict. The rules are in `harvesting.completion.guards`.
"""

from dataclasses import replace

from django.db.models import QuerySet

from harvesting.completion.guards import (
    Action,
    Figures,
    Verdict,
    absence_tells,
    judge_run,
    lists_everything,
    live_count,
    renamed_all,
    unlisted,
    usual_share,
)
from harvesting.models import DateWindow, Harvest
from harvesting.runs import lifecycle
from harvesting.runs import observations as findings
from harvesting.runs.fencing import write_held
from harvesting.types import Observation

SAMPLE = 10  # identifiers named to the person who decides
LONGEST = 100  # characters of each
LISTED = "listed"  # in the memory of a run under way: how many registered records its list has had


def conclude(run: Harvest) -> None:
    """Let the run succeed, wait for a person or fail, or mark it as one whose absent records are to be looked for."""
    listed = run.memory.get(LISTED, 0)
    if LISTED in run.memory:  # ours, not the feed's
        write_held(run, memory={name: each for name, each in run.memory.items() if name != LISTED})
    verdict = decide(run)
    if verdict.action is Action.SUCCEED and _is_whole(run) and not absence_tells(run):
        _compare(run, listed)
    carry_out(run, verdict)


def _is_whole(run: Harvest) -> bool:
    return lists_everything(run) and run.exhaustive and findings.is_complete(run.observations)


def _compare(run: Harvest, listed: int) -> None:
    """Tell that the whole list of a provider that keeps deletions leaves out live records. Deletes nothing."""
    stored = live_count(run.feed)
    if not unlisted(stored, listed):
        return
    code, facts = "safety.unlisted", {"stored": stored, "listed": listed}
    if renamed_all(run.created, run.received, run.live_before or 0, stored - listed):
        code, facts = "safety.renumbered", {**facts, "created": run.created}
    write_held(run, observations=findings.merged(run.observations, [Observation(code=code, facts=facts)]))


def decide(run: Harvest) -> Verdict:
    """The verdict on a run that has read its list."""
    history, share = usual_share(run.feed)
    verdict = judge_run(
        Figures(
            is_full=lists_everything(run),
            is_regular=run.kind in {Harvest.Kind.FULL, Harvest.Kind.INCREMENTAL},
            absence_counts=run.exhaustive and findings.is_complete(run.observations) and absence_tells(run),
            received=run.received,
            rejected=run.rejected,
            live_before=run.live_before or 0,
            held=run.held,
            gaps=_gaps(run).count(),
            history=history,
            usual_share=share,
        )
    )
    if verdict.code == "run.gaps":
        return replace(verdict, facts={"windows": ", ".join(map(_window, _gaps(run)[:SAMPLE]))})
    return verdict


def carry_out(run: Harvest, verdict: Verdict) -> None:
    """The transition that a verdict asks for."""
    if verdict.action is Action.SUCCEED:
        lifecycle.succeed(run)
    elif verdict.action is Action.FAIL:
        lifecycle.fail(run, verdict.code, verdict.facts)
    else:
        # Whoever takes the run up again, after a crash or a person's wish, decides again and reads no list.
        write_held(run, phase=Harvest.Phase.SWEEP)
        if verdict.action is Action.WAIT:
            lifecycle.wait_for_person(run, verdict.code, {**verdict.facts, **waiting_facts(run)})


def _gaps(run: Harvest) -> QuerySet[DateWindow]:
    return run.windows.filter(state=DateWindow.State.GAP, closed_at=None).order_by("from_date")


def _window(gap: DateWindow) -> str:
    return f"{gap.from_date or '…'}–{gap.until_date or '…'}"


def waiting_facts(run: Harvest) -> dict[str, str | int]:
    """What a person should know about the deletions that wait; nothing where none do."""
    waiting = run.held_deletions.count()
    return {"count": waiting, "sample": ", ".join(sample(run, SAMPLE))} if waiting else {}


def sample(run: Harvest, size: int) -> tuple[str, ...]:
    """Identifiers of records whose deletion waits."""
    held = run.held_deletions.order_by("pk").values_list("record__identifier", flat=True)[:size]
    return tuple(each[:LONGEST] for each in held)
