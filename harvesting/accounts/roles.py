"""The Django groups behind the roles and their permissions: staff, and librarians for the repositories they manage."""

from django.contrib.auth.models import Group, Permission

STAFF = "staff"
LIBRARIANS = "librarians"

# Group -> permissions as app.codename. Repository.objects.for_user decides which rows a user reaches.
PERMISSIONS: dict[str, tuple[str, ...]] = {
    STAFF: (
        "harvesting.add_repository",
        "harvesting.change_repository",
        "harvesting.view_repository",
        "harvesting.add_feed",
        "harvesting.change_feed",
        "harvesting.view_feed",
        "harvesting.delete_feed",
        "harvesting.view_harvest",
        "harvesting.change_harvest",  # to pause, resume, cancel, decide; the rows themselves cannot be edited
        "harvesting.view_sourcerecord",
        "harvesting.change_sourcerecord",  # to restore deleted ones
        "harvesting.view_datewindow",
        "harvesting.view_brokenpage",
        "harvesting.view_recordissue",
        "harvesting.add_ruleswitch",
        "harvesting.change_ruleswitch",
        "harvesting.delete_ruleswitch",
        "harvesting.view_ruleswitch",
        "harvesting.add_doiagreement",
        "harvesting.change_doiagreement",
        "harvesting.delete_doiagreement",
        "harvesting.view_doiagreement",
        "harvesting.view_externallogin",
        "harvesting.delete_externallogin",  # to unlink an account from an identity of another institution
        "aggregator.view_manifestation",
        "aggregator.view_member",
        "aggregator.add_matchruling",
        "aggregator.change_matchruling",
        "aggregator.view_matchruling",
        "aggregator.view_matchalarm",
        "aggregator.view_rematch",
        "aggregator.view_library",
        "aggregator.view_librarycode",
        "aggregator.view_libraryname",
        "aggregator.view_indexledger",
        "aggregator.view_errorreport",
        "aggregator.change_errorreport",  # to mark a report as dealt with
    ),
    LIBRARIANS: (
        "harvesting.change_repository",
        "harvesting.view_repository",
        "harvesting.change_feed",
        "harvesting.view_feed",
        "harvesting.view_harvest",
        "harvesting.change_harvest",  # to pause, resume, cancel, decide; the rows themselves cannot be edited
        "harvesting.view_sourcerecord",
        "harvesting.change_sourcerecord",  # to restore deleted ones
        "harvesting.view_datewindow",
        "harvesting.view_brokenpage",
        "harvesting.view_recordissue",
        "harvesting.view_ruleswitch",
        "harvesting.view_doiagreement",
    ),
}


def ensure_roles() -> None:
    """Create the groups with exactly the permissions of PERMISSIONS. Idempotent."""
    named = Permission.objects.values_list("content_type__app_label", "codename", "pk")
    numbers = {f"{app}.{codename}": number for app, codename, number in named}
    for name, permissions in PERMISSIONS.items():
        group, _created = Group.objects.get_or_create(name=name)
        group.permissions.set([numbers[permission] for permission in permissions])
