"""`manage.py aggregate`: match, merge and index all records that wait."""

import time
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _

from aggregator.grouping.aggregate import batches
from aggregator.indexing.build import index_pending
from aggregator.merging.stage import merge_pending
from aggregator.models import Manifestation, MatchAlarm, MatchRuling, Member, Provided
from aggregator.provision.resourcesync.changes import update_resources
from aggregator.provision.stamping import stamp_pending
from core.commands import AggregatorCommand, progress_bar
from harvesting.models import SourceRecord

# key in the JSON output -> kind of alarm
ALARMS = {
    "crowded_keys": MatchAlarm.Kind.CROWDED_KEY,
    "crowded_isbns": MatchAlarm.Kind.CROWDED_ISBN,
    "suspect_isbns": MatchAlarm.Kind.SUSPECT_ISBN,
    "large_components": MatchAlarm.Kind.LARGE_COMPONENT,
    "crowded_works": MatchAlarm.Kind.CROWDED_WORK,
}


class Command(AggregatorCommand):
    help = "Match, merge and index all waiting records."

    def handle(self, **options: Any) -> None:
        begun = time.perf_counter()
        records, pairs, regrouped = self._match()
        self._merge()
        matched = time.perf_counter()
        self._stamp()
        indexed = self._index()
        counts = {
            "records": records,
            "pairs": pairs,
            "regrouped": regrouped,
            "indexed": indexed,
            "seconds": round(matched - begun, 3),
            "seconds_indexing": round(time.perf_counter() - matched, 3),
            "members": Member.objects.count(),
            "manifestations": Manifestation.objects.exclude(record=b"").count(),
            **alarm_counts(),
            "rulings_to_recheck": MatchRuling.objects.filter(undone=None).exclude(recheck=None).count(),
        }
        if options["json"]:
            self.print_json(counts)
            return
        for line in lines(counts):
            self.stdout.write(line)

    def _match(self) -> tuple[int, int, int]:
        records = pairs = regrouped = 0
        with progress_bar(SourceRecord.objects.pending().count(), _("matching")) as bar:
            for batch in batches():
                records, pairs = records + batch.records, pairs + batch.pairs
                regrouped += batch.regrouped
                bar.update(batch.records)
        return records, pairs, regrouped

    def _merge(self) -> None:
        with progress_bar(Manifestation.objects.to_merge().count(), _("merging")) as bar:
            for step in merge_pending():
                bar.update(step)

    def _stamp(self) -> None:
        with progress_bar(Provided.objects.filter(waiting=True).count(), _("updating redistributed data")) as bar:
            for step in stamp_pending():
                bar.update(step)
        for _step in update_resources():
            pass

    def _index(self) -> int:
        done = 0
        with progress_bar(Manifestation.objects.to_index().count(), _("indexing")) as bar:
            for step in index_pending():
                done += step
                bar.update(step)
        return done


def alarm_counts() -> dict[str, int]:
    """Return the number of alarms of each kind, by its name in JSON."""
    counts = dict(MatchAlarm.objects.values_list("kind").annotate(count=Count("pk")))
    return {name: counts.get(kind, 0) for name, kind in ALARMS.items()}


def lines(counts: dict[str, Any]) -> list[str]:
    """Return the result in sentences; alarms are mentioned only if there are any."""
    sentences = [
        _(
            "%(records)d records matched, %(indexed)d entries indexed. The catalogue now has "
            "%(manifestations)d books from %(members)d source records."
        )
        % counts,
        _("%(pairs)d pairs compared in %(seconds).1f s.") % counts,
    ]
    if any(counts[name] for name in ALARMS):
        sentences.append(
            _(
                "For staff to review (data administration, matching alarms): %(crowded_keys)d keys and "
                "%(crowded_isbns)d ISBNs shared by very many descriptions, %(suspect_isbns)d ISBNs used for "
                "different books, %(large_components)d sets of too many linked descriptions, "
                "%(crowded_works)d sets of too many different titles that begin alike and share a person."
            )
            % counts
        )
    if counts["rulings_to_recheck"]:
        sentences.append(_("%(rulings_to_recheck)d staff rulings need review because the records changed.") % counts)
    return sentences
