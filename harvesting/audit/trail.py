"""The audit trail: who did what to what, when and why.

Each action of a person is one row. The rows are only shown to people; no code takes a decision from them.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Model
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from harvesting.models import AuditEntry, HealthStatus, Repository

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

NO_DETAILS: Mapping[str, object] = {}
LONGEST = 300  # characters of the name of the object

# Every action that is recorded: its code, which is stored, and its label.
ACTIONS: "dict[str, StrOrPromise]" = {
    # people
    "login": _("logged in"),
    "login.house": _("logged in by single sign-on"),
    "login.proxy": _("logged in through the proxy"),
    "login.bound": _("linked to a single sign-on account"),
    "login.unbound": _("unlinked from a single sign-on account"),
    "password.changed": _("changed their own password"),
    "password.forgotten": _("set a new password after forgetting it"),
    "person.invited": _("invited"),
    "person.invited_again": _("sent the invitation again"),
    "invitation.revoked": _("revoked an invitation"),
    "person.joined": _("accepted an invitation"),
    "person.role": _("changed the role"),
    "person.closed": _("deactivated the account"),
    "person.opened": _("reactivated the account"),
    "person.provider_given": _("assigned a provider"),
    "person.provider_taken": _("removed the assignment of a provider"),
    "person.library_given": _("made the person interlibrary loan staff of a library"),
    "person.library_taken": _("removed the person from the interlibrary loan staff of a library"),
    # harvests
    "harvest.start": _("started a harvest"),
    "harvest.pause": _("paused a harvest"),
    "harvest.resume": _("resumed a harvest"),
    "harvest.cancel": _("cancelled a harvest"),
    "harvest.confirm": _("confirmed the result of a harvest"),
    "harvest.refuse": _("rejected the result of a harvest"),
    # providers
    "provider.registered": _("registered the provider"),
    "provider.changed": _("changed the provider’s details"),
    "provider.imported": _("changed providers from a file"),
    "provider.join.asked": _("requested approval again"),
    "provider.join.granted": _("approved the provider’s registration"),
    "provider.join.refused": _("sent the registration back"),
    "provider.delete.asked": _("requested deletion of the provider"),
    "provider.delete.granted": _("approved deletion of the provider"),
    "provider.delete.refused": _("declined deletion of the provider"),
    "provider.erasing": _("started erasing all data of the provider"),
    "provider.erased": _("finished erasing all data of the provider"),
    "provider.live": _("resumed the provider"),
    "provider.paused": _("paused the provider"),
    "provider.stopped": _("stopped the provider"),
    "feed.added": _("added a feed"),
    "feed.changed": _("changed a feed"),
    "notices.added": _("added a notification address"),
    "notices.changed": _("changed notification settings"),
    "notices.stopped": _("stopped notifications"),
    "notices.started": _("resumed notifications"),
    "notices.removed": _("removed a notification address"),
    "notices.again": _("resent a notification"),
    "enrichment.changed": _("changed the enrichment rules of a provider"),
    "enrichment.back": _("went back to an earlier version of the enrichment rules"),
    # issues and records
    "rule.ignored": _("ignored a rule for a provider"),
    "doi.dry_run": _("made a dry run of the hand-over of DOIs"),
    "doi.send": _("had DOIs sent to JaLC"),
    "doi.handed_over": _("marked DOIs as handed over"),
    "doi.registered": _("marked DOIs as registered"),
    "doi.arrived": _("confirmed an interrupted delivery of DOIs"),
    "doi.settled": _("settled DOIs whose record is gone"),
    "theses.handed_over": _("marked doctoral theses as handed over"),
    "theses.settled": _("settled doctoral theses whose record is gone"),
    "doi.not_arrived": _("had an interrupted delivery of DOIs repeated"),
    "issue.ignored": _("ignored an issue"),
    "ignoring.undone": _("stopped ignoring a rule or an issue"),
    "records.asked": _("requested records from the provider again"),
    "records.reread": _("reread stored records"),
    "record.suppressed": _("withheld a record"),
    "record.released": _("made a withheld record public again"),
    "record.restored": _("restored a deleted record"),
    # bulk actions
    "bulk.begun": _("began a bulk action"),
    "bulk.stopped": _("stopped a bulk action"),
    "bulk.undone": _("undid a bulk action"),
    # the matching
    "match.ruled": _("made a ruling"),
    "match.undone": _("undid a ruling"),
    "match.confirmed": _("confirmed a ruling"),
    "match.dismissed": _("closed readers’ comments on two records without a ruling"),
    # libraries
    "libraries.imported": _("imported a list of libraries"),
    "library.imported": _("changed a library from a list"),
    "library.added": _("added a library"),
    "library.changed": _("changed a library"),
    "library.availability": _("changed how a library is asked for availability"),
    "library.given_back": _("gave fields of a library back to the records"),
    "library.merged": _("merged a library into another"),
    "library.unmerged": _("undid the merging of two libraries"),
    "library.names": _("answered a question about the names of a library"),
    "library.two": _("declared two libraries to be different"),
    "library.answer_taken_back": _("took back an answer to a question about libraries"),
    # interlibrary loan
    "loan.terms": _("changed the terms of interlibrary loan"),
    "loan.link_revoked": _("revoked the link of an interlibrary loan request"),
    # the queue
    "queue.retried": _("queued failed jobs again"),
    "queue.removed": _("removed failed jobs from the queue"),
    # API keys
    "push_token.made": _("made a token for pushing records"),
    "push_token.revoked": _("revoked a token for pushing records"),
    "key.made": _("created an API key"),
    "key.revoked": _("revoked an API key"),
    # changes on the admin pages, of any table
    "admin.added": _("added in data administration"),
    "admin.changed": _("changed in data administration"),
    "admin.deleted": _("deleted in data administration"),
}


def note(
    person: Any, action: str, about: Model | str, reason: str = "", details: Mapping[str, object] = NO_DETAILS
) -> AuditEntry:
    """Add an entry to the audit trail. Call it in the same transaction as the action itself.

    person: a user, or None for the program. action: a key of ACTIONS. about: the row that was changed, or its name.
    details: further facts, name -> value; never a secret.
    """
    kind, number = (str(about._meta.model_name), str(about.pk)) if isinstance(about, Model) else ("", "")
    repository = repository_of(about)
    if repository is not None:  # any action may change the health of the provider: have it judged again soon
        HealthStatus.objects.filter(pk=repository.pk).update(checked_at=None)
    return AuditEntry.objects.create(
        person=person if getattr(person, "pk", None) else None,
        name=person.get_username() if person is not None else "",
        action=action,
        repository=repository,
        kind=kind,
        number=number[:40],
        about=label_of(about)[:LONGEST],
        reason=reason,
        details={name: as_json_value(value) for name, value in details.items()},
    )


def label_of(about: object) -> str:
    """The name of an object in the language of the site, independent of the language of the user."""
    with translation.override(settings.LANGUAGE_CODE):
        return str(about)


def repository_of(about: object) -> Repository | None:
    """The repository that a row belongs to, directly or through its feed, record or harvest; None if there is none."""
    for _step in range(4):
        if about is None or isinstance(about, Repository):
            return about
        about = next((getattr(about, name) for name in ("repository", "feed", "record", "harvest")
                      if hasattr(about, name)), None)  # fmt: skip
    return None


def as_json_value(value: object) -> object:
    """The value itself if JSON can store it, else its text."""
    return value if isinstance(value, str | int | float | bool | type(None)) else str(value)
