"""`manage.py prepare`: bring the database, search index and static files up to date; --demo: fill the catalogue."""

import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.grouping.missing_patterns import fill_missing_patterns
from aggregator.indexing.state import index_state
from aggregator.libraries.identify import PROVIDER
from aggregator.models import Library, LibraryMember, LoanTerms, Manifestation
from aggregator.provision import dumps
from aggregator.search import get_index
from aggregator.search.base import Query
from core.commands import AggregatorCommand
from harvesting.accounts.roles import ensure_roles
from harvesting.models import SourceRecord
from sampleprovider.demo.headers import LIST, SIZES

TO_TRY = gettext_lazy(
    "Things to try: search for %(search)s; open a result held by several providers and "
    "follow its links; under Providers, see which issues the checks found in their records."
)

DESKS = {"ill-prefecture": "R900000001", "ill-town": "R900000003"}  # login name -> provider that is the library
DAYS = 30  # of a loan


class Command(AggregatorCommand):
    requires_system_checks = ("site",)
    help = "Bring the database, the search index and the static files up to date. run.py does this at every start."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--demo", metavar="URL", default="", help="register and harvest the sample providers at this address"
        )
        parser.add_argument(
            "--size", choices=SIZES, default="small", help="large: with --demo, the large providers, too"
        )

    def handle(self, **options: Any) -> None:
        if not options["demo"]:
            self.check()  # not for the demo: it is used on this machine only, so its settings need no warnings
        call_command("migrate", verbosity=0, interactive=False)
        fill_missing_patterns()
        ensure_roles()
        if not get_index().is_current():
            self.say(_("The search index was written by another version of this program and is being rebuilt."))
            answer("reindex")
        elif index_state().incomplete:
            self.say(_("The search index was removed and is being rebuilt."))
            answer("reindex")
        collect_static_files()
        if options["demo"]:
            self.fill(options["demo"], options["size"], options["json"])

    def fill(self, provider: str, size: str, as_json: bool) -> None:
        """Register, harvest, merge and index the samples; a harvest that fails ends the command."""
        demo = answer("setup_demo", provider_url=provider, size=size)[0]
        for folder in SIZES[size]:
            answer("libraries", file=str(folder / LIST), apply=True)
        demo["logins"] += make_desks(demo["password"])
        for number in demo["harvested"]:
            for run in answer("harvest", number):
                self.say(
                    _("%(number)s: %(received)d received, %(rejected)d not registered") % {"number": number, **run}
                )
        answer("aggregate")
        if dumps.is_due():
            answer("dump")
        counts = catalogue_counts()
        if as_json:
            self.print_json(counts)
            return
        names = ", ".join(demo["logins"])
        self.stdout.write(_("Logins: %(names)s; password: %(password)s") % {"names": names, **demo})
        for line in (_("Harvested: %(harvested)d records"), _("Merged: %(merged)d books"), _("Indexed: %(indexed)d")):
            self.stdout.write(line % counts)
        self.stdout.write(TO_TRY % {"search": "ノルウェイの森, サピエンス全史, 廣辭苑, 9784004304166"})


def make_desks(password: str) -> list[str]:
    """Create an account for interlibrary loan at each library of DESKS; existing ones stay as they are. Return their
    login names.
    """
    for name, number in DESKS.items():
        user, is_new = get_user_model().objects.get_or_create(username=name)
        if is_new:
            user.set_password(password)
            user.save(update_fields=["password"])
            library = Library.objects.get(codes__scheme=PROVIDER, codes__value=number)
            LibraryMember.objects.create(user=user, library=library)
            LoanTerms.objects.get_or_create(library=library, defaults={"copies": True, "days": DAYS})
    return list(DESKS)


def answer(command: str, *arguments: str, **options: str | bool) -> list[dict[str, Any]]:
    """Return what one of our commands prints with --json. If it fails, its output is shown and this command ends."""
    output = io.StringIO()
    try:
        call_command(command, *arguments, json=True, stdout=output, **options)
    except SystemExit:
        sys.stderr.write(output.getvalue())
        raise
    return [json.loads(line) for line in output.getvalue().splitlines()]


def catalogue_counts() -> dict[str, int]:
    """Return the numbers of source records, of the books that they describe, and of entries in the index."""
    return {
        "harvested": SourceRecord.objects.registered().filter(deleted=False).count(),
        "merged": Manifestation.objects.exclude(record=b"").count(),
        "indexed": get_index().search(Query(), facets=()).total,
    }


def collect_static_files() -> None:
    """Collect and compress the static files if any has changed since the last start."""
    stamp = Path(settings.STATIC_ROOT) / ".stamp"
    fingerprint = static_fingerprint()
    if stamp.exists() and stamp.read_text(encoding="ascii") == fingerprint:
        return
    call_command("collectstatic", verbosity=0, interactive=False, clear=True)
    stamp.write_text(fingerprint, encoding="ascii")


def static_fingerprint() -> str:
    """Return a digest of the names, sizes and times of all static files of the apps."""
    digest = hashlib.sha256()
    for finder in finders.get_finders():
        for name, storage in finder.list([]):
            facts = Path(storage.path(name)).stat()
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()
