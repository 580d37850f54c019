"""`manage.py register`: a repository with its feed, from the command line."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from harvesting.command import USAGE, AggregatorCommand, fail
from harvesting.models import Feed, Repository
from harvesting.registration import RegistrationError, register
from metadata.crosswalks import CROSSWALKS


class Command(AggregatorCommand):
    help = "Register a repository with one feed for each --set (or one for everything); prints its number."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--name", required=True, help="name of the provider database")
        parser.add_argument("--name-en", default="", help="its English name")
        parser.add_argument("--base-url", required=True, help="base URL of its OAI-PMH interface")
        parser.add_argument("--protocol", default="oai-pmh", choices=Feed.Protocol.values)
        parser.add_argument("--prefix", required=True, help="metadataPrefix, for example dcndl or oai_dc")
        parser.add_argument("--set", action="append", default=[], dest="sets", metavar="S", help="setSpec; repeatable")
        parser.add_argument("--number", default="", help="repository number R + 9 digits; none: one is allocated")
        parser.add_argument("--link-template", default="", help="OpenURL template, e.g. https://…?rft.isbn={isbn}")
        parser.add_argument("--home-page", default="", help="top page of the provider")

    def handle(self, **options: Any) -> None:
        repository = Repository(
            number=options["number"],
            name=options["name"],
            name_en=options["name_en"],
            link_template=options["link_template"],
            home_page=options["home_page"],
        )
        feeds = [
            Feed(
                protocol=options["protocol"],
                base_url=options["base_url"],
                set_spec=spec,
                metadata_prefix=options["prefix"],
            )
            for spec in options["sets"] or [""]
        ]
        try:
            repository.clean_fields(exclude=["number"])
            for feed in feeds:
                feed.clean_fields(exclude=["repository"])
            register(repository, feeds)
        except ValidationError as error:
            lines = [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
            raise fail("\n".join(lines), USAGE) from error
        except RegistrationError as error:
            raise fail(str(error), USAGE) from error
        if options["prefix"] not in CROSSWALKS:
            self.say(
                _("Note: records in %(prefix)s cannot be read yet; they would all be refused. Readable: %(known)s")
                % {"prefix": options["prefix"], "known": ", ".join(CROSSWALKS)}
            )
        if options["json"]:
            self.print_json(
                {
                    "number": repository.number,
                    "name": repository.name,
                    "feeds": [
                        {"base_url": feed.base_url, "prefix": feed.metadata_prefix, "set": feed.set_spec}
                        for feed in feeds
                    ],
                }
            )
            return
        self.stdout.write(repository.number)
        self.say(_("Registered. Next: harvest %(number)s") % {"number": repository.number})
