"""What became of a run."""

from django.utils.translation import gettext_lazy as _

from harvesting.messages.base import ASK_PROVIDER, LATER, NOTHING_TO_DO, Message

RUNS: dict[str, Message] = {
    "run.active": Message(
        _("Harvest %(harvest)s of this feed is not finished."),
        _("Wait until it ends. If its worker died, it can be taken up again after 90 seconds."),
    ),
    "run.unapproved": Message(
        _("Staff have not agreed to this provider yet, so it is not harvested."),
        _("It begins by itself when they do."),
    ),
    "run.lease_lost": Message(_("Another worker has taken over this harvest."), NOTHING_TO_DO),
    "run.stopped": Message(_("The harvest was stopped by hand."), _("Start it again: it goes on where it stopped.")),
    "run.attempts": Message(
        _("The harvest was taken up %(attempts)s times and never ended."),
        _("The operator finds the reason in the log of the worker."),
    ),
    "run.internal": Message(
        _("The aggregator itself failed (%(reason)s)."),
        _("The operator finds the reason in the log; the harvest is taken up again by itself."),
    ),
    "run.database": Message(
        _("The page could not be stored (%(reason)s). Nothing is lost."),
        _("The operator looks at the database and the free disk space; the harvest goes on by itself."),
    ),
    "run.paused": Message(
        _("The harvest was paused by a person."), _("It goes on when somebody resumes it. What is stored stays.")
    ),
    "run.cancelled": Message(
        _("The harvest was cancelled by a person."), _("What is stored stays; the next harvest asks for the rest.")
    ),
    "run.superseded": Message(
        _("A newer harvest has taken the place of this one."), _("What is stored stays. Nothing needs to be done.")
    ),
    "run.quiet": Message(_("The quiet hours of this feed have begun; the provider is not asked meanwhile."), LATER),
    "run.waited": Message(_("The harvest had to wait for the provider and go on later."), NOTHING_TO_DO),
    "run.schemas": Message(
        _("The records were also checked against the official schema (XSD) of their format, where one is placed here."),
        NOTHING_TO_DO,
    ),
    "run.no_schemas": Message(
        _("The records were not checked against official schemas (XSD), because none are placed here."),
        _("All other checks were made. The operator can place schemas with the command “fetch_schemas”."),
    ),
    "run.clock_skew": Message(
        _("The provider's clock differs from ours by %(minutes)s minutes."),
        _("Nothing is lost: the earlier of both clocks counts. Tell the provider, and check the clock here."),
    ),
    "run.no_end": Message(_("The list stopped before its end was reached."), ASK_PROVIDER),
    "run.gaps": Message(
        _("Parts of the list could not be had: %(windows)s."),
        _(
            "What came is stored. Ask for the missing parts again: harvest everything on the page of the feed, or only "
            "the gaps with the command “harvest”."
        ),
    ),
    "run.rests": Message(
        _("The last %(failures)s harvests of this feed failed, so it rests until %(until)s."),
        _("Then one small question shows whether the provider is back. A harvest by hand is possible at any time."),
    ),
}
