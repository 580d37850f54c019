"""The tables and columns of an export, in their order; what is left out, and why. Does not read rows."""

from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db.models import Field, Model

type Table = type[Model]

# Tables that are not exported, and why. All others are.
LEFT_OUT = {
    "harvesting.SelfTest": "self-tests, which are kept for some days only",
    "harvesting.PushToken": "contains hashes made with a key of this installation; the new site makes new tokens",
    "harvesting.LoginThrottle": "failed logins, which are soon out of date",
    "harvesting.PasswordRequest": "requests for a new password, which are kept for a day only",
    "harvesting.Subscription": "contains a secret shared with a hub; the new site subscribes again",
    "aggregator.HubSubscription": "contains a secret shared with a subscriber, who subscribes again",
    "aggregator.ResourcePackage": "files that the new site writes itself",
    "aggregator.IndexLedger": "describes the search index, which is not exported",
    "aggregator.IndexedMeanwhile": "describes the search index, which is not exported",
    "aggregator.IndexChange": "describes the search indexes of single machines, which are not exported",
    **dict.fromkeys(
        ("aggregator.Heading", "aggregator.HeadingLink", "aggregator.HeadingRun"), "counted by the new site"
    ),
    "aggregator.LoanMessage": "messages that the previous site sends",
    "aggregator.LoanLink": "links in mails to the previous site",
    "aggregator.AlertMail": "mails that the previous site sends",
    "aggregator.Backup": "describes backups of this installation",
}
# Columns that are not exported, because they are secret or specific to this installation. They get their default.
HIDDEN = {
    "aggregator.Manifestation": {"index_pending"},  # the new site indexes all books
    "aggregator.LoanTerms": {"iso_secret", "iso_digest"},
    "aggregator.SearchAlert": {"nonce"},  # part of the links in mails
    "auth.User": {"password"},  # users must set a new one before they can log in
    "harvesting.DoiAgreement": {"credentials"},
    "harvesting.Draft": {"credentials"},
    "harvesting.Feed": {"credentials"},
    "harvesting.Invitation": {"nonce"},  # part of the link in the mail
    "harvesting.Recipient": {"secret"},
}
# Columns with the name of an uploaded file, and how such names begin in exports of earlier releases.
UPLOAD_COLUMNS = {"harvesting.Feed": "base_url", "harvesting.Draft": "upload"}
EARLIER_UPLOADS = "uploads:"


def tables() -> list[Table]:
    """Return all exported tables; every table comes after those that it refers to."""
    models: list[Table] = [User, Group, User.groups.through]
    for app in ("harvesting", "aggregator"):
        models += apps.get_app_config(app).get_models(include_auto_created=True)
    exported = {model._meta.label: model for model in models if model._meta.label not in LEFT_OUT}
    graph = {label: _referenced(model) & exported.keys() - {label} for label, model in sorted(exported.items())}
    return [exported[label] for label in TopologicalSorter(graph).static_order()]


def _referenced(table: Table) -> set[str]:
    return {column.related_model._meta.label for column in columns(table) if column.related_model}


def columns(table: Table) -> list["Field[Any, Any]"]:
    """Return all columns of a table, including those that are not exported."""
    return [column for column in table._meta.concrete_fields if column.column]


def exported_columns(table: Table) -> list["Field[Any, Any]"]:
    """Return the columns of a table that are exported."""
    return [column for column in columns(table) if column.name not in HIDDEN.get(table._meta.label, ())]


def refers_to_left_out_table(column: "Field[Any, Any]") -> bool:
    """Return whether a column refers to a table that is not exported: then it is exported as null."""
    return bool(column.related_model and column.related_model._meta.label in LEFT_OUT)


def column_name(column: "Field[Any, Any]") -> str:
    """Return the name of a column in the database."""
    return str(column.column)


def table_name(table: Table) -> str:
    """Return the name of a table in the export: from its name in the database, which stays if a class is renamed."""
    return table._meta.db_table.replace("_", ".", 1)
