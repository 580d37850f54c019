"""`manage.py sampleprovider`: serves sample providers, well-behaved or with a named fault, on loopback.

Runs until interrupted. The protocols themselves are in the package `sampleprovider`.
"""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.commands import USAGE, AggregatorCommand, fail
from sampleprovider.demo.headers import DemoError
from sampleprovider.demo.large.sources import large_sources
from sampleprovider.demo.small import demo_sources
from sampleprovider.generator import generated_source
from sampleprovider.loading import load_folders
from sampleprovider.replies import RESOURCESYNC, RSS
from sampleprovider.scenarios import SCENARIOS, Scenario, UnknownScenario, scenario_named
from sampleprovider.server import LOOPBACK, NotLoopback, SampleServer
from sampleprovider.source import SampleSource
from sampleprovider.trial import trial_source


class Command(AggregatorCommand):
    help = (
        "Run a provider for trials and tests until interrupted: it serves OAI-PMH, ResourceSync and RSS on this "
        "machine only, without faults or with one named fault."
    )
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--host", default=LOOPBACK, help="loopback address to listen on")
        parser.add_argument("--port", type=int, default=8400, help="port (8400); 0: any free port")
        parser.add_argument("--demo", action="store_true", help="serve the providers of the demo (default)")
        parser.add_argument("--records", type=int, metavar="N", help="serve a provider with N made-up records")
        parser.add_argument(
            "--load",
            action="append",
            default=[],
            type=prefix_and_folder,
            metavar="PREFIX=FOLDER",
            help="serve a provider with the XML files below a folder; repeatable",
        )
        parser.add_argument("--trial", action="store_true", help="serve the twelve books that faultmatrix uses")
        parser.add_argument("--scenario", metavar="NAME[@PLACE]", help="the fault; --scenarios lists all of them")
        parser.add_argument("--scenarios", action="store_true", help="only list all faults")
        parser.add_argument("--page-size", type=int, default=200, help="records in one response")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["scenarios"]:
            self._list(options["json"])
            return
        scenario = named_scenario(options["scenario"])
        sources = self._sources(options)
        if options["page_size"] < 1:
            raise fail(_("--page-size must be at least 1."), USAGE)
        for source in sources:
            source.page_size = options["page_size"]
        with listening(options["host"], options["port"], sources, scenario) as server:
            self._announce(server, options["json"])
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                self.say(_("Stopped."))

    def _sources(self, options: dict[str, Any]) -> list[SampleSource]:
        sources: list[SampleSource] = []
        if options["trial"]:
            sources.append(trial_source())
        if options["demo"] or not (options["trial"] or options["load"] or options["records"] is not None):
            try:
                sources += demo_sources() + large_sources()
            except DemoError as error:
                raise fail(str(error)) from error
        if options["records"] is not None:
            try:
                sources.append(generated_source(options["records"]))
            except ValueError as error:
                raise fail(f"--records: {error}", USAGE) from error
        folders: dict[str, list[Path]] = {}
        for prefix, folder in options["load"]:
            folders.setdefault(prefix, []).append(folder)
        return sources + [self._loaded(prefix, below) for prefix, below in folders.items()]

    def _loaded(self, prefix: str, folders: list[Path]) -> SampleSource:
        loaded = load_folders(prefix, folders)
        for problem in loaded.problems:
            self.say(f"{problem.place}: {problem.reason}")
        message = _("%(name)s: %(records)d records, %(repeated)d duplicates, %(problems)d unusable")
        facts = {"name": loaded.source.name, "records": len(loaded.source.holdings), "repeated": loaded.repeated}
        self.say(message % (facts | {"problems": len(loaded.problems)}))
        return loaded.source

    def _list(self, as_json: bool) -> None:
        """Print every scenario: its name, rows of the fault catalogue, the places it can affect, and what it does."""
        for scenario in SCENARIOS.values():
            if as_json:
                facts = {
                    "name": scenario.name,
                    "rows": scenario.rows,
                    "protocol": scenario.protocol,
                    "places": scenario.places,
                }
                self.print_json(facts | {language: scenario.description(language) for language in ("en", "ja")})
            else:
                places = "".join(f" @{place}" for place in scenario.places)
                text = scenario.description(get_language() or "en")
                self.stdout.write(f"{scenario.name + places:40} {' '.join(scenario.rows):8} {text}")

    def _announce(self, server: SampleServer, as_json: bool) -> None:
        """Print the addresses of the providers, as one JSON object or as lines of text."""
        sources = list(server.sources.values())
        if as_json:
            providers = [
                {
                    "name": source.name,
                    "base_url": server.base_url(source),
                    "resourcesync": server.base_url(source, RESOURCESYNC),
                    "rss": server.base_url(source, RSS),
                    "prefixes": source.prefixes,
                    "records": len(source.holdings),
                }
                for source in sources
            ]
            self.print_json({"base_url": providers[0]["base_url"], "providers": providers})
        else:
            for source in sources:
                prefixes, count = ", ".join(source.prefixes), len(source.holdings)
                self.stdout.write(f"{server.base_url(source)}  {prefixes}  {count}  {source.title}")
        self.stdout.flush()


def prefix_and_folder(value: str) -> tuple[str, Path]:
    """Parse PREFIX=FOLDER for argparse. Raises ArgumentTypeError."""
    prefix, sign, folder = value.partition("=")
    if not (prefix and sign and Path(folder).is_dir()):
        raise argparse.ArgumentTypeError(_("must be PREFIX=FOLDER with an existing folder, not %s") % value)
    return prefix, Path(folder)


def named_scenario(name: str | None) -> Scenario | None:
    """Return the scenario of this name. Exits with a usage error that lists similar names."""
    if name is None:
        return None
    try:
        return scenario_named(name)
    except UnknownScenario as error:
        message = _("There is no scenario “%(name)s”. Similar names: %(names)s. List all with --scenarios.")
        raise fail(message % {"name": name, "names": ", ".join(error.near) or "–"}, USAGE) from error


def listening(host: str, port: int, sources: list[SampleSource], scenario: Scenario | None) -> SampleServer:
    """Return a server that listens on the port. Exits with the reason if it cannot."""
    try:
        return SampleServer((host, port), sources, scenario)
    except NotLoopback as error:
        message = _("%s is not a loopback address. The sample provider can only be used on this computer.")
        raise fail(message % error, USAGE) from error
    except (OSError, OverflowError) as error:
        message = _("Cannot listen on port %(port)s: %(reason)s. Choose another with --port.")
        raise fail(message % {"port": port, "reason": error}) from error
