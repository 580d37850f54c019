"""Decides what becomes of a run whose list has been read to its end, and moves the run to that state.

Called inside the transaction of the last batch, and again by a worker that resumes a run after its list. This is
safe because the verdict follows from stored figures alone. The rules are in `harvesting.completion.guards`.
"""

from dataclasses import replace

from django.db.models import QuerySet

from harvesting.completion import renumbering
from harvesting.completion.dwindling import loss_before
from harvesting.completion.guards import (
    Action,
    Figures,
    Loss,
    Verdict,
    absence_means_deletion,
    damaged_count,
    judge_run,
    leaves_out_too_many,
    lists_everything,
    live_count,
    looks_renumbered,
    usual_rejected_share,
)
from harvesting.models import DateWindow, Harvest
from harvesting.runs import lifecycle, observations
from harvesting.runs.fencing import write_fenced
from harvesting.types import Observation

SAMPLE = 10  # identifiers that are shown to the person who decides
LONGEST_IDENTIFIER = 100  # characters that are shown of an identifier
LISTED = "listed"  # in the memory of an unfinished run: how many registered records its list has contained so far


def conclude(run: Harvest) -> None:
    """Let the run succeed, fail, wait for a person, or continue with the search for absent records."""
    listed = run.memory.get(LISTED, 0)
    if LISTED in run.memory:  # the count belongs to the run, the rest becomes the feed's memory
        write_fenced(run, memory={name: value for name, value in run.memory.items() if name != LISTED})
    verdict = verdict_for(run)
    if verdict.action is Action.SUCCEED and _has_whole_list(run) and not absence_means_deletion(run):
        _report_unlisted(run, listed)
    if verdict.action is Action.SUCCEED and run.kind == Harvest.Kind.FULL and not run.received:
        note = Observation(code="run.empty", facts={"base_url": run.feed.base_url})
        write_fenced(run, observations=observations.merged(run.observations, [note]))
    if verdict.action is Action.SUCCEED and renumbering.is_suspected(run):
        verdict = Verdict(action=Action.SWEEP)  # the sweep compares contents, outside this transaction
    apply_verdict(run, verdict)


def _has_whole_list(run: Harvest) -> bool:
    return lists_everything(run) and run.exhaustive and observations.is_complete(run.observations)


def _report_unlisted(run: Harvest, listed: int) -> None:
    """Record an observation if a complete list leaves out live records. Deletes nothing.

    For providers that report deletions permanently: there, a missing record is no sign of a deletion.
    """
    stored = live_count(run.feed)
    if not leaves_out_too_many(stored, listed):
        return
    code, facts = "safety.unlisted", {"stored": stored, "listed": listed}
    if looks_renumbered(run.created, run.received, run.live_before or 0, stored - listed):
        code, facts = "safety.renumbered", {**facts, "created": run.created}
    write_fenced(run, observations=observations.merged(run.observations, [Observation(code=code, facts=facts)]))


def verdict_for(run: Harvest) -> Verdict:
    """The verdict on a run that has read its list to the end."""
    verdict = judge_run(figures_of(run))
    if verdict.code == "run.gaps":
        return replace(verdict, facts={"windows": ", ".join(map(_window, _gaps(run)[:SAMPLE]))})
    return verdict


def figures_of(run: Harvest) -> Figures:
    """The numbers by which the run is judged."""
    history, share = usual_rejected_share(run.feed)
    return Figures(
        is_full=lists_everything(run),
        is_regular=run.kind in {Harvest.Kind.FULL, Harvest.Kind.INCREMENTAL},
        absence_counts=run.exhaustive and observations.is_complete(run.observations) and absence_means_deletion(run),
        received=run.received,
        rejected=run.rejected,
        damaged=damaged_count(run),
        live_before=run.live_before or 0,
        held=run.held,
        loss=_loss_with(run),
        gaps=_gaps(run).count(),
        history=history,
        usual_share=share,
    )


def _loss_with(run: Harvest) -> Loss | None:
    """What was lost before the run if the deletions that it holds are too many together with that, else None."""
    loss = loss_before(run, run.held) if run.held else None
    return loss if loss and not loss.allows(run.held) else None


def apply_verdict(run: Harvest, verdict: Verdict) -> None:
    """Move the run to the state that follows from the verdict."""
    if verdict.action is Action.SUCCEED:
        lifecycle.succeed(run)
    elif verdict.action is Action.FAIL:
        lifecycle.fail(run, verdict.code, verdict.facts)
    else:
        # A worker that resumes the run from here on, after a crash or a decision, does not read the list again.
        write_fenced(run, phase=Harvest.Phase.SWEEP)
        if verdict.action is Action.WAIT:
            lifecycle.wait_for_person(run, verdict.code, {**verdict.facts, **waiting_facts(run)})


def _gaps(run: Harvest) -> QuerySet[DateWindow]:
    return run.windows.filter(state=DateWindow.State.GAP, closed_at=None).order_by("from_date")


def _window(gap: DateWindow) -> str:
    if not (gap.from_date or gap.until_date) and "url" in gap.facts:  # one document of a list of everything
        return str(gap.facts["url"])
    return f"{gap.from_date or '…'}–{gap.until_date or '…'}"


def waiting_facts(run: Harvest) -> dict[str, str | int]:
    """The number of held deletions and a sample of them, for the message to the person who decides; {} if none."""
    count = run.held_deletions.count()
    return {"count": count, "sample": ", ".join(sample_identifiers(run, SAMPLE))} if count else {}


def sample_identifiers(run: Harvest, size: int) -> tuple[str, ...]:
    """Shortened identifiers of at most `size` records whose deletion is held, each with its successor's if known."""
    columns = ("record__identifier", "record__successor__identifier")
    pairs = run.held_deletions.order_by("pk").values_list(*columns)[:size]
    return tuple(" → ".join(name[:LONGEST_IDENTIFIER] for name in pair if name) for pair in pairs)
