"""`manage.py reindex`: build the search index anew beside the live one, then switch. --status: how it is doing."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.indexing.build import index_pending, reindex
from aggregator.indexing.state import index_state
from aggregator.indexing.wording import problems, told
from aggregator.models import Manifestation
from aggregator.search.base import IndexUnavailable
from core.commands import AggregatorCommand, fail, progress_bar


class Command(AggregatorCommand):
    help = "Build the search index anew beside the live one, which serves meanwhile. One that was killed begins anew."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--status", action="store_true", help="only say how the index is doing")

    def handle(self, **options: Any) -> None:
        if options["status"]:
            self.tell(options["json"])
            return
        done = self.build()
        late = sum(index_pending())
        if options["json"]:
            self.print_json({"indexed": done, "changed_meanwhile": late})
            return
        self.stdout.write(_("%(indexed)d entries are in the new index.") % {"indexed": done})

    def build(self) -> int:
        done = 0
        try:
            with progress_bar(Manifestation.objects.exclude(record=b"").count(), "reindex") as bar:
                for step in reindex():
                    done += step
                    bar.update(step)
        except IndexUnavailable as problem:
            if problem.code == "rebuilding":
                raise fail(_("Another process builds an index: wait for it (“reindex --status”).")) from problem
            raise
        return done

    def tell(self, as_json: bool) -> None:
        state = index_state()
        if as_json:
            self.print_json(asdict(state))
            return
        for name, value in told(state):
            self.stdout.write(f"{name}: {value}")
        for problem in problems(state):
            self.stdout.write(problem)
