"""`manage.py rotate_credentials`: encrypts all stored secrets again with the newest key."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import models, transaction
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from core.commands import AggregatorCommand, fail
from harvesting.messages import describe
from harvesting.models.sealed import sealed_columns
from harvesting.registry.credentials import key_file, keys, new_key, reseal, write_keys
from harvesting.types import TransportError


class Command(AggregatorCommand):
    help = (
        "Encrypt all stored secrets (such as the logins for providers) again, with the first of CREDENTIALS_KEYS; if "
        "this variable is not set, with a new key in the key file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--new-key", action="store_true", help="only print a new key for CREDENTIALS_KEYS")

    @sensitive_variables()
    def handle(self, *args: Any, **options: Any) -> None:
        if options["new_key"]:
            self.stdout.write(new_key())
            return
        own_file = not settings.CREDENTIALS_KEYS
        try:
            if own_file:
                write_keys([new_key(), *keys()], replace=True)
            count = reseal_all()
            if own_file:
                write_keys(keys()[:2], replace=True)  # the second key still decrypts backups made before the rotation
        except TransportError as error:
            raise fail(describe(error.code, error.facts)) from None
        if options["json"]:
            self.print_json({"sealed": count})
            return
        self.say(_("Values encrypted again: %(count)s.") % {"count": count})
        if not own_file and len(settings.CREDENTIALS_KEYS) > 1:
            self.say(_("The keys after the first one in CREDENTIALS_KEYS are no longer needed."))
        elif own_file:
            self.say(
                _("The new key is in %(path)s. Keep a copy in a different place from the backups.")
                % {"path": key_file()}
            )


@sensitive_variables()
def reseal_all() -> int:
    """Encrypt all secrets again in one transaction; return their number."""
    with transaction.atomic():
        return sum(_reseal(model, name) for model, name in sealed_columns())


@sensitive_variables()
def _reseal(model: type[models.Model], name: str) -> int:
    rows = model._base_manager.exclude(**{name: b""}).order_by("pk")
    secrets = list(rows.select_for_update(of=("self",)).values_list("pk", name))
    for pk, sealed in secrets:
        try:
            new = reseal(bytes(sealed))
        except TransportError as error:
            raise fail(f"{model._meta.label} {pk}: {describe(error.code, error.facts)}") from None
        rows.filter(pk=pk).update(**{name: new})
    return len(secrets)
