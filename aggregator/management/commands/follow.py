"""`manage.py follow`: keep this machine's own search index up to date, where another machine merges the books."""

import logging
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import close_old_connections
from django.utils.translation import gettext as _

from aggregator.indexing.following import follow
from aggregator.search.base import IndexUnavailable
from core.commands import AggregatorCommand, fail
from core.database.outages import LOST
from core.work.signals import stop_on_sigterm

logger = logging.getLogger(__name__)
PAUSE = 2.0  # seconds between two rounds


class Command(AggregatorCommand):
    help = (
        "Keep the search index of this machine up to date until interrupted, where another machine runs “worker "
        "aggregation”, and SEARCH_URL is not set. The first round builds the index."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--once", action="store_true", help="write what waits now, then exit")

    def handle(self, **options: Any) -> None:
        if settings.SEARCH_URL:
            raise fail(_("All machines share the index of SEARCH_URL: there is nothing to follow."))
        if options["once"]:
            written = follow()
            if options["json"]:
                self.print_json({"indexed": written})
            return
        with stop_on_sigterm() as stopping:
            _run_rounds(stopping)


def _run_rounds(stopping: threading.Event) -> None:
    while not stopping.is_set():
        try:
            follow()
        except LOST as error:
            logger.warning("the database does not answer: %s", error)
        except IndexUnavailable as error:
            logger.warning("the search index cannot be written: %s", error.code)
        stopping.wait(PAUSE)
        close_old_connections()
