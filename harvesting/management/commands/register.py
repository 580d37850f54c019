"""`manage.py register`: registers a repository with its feeds, over any protocol."""

import sys
from argparse import SUPPRESS
from getpass import getpass
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from core.commands import USAGE, AggregatorCommand, fail
from harvesting.http.authorization import Credentials
from harvesting.live.options import Options, read_options
from harvesting.messages import describe
from harvesting.models import Feed, Repository
from harvesting.registry.column_mapping import parse_columns
from harvesting.registry.credentials import seal_credentials
from harvesting.registry.feed_form import COLUMN_FIELDS, column_error_text, login_error
from harvesting.registry.live_form import IndexesField, options_from
from harvesting.registry.policies import usual_profile
from harvesting.registry.protocol_texts import full_list_label
from harvesting.registry.registration import (
    RegistrationError,
    check_feed,
    is_web_address,
    readable_file,
    register,
)
from harvesting.registry.transport import ONE_TRY, transport_for
from harvesting.transports.registry import DEFAULT, TRANSPORTS, fetched_protocols
from harvesting.trials.probe import probe_feed
from harvesting.types import TransportError
from metadata.formats import READABLE

PROBED_RECORDS = 5  # sample size to find out the format of the records
REPOSITORY_OPTIONS = ("name", "name_en", "link_template", "link_encoding", "home_page", "licence", "give_on")


class Command(AggregatorCommand):
    help = (
        "Register a provider with one feed for each --set (without --set: one feed for all records), and print its "
        "repository number."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        add("--name", required=True, help="name of the provider database")
        add("--name-en", default="", help="English name of the provider database")
        add("--protocol", default=DEFAULT.name, choices=fetched_protocols(), help=f"default: {DEFAULT.name}")
        add("--base-url", required=True, help="address of the interface, description, feed or file")
        add("--prefix", default="", help="metadataPrefix, e.g. dcndl; default: one that the provider offers")
        add(
            "--profile",
            default="",
            choices=Repository.Profile.values,
            help="how strictly records are checked; default: irdb for jpcoar and junii2, else ndl",
        )
        add("--set", action="append", default=[], dest="sets", metavar="S", help="setSpec; repeatable")
        add("--number", default="", help="repository number: R and 9 digits; default: a new number")
        add("--link-template", default="", help="OpenURL template, e.g. https://…?rft.isbn={isbn}")
        add("--link-encoding", default="utf-8", choices=Repository.LinkEncoding.values, help="encoding of its links")
        add("--home-page", default="", help="top page of the provider")
        add("--licence", default="", help="licence of its metadata (address or text), sent with every record")
        add(
            "--do-not-give-on",
            action="store_false",
            dest="give_on",
            help="do not redistribute its records; they can only be searched on this site",
        )
        add("--full-url", default="", help=f"{full_list_label()}: address of the feed with all records")
        add("--method", default="GET", choices=Feed.Method.values, help="HTTP method of requests")
        add("--encoding", default="", help="real encoding, if the provider declares a wrong one; e.g. Shift_JIS")
        add(
            "--column",
            action="append",
            default=[],
            dest="columns",
            metavar="HEADING=FIELD",
            help="CSV: heading, live-json: path in a record; repeatable",
        )
        add_live_arguments(parser)
        add("--schedule", default="", choices=Feed.Schedule.values, help="default: daily")
        add("--cron", default="", help="five fields, e.g. '30 3 * * 1-5'; implies --schedule cron")
        add("--ca-file", default="", metavar="PEM", help="certificate authority to trust besides the public ones")
        add("--user", default="", help="login name at the provider; the command asks for the password")
        add("--token", action="store_true", help="ask for a token, which is sent as Authorization: Bearer")
        add("--header", default="", metavar="NAME", help="ask for a key, which is sent in this header")
        add("--password-stdin", action="store_true", help="read the password, token or key from standard input")
        add("--password", default=None, help=SUPPRESS)  # refused: other users of the machine could read it

    def handle(self, **options: Any) -> None:
        repository = Repository(number=options["number"], **{name: options[name] for name in REPOSITORY_OPTIONS})
        try:
            feed = self._feed(options)
            repository.clean_fields(exclude=["number"])
            validate_feed(feed)
            if feed.transport_kind.is_live:
                self._describe_live(feed, options)
            elif not options["prefix"]:
                feed.metadata_prefix = self._prefix(feed)
            repository.profile = options["profile"] or usual_profile(feed.metadata_prefix)
            feeds = [copy_of(feed, spec) for spec in options["sets"] or [""]]
            register(repository, feeds)
        except ValidationError as error:
            by_field = error.message_dict if hasattr(error, "error_dict") else {"live_options": error.messages}
            lines = [f"{name}: {' '.join(texts)}" for name, texts in by_field.items()]
            raise fail("\n".join(lines), USAGE) from error
        except RegistrationError as error:
            raise fail(str(error), USAGE) from error
        self._report(repository, feeds, options["json"])

    def _feed(self, options: dict[str, Any]) -> Feed:
        """Return the feed that the options describe, unsaved. Raises RegistrationError."""
        protocol, place = options["protocol"], options["base_url"]
        if TRANSPORTS[protocol].reads_files and not is_web_address(place):
            place = readable_file(place)
        schedule = options["schedule"] or (Feed.Schedule.CRON if options["cron"] else Feed.Schedule.DAILY)
        return Feed(
            protocol=protocol,
            base_url=place,
            metadata_prefix=options["prefix"] or TRANSPORTS[protocol].default_prefix,
            full_url=options["full_url"],
            method=options["method"],
            encoding=options["encoding"],
            columns=columns_of(options["columns"]),
            schedule=schedule,
            cron=options["cron"],
            ca_certificate=pem_of(options["ca_file"]),
            credentials=login_of(options),
        )

    def _describe_live(self, feed: Feed, options: dict[str, Any]) -> None:
        """Read the description of a live source into the feed, try a search, and say what it found.

        Raises RegistrationError if the source cannot be asked, ValidationError if the options do not fit.
        """
        feed.schedule, feed.live_options = Feed.Schedule.MANUAL, {"known_item": options["words"]}
        try:
            identity = transport_for(feed, ONE_TRY).identify()
            feed.live_options = live_options_of(feed, read_options(identity.live), options)
            check_feed(feed)
            if feed.transport_kind.is_link:
                return
            result = probe_feed(feed)
        except TransportError as error:
            raise RegistrationError(describe(error.code, {"base_url": feed.base_url, **error.facts})) from error
        feed.metadata_prefix = result.prefix
        declared = read_options(feed.live_options)
        feed.live_options = options_from(feed.transport_kind, declared, {}, feed.metadata_prefix)
        for refusal in result.errors.values():
            self.say(describe(refusal.code, {"base_url": feed.base_url, **refusal.facts}))
        facts = {"received": result.received, "good": result.registered, "total": result.complete_list_size or "?"}
        self.say(_("Test search: %(total)s hits, %(received)s records received, %(good)s of them can be read.") % facts)

    def _prefix(self, feed: Feed) -> str:
        """Return the best format that the provider offers, or that its records have.

        The default of the protocol if the provider cannot be reached.
        """
        feed.metadata_prefix = ""
        try:
            return probe_feed(feed, PROBED_RECORDS).prefix
        except TransportError as error:
            self.say(_("The provider could not be asked for its formats. It will be registered anyway."))
            self.say(describe(error.code, {"base_url": feed.base_url, **error.facts}))
            return feed.transport_kind.default_prefix

    def _report(self, repository: Repository, feeds: list[Feed], as_json: bool) -> None:
        prefix = feeds[0].metadata_prefix
        if prefix and prefix not in READABLE:
            self.say(
                _(
                    "Note: records in %(prefix)s cannot be read yet; none of them would be registered. "
                    "Readable: %(known)s"
                )
                % {"prefix": prefix, "known": ", ".join(READABLE)}
            )
        if as_json:
            rows = [
                {
                    "base_url": feed.base_url,
                    "prefix": feed.metadata_prefix,
                    "set": feed.set_spec,
                    "protocol": feed.protocol,
                }
                for feed in feeds
            ]
            about = {"number": repository.number, "name": repository.name, "profile": repository.profile}
            self.print_json({**about, "feeds": rows})
            return
        self.stdout.write(repository.number)
        if feeds[0].transport_kind.is_live:
            self.say(_("Registered. Readers can search it live as soon as it is approved."))
            return
        self.say(_("Registered. Next: harvest %(number)s") % {"number": repository.number})


def add_live_arguments(parser: CommandParser) -> None:
    """Add the options for live sources."""
    live = parser.add_argument_group("live search", "only with the protocols live-…").add_argument
    live("--words", default="", help="words of the test search, for which the catalogue certainly has hits")
    live("--index", action="append", default=[], dest="indexes", metavar="FIELD=INDEX", help="SRU; repeatable")
    live("--items", default=None, metavar="PATH", help="JSON: path of the list of records; default: detected")
    live("--total", default=None, metavar="PATH", help="JSON: path of the number of hits; default: detected")
    live("--record-link", default=None, dest="link", help="JSON: path or template of the page of a record")
    live(
        "--search-page", default=None, metavar="URL", help="page where readers can continue their search, with {words}"
    )
    live("--rate", type=float, default=None, help="searches per second, at most (1)")


def validate_feed(feed: Feed) -> None:
    """Validate the fields of an unsaved feed. Raises ValidationError with the messages by field."""
    exclude = ["repository", "metadata_prefix"] if not feed.metadata_prefix else ["repository"]
    feed.full_clean(exclude=exclude, validate_unique=False, validate_constraints=False)
    check_feed(feed)


def copy_of(feed: Feed, set_spec: str) -> Feed:
    """An unsaved copy of the feed for one set."""
    values = {field.attname: getattr(feed, field.attname) for field in Feed._meta.concrete_fields}
    return Feed(**{**values, "set_spec": set_spec})


def live_options_of(feed: Feed, described: Options, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a live source: its description, changed by the command line. Raises ValidationError."""
    given = {name: options[name] for name in ("items", "total", "link", "search_page", "rate")}
    given["known_item"] = options["words"] or described.known_item
    given["fields"] = feed.columns or None
    given["indexes"] = {**described.indexes, **IndexesField().to_python("\n".join(options["indexes"]))}
    feed.columns = {}
    return options_from(feed.transport_kind, described, given, options["prefix"])


def columns_of(pairs: list[str]) -> dict[str, str]:
    """The column mapping from HEADING=FIELD options. Raises RegistrationError."""
    columns, errors = parse_columns(pairs, COLUMN_FIELDS)
    if errors:
        raise RegistrationError("\n".join(map(column_error_text, errors)))
    return columns


def pem_of(path: str) -> str:
    """The text of a PEM file, "" for no path. Raises RegistrationError if it is not ASCII text."""
    try:
        return Path(readable_file(path)).read_text(encoding="ascii") if path else ""
    except UnicodeDecodeError as error:
        raise RegistrationError(_("The file %(path)s is not a certificate in PEM form.") % {"path": path}) from error


@sensitive_variables()
def login_of(options: dict[str, Any]) -> bytes:
    """Return the encrypted login, b"" for none. Raises RegistrationError.

    The secret is typed or read from standard input; arguments could be read by other users of the machine.
    """
    if options["password"] is not None:
        raise RegistrationError(
            _("A password on the command line can be read by others. Omit it to be prompted, or use --password-stdin.")
        )
    kinds = {"basic": options["user"], "bearer": options["token"], "header": options["header"]}
    kinds_given = [kind for kind, value in kinds.items() if value]
    if len(kinds_given) > 1:
        raise RegistrationError(_("Give only one of --user, --token and --header."))
    if not kinds_given:
        return b""
    secret = sys.stdin.readline().rstrip("\r\n") if options["password_stdin"] else getpass(_("Password or token: "))
    problem = login_error(kinds_given[0], options["user"], secret) if secret else _("No password was given.")
    if problem:
        raise RegistrationError(problem)
    login = Credentials(kind=kinds_given[0], username=options["user"], secret=secret, header=options["header"])
    return seal_credentials(login)
