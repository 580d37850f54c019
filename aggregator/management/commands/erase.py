"""`manage.py erase R…`: erase permanently all that came from a provider, or what is stored under the e-mail address
of a reader. See `aggregator.erasing`.
"""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from aggregator.erasing.begin import begin, preview_erasure
from aggregator.erasing.surroundings import erase_reader
from aggregator.erasing.work import erase
from aggregator.models import Erasure
from core.commands import FAILED, USAGE, WAITS_FOR_PERSON, AggregatorCommand, fail, progress_bar
from harvesting.models import Repository, SourceRecord


class Command(AggregatorCommand):
    help = (
        "Erase all data of a provider permanently. Without --yes the command only prints what would be erased. If it "
        "is interrupted, the same command continues. With an e-mail address: delete the alerts of a reader, and the "
        "address in reports."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", metavar="R|ADDRESS", help="repository number, or a reader's e-mail address")
        parser.add_argument("--reason", default="", help="stored in the audit trail permanently; do not name persons")
        parser.add_argument("--yes", action="store_true", help="erase; this cannot be undone")

    def handle(self, **options: Any) -> None:
        if "@" in options["repository"]:
            self._erase_reader(options["repository"], options["json"])
            return
        repository = Repository.objects.filter(number=options["repository"]).first()
        if repository is None:
            raise fail(_("There is no provider %(number)s.") % {"number": options["repository"]}, USAGE)
        erasure = Erasure.objects.filter(repository=repository).select_related("repository").first()
        if erasure is None and not options["yes"]:
            self._print_preview(repository, options["json"])
        if erasure is None and not options["reason"].strip():
            raise fail(_("Give a --reason: only the reason remains in the audit trail."), USAGE)
        erasure = erasure or begin(repository, None, options["reason"].strip()[:500])
        total = (
            2 * SourceRecord.objects.filter(repository=repository).count()
        )  # every record counts twice: it is first emptied, then deleted
        with progress_bar(total, _("erase")) as bar:
            done = erase(erasure, bar.update)
        erasure.refresh_from_db()
        if options["json"]:
            self.print_json({"repository": repository.number, "records": erasure.records, "phase": erasure.phase})
        if not done:
            text = _(
                "All data was erased, but the database file could not be overwritten because it is in "
                "use. Run the same command again at a quieter time."
            )
            raise fail(text, FAILED)
        if not options["json"]:
            values = {"number": repository.number, "count": erasure.records}
            self.stdout.write(_("%(number)s was erased: %(count)s records.") % values)

    def _erase_reader(self, address: str, as_json: bool) -> None:
        erased = erase_reader(address)
        if as_json:
            self.print_json(asdict(erased))
        else:
            text = _("%(alerts)d alerts were deleted, and the address was removed from %(reports)d reports.")
            self.stdout.write(text % asdict(erased))

    def _print_preview(self, repository: Repository, as_json: bool) -> None:
        preview = preview_erasure(repository)
        if as_json:
            counts = {"records": preview.records, "accounts": preview.accounts, **asdict(preview.libraries)}
            self.print_json({"repository": repository.number, **counts})
        text = _(
            "%(name)s: %(records)s records, %(feeds)s feeds, %(runs)s harvests and the accounts "
            "%(accounts)s would be permanently erased. %(books)s books would disappear and %(shared)s would stay with "
            "the records of others; %(deleted)s libraries would disappear and %(empty)s would stay without a book. Add "
            "--yes to do so. Make a backup first."
        )
        values = {"name": repository, "records": preview.records, "feeds": preview.feeds, "runs": preview.runs}
        values |= {"accounts": ", ".join(preview.accounts) or "–", **asdict(preview.libraries)}
        raise fail(text % values, WAITS_FOR_PERSON)
