"""`manage.py doi R…`: the DOIs that records of providers ask for, or doctoral theses; hands over what is ready."""

import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from core.commands import USAGE, AggregatorCommand, fail
from harvesting.doi import deliveries, lists, states
from harvesting.doi.verdicts import find_vanished
from harvesting.doi.wording import not_ready_text
from harvesting.models import DoctoralThesis, DoiAgreement, Repository, RequestedDoi
from harvesting.theses import lists as thesis_lists
from harvesting.theses import states as theses
from harvesting.theses.states import look_through


class Command(AggregatorCommand):
    help = (
        "Show the DOIs that records ask for, or doctoral theses, and hand over what is ready. "
        "With --json: JSON Lines, one for each."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repositories", nargs="*", metavar="R…", help="repository numbers; without any: all")
        parser.add_argument("--theses", action="store_true", help="the doctoral theses for the NDL, instead of DOIs")
        parser.add_argument("--check", action="store_true", help="first look through all stored records")
        parser.add_argument("--ready", action="store_true", help="only what can be handed over")
        parser.add_argument("--zip", type=Path, metavar="FILE", help="write what is ready into a ZIP (one provider)")
        parser.add_argument("--dry-run", action="store_true", help="prepare what --send would send, without sending it")
        parser.add_argument("--send", action="store_true", help="send what is ready through JaLC's interface")

    def handle(self, **options: Any) -> None:
        chosen = self._repositories(options["repositories"])
        if options["theses"] and (options["dry_run"] or options["send"]):
            raise fail(_("Doctoral theses are handed over as files only."), USAGE)
        for repository in chosen if options["check"] else ():
            sum(look_through(repository.pk))
        _review()
        if options["zip"]:
            self._zip(chosen, options["zip"], of_theses=options["theses"])
        if options["dry_run"] or options["send"]:
            self._prepare(chosen, rehearsal=not options["send"])
        show = self._list_theses if options["theses"] else self._list
        show(chosen, ready=options["ready"], as_json=options["json"])

    def _repositories(self, numbers: list[str]) -> list[Repository]:
        found = Repository.objects.filter(number__in=numbers) if numbers else Repository.objects.all()
        if unknown := set(numbers) - {repository.number for repository in found}:
            raise fail(_("There is no provider %(number)s.") % {"number": min(unknown)}, USAGE)
        return list(found)

    def _zip(self, chosen: list[Repository], path: Path, *, of_theses: bool) -> None:
        if len(chosen) != 1:
            raise fail(_("--zip needs exactly one provider."), USAGE)
        [one] = chosen
        if of_theses:
            packed = thesis_lists.zip_of(thesis_lists.ready_rows(one.pk))
        else:
            packed = lists.zip_of(lists.ready_rows(one.pk), one)
        with packed, path.open("wb") as file:
            shutil.copyfileobj(packed, file)

    def _prepare(self, chosen: list[Repository], *, rehearsal: bool) -> None:
        for agreement in DoiAgreement.objects.filter(repository__in=chosen).select_related("repository"):
            try:
                made = deliveries.prepare(agreement, rehearsal=rehearsal)
            except deliveries.NotReady as reason:
                self.stderr.write(f"{agreement.repository.number}: {not_ready_text(reason.code)}")
            else:
                dois = sum(len(delivery.contents) for delivery in made)
                text = _("%(number)s: %(dois)s DOIs in %(documents)s documents")
                about = {"number": agreement.repository.number, "dois": dois, "documents": len(made)}
                self.stderr.write(text % about)
        if not rehearsal:
            deliveries.work_off()

    def _list(self, chosen: list[Repository], *, ready: bool, as_json: bool) -> None:
        if not as_json and not ready:
            self._counts(chosen)
            return
        rows = lists.Wanted(tuple(repository.pk for repository in chosen)).rows()
        rows = rows.filter(state__in=lists.READY) if ready else rows
        columns = ("repository__number", "agency", "doi", "state", "codes", "message", "record__public_id")
        for number, agency, doi, state, codes, message, record in rows.values_list(*columns).iterator(2000):
            row = {"repository": number, "agency": agency, "doi": doi, "state": state, "codes": codes}
            if as_json:
                self.print_json({**row, "message": message, "record": record})
            else:
                self.stdout.write(f"{number}\t{agency}\t{doi}\t{state}")

    def _counts(self, chosen: list[Repository]) -> None:
        found = lists.counts([repository.pk for repository in chosen])
        for repository in chosen:
            for (agency, state), number in sorted(found.get(repository.pk, {}).items()):
                self.stdout.write(f"{repository.number}\t{agency}\t{state}\t{number}")

    def _list_theses(self, chosen: list[Repository], *, ready: bool, as_json: bool) -> None:
        if not as_json and not ready:
            found = thesis_lists.counts([repository.pk for repository in chosen])
            for repository in chosen:
                for state, number in sorted(found.get(repository.pk, {}).items()):
                    self.stdout.write(f"{repository.number}\t{state}\t{number}")
            return
        rows = thesis_lists.Wanted(tuple(repository.pk for repository in chosen)).rows()
        rows = rows.filter(state__in=thesis_lists.READY) if ready else rows
        columns = ("repository__number", "state", "codes", "record__public_id", "record__identifier")
        for number, state, codes, record, identifier in rows.values_list(*columns).iterator(2000):
            if as_json:
                row = {"repository": number, "state": state, "codes": codes}
                self.print_json({**row, "record": record, "identifier": identifier})
            else:
                self.stdout.write(f"{number}\t{record}\t{state}")


def _review() -> None:
    """Look at everything that has changed, so that what is shown is how it is now."""
    find_vanished(RequestedDoi)
    find_vanished(DoctoralThesis)
    theses.find_due()
    states.check_changed()
    theses.check_changed()
