"""`manage.py reindex`: build a new search index beside the live one, then switch. --status: the state of the index.
--follow: keep this machine's own index up to date, where another machine merges the books.
"""

import logging
import os
import re
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import close_old_connections
from django.utils.translation import gettext as _

from aggregator.indexing.build import index_pending, reindex
from aggregator.indexing.following import follow
from aggregator.indexing.state import index_state
from aggregator.indexing.wording import problems, status_rows
from aggregator.models import Manifestation
from aggregator.search.base import IndexUnavailable
from core.commands import AggregatorCommand, fail, progress_bar
from core.database.outages import LOST
from core.work.signals import stop_on_sigterm

logger = logging.getLogger(__name__)
PAUSE = 2.0  # seconds between two looks at what is to be followed
SYSTEM_ERROR = re.compile(r"\(os error ([0-9]+)\)")


class Command(AggregatorCommand):
    help = (
        "Build a new search index. Searches use the old index until the new one is complete. If the command is killed, "
        "the next run starts from the beginning."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--status", action="store_true", help="only print the state of the index")
        parser.add_argument(
            "--follow",
            action="store_true",
            help="keep the index of this machine up to date until interrupted, where another machine runs “worker "
            "aggregation” and SEARCH_URL is not set; builds it first if necessary",
        )

    def handle(self, **options: Any) -> None:
        if options["status"]:
            self.print_status(options["json"])
            return
        if options["follow"]:
            self.follow()
            return
        done = self.build()
        late = sum(index_pending())
        if options["json"]:
            self.print_json({"indexed": done, "changed_meanwhile": late})
            return
        self.stdout.write(_("%(indexed)d entries are in the new index.") % {"indexed": done})

    def follow(self) -> None:
        if settings.SEARCH_URL:
            raise fail(_("All machines share the index of SEARCH_URL: there is nothing to follow."))
        with stop_on_sigterm() as stopping:
            while not stopping.is_set():
                try:
                    follow()
                except LOST as error:
                    logger.warning("the database does not answer: %s", error)
                except IndexUnavailable as error:
                    logger.warning("the search index cannot be written: %s", error.code)
                stopping.wait(PAUSE)
                close_old_connections()

    def build(self) -> int:
        done = 0
        try:
            with progress_bar(Manifestation.objects.exclude(record=b"").count(), "reindex") as bar:
                for step in reindex():
                    done += step
                    bar.update(step)
        except ValueError as error:  # Tantivy has no other class for errors of the operating system
            if found := SYSTEM_ERROR.search(str(error)):
                raise OSError(int(found[1]), os.strerror(int(found[1]))) from error
            raise
        except IndexUnavailable as error:
            if error.code == "rebuilding":
                raise fail(
                    _("Another process is building an index. Wait until it finishes (check with “reindex --status”).")
                ) from error
            raise
        return done

    def print_status(self, as_json: bool) -> None:
        state = index_state()
        if as_json:
            self.print_json(asdict(state))
            return
        for name, value in status_rows(state):
            self.stdout.write(f"{name}: {value}")
        for problem in problems(state):
            self.stdout.write(problem)
