"""What keeps each table from growing for ever. A new table needs a line here, or the soak test fails.

A table is bounded by the number of records or people, by a number of rows per feed, or by the time its rows are kept.
"""

from dataclasses import dataclass

from harvesting.completion import retention
from harvesting.issues import counts
from harvesting.records import versions
from harvesting.runs import coverage, observations

RECORDS, FEEDS, DAYS, PEOPLE, FIXED = "records", "feeds", "days", "people", "fixed"
UNTIL_UPKEEP = 6  # runs of a feed that may accumulate before old ones are pruned


@dataclass(frozen=True, slots=True)
class Bound:
    """The bound of a table: at most `rows_per_unit` rows for each of `unit` (records, feeds …); 0 = not checked."""

    unit: str
    rows_per_unit: int = 0
    why: str = ""


RUNS = retention.RUNS_KEPT + 4 + UNTIL_UPKEEP
BOUNDS: dict[str, Bound] = {
    "harvesting_sourcerecord": Bound(RECORDS, 1, "deleted ones stay as tombstones without their bytes after 90 days"),
    "harvesting_membership": Bound(RECORDS, 1),
    "harvesting_seenrecords": Bound(RECORDS, RUNS, "one for each page of runs since the last one that succeeded"),
    "harvesting_recordabout": Bound(RECORDS, 1),
    "harvesting_enrichedrecord": Bound(RECORDS, 1),
    "harvesting_enrichmentrules": Bound(PEOPLE),
    "harvesting_recordissue": Bound(RECORDS, 40),
    "harvesting_recordversion": Bound(RECORDS, versions.MOST_VERSIONS),
    "harvesting_helddeletion": Bound(RECORDS, 1),
    "harvesting_suppression": Bound(PEOPLE),
    "harvesting_ignoring": Bound(PEOPLE),
    "aggregator_manifestation": Bound(RECORDS, 1, "numbers once assigned redirect for ever"),
    "aggregator_member": Bound(RECORDS, 1),
    "aggregator_formermember": Bound(
        RECORDS, 2, "records that left a book, and the last members of numbers out of use"
    ),
    "aggregator_numbercounter": Bound(FIXED, 1),
    "aggregator_library": Bound(RECORDS, 1),
    "aggregator_librarycode": Bound(RECORDS, 3),
    "aggregator_libraryname": Bound(RECORDS, 1),
    "aggregator_linkhost": Bound(DAYS, why="limited per day, kept for 90 days"),
    "aggregator_linkpattern": Bound(DAYS, why="limited per day, kept for 90 days"),
    "aggregator_checkedlink": Bound(DAYS, why="limited per day, kept for 90 days; dead ones while records give them"),
    "aggregator_linkround": Bound(FIXED, 1),
    "aggregator_availabilityadapter": Bound(PEOPLE, why="one for each library that has opted in"),
    "aggregator_livestate": Bound(FEEDS, 1),
    "aggregator_liveday": Bound(DAYS, why="one for each catalogue and day, for 400 days"),
    "aggregator_librarymerge": Bound(PEOPLE),
    "aggregator_libraryanswer": Bound(PEOPLE),
    "aggregator_holding": Bound(RECORDS, 4, "libraries of a book; most records name one"),
    "aggregator_librarymember": Bound(PEOPLE),
    "aggregator_libraryinvitation": Bound(PEOPLE),
    "aggregator_loanterms": Bound(PEOPLE),
    "aggregator_loan": Bound(PEOPLE, why="limited per library and day; kept without notes after a year"),
    "aggregator_loanevent": Bound(PEOPLE, why="limited per library and day"),
    "aggregator_loanlink": Bound(DAYS),
    "aggregator_loanmessage": Bound(DAYS),
    "aggregator_providerlinks": Bound(FEEDS, 2),
    "aggregator_core": Bound(RECORDS, 1),
    "aggregator_kind": Bound(RECORDS, 1),
    "aggregator_matchkey": Bound(RECORDS, 60),
    "aggregator_workkey": Bound(RECORDS, 20),
    "aggregator_matchalarm": Bound(RECORDS, 1),
    "aggregator_reviewpair": Bound(RECORDS, 20),
    "aggregator_provided": Bound(RECORDS, 2),
    "aggregator_providedcopy": Bound(RECORDS, 8, "copies of a book that are or were redistributed"),
    "aggregator_providedtype": Bound(RECORDS, 4),
    "aggregator_listsize": Bound(FEEDS, 1, "one for each provider, and fewer than a hundred for types and groups"),
    "aggregator_listcounting": Bound(FIXED, 1),
    "aggregator_indexledger": Bound(FIXED, 1),
    "aggregator_indexchange": Bound(RECORDS, 8, "while a machine with an index of its own is away, for a week at most"),
    "aggregator_indexedmeanwhile": Bound(RECORDS, 1),
    "aggregator_providedterms": Bound(FEEDS, 2),
    "aggregator_resource": Bound(RECORDS, 2),
    "aggregator_resourceblock": Bound(RECORDS, 1, "blocks of numbers in which a provider has records"),
    "aggregator_resourceset": Bound(FEEDS, 2),
    "aggregator_changelist": Bound(DAYS),
    "aggregator_resourcechange": Bound(DAYS),
    "aggregator_resourcepackage": Bound(DAYS),
    "aggregator_resourceclock": Bound(FIXED, 1),
    "aggregator_hubsubscription": Bound(PEOPLE),
    "aggregator_matchdecision": Bound(PEOPLE),
    "aggregator_bookreport": Bound(PEOPLE),
    "aggregator_backup": Bound(FIXED, 50),
    "aggregator_erasure": Bound(PEOPLE, why="the record of erasures is kept for ever"),
    "aggregator_apikey": Bound(PEOPLE),
    "aggregator_apikeyday": Bound(DAYS),
    "aggregator_rematch": Bound(PEOPLE),
    "aggregator_contentfigures": Bound(
        RECORDS,
        1,
        "one for all, for each provider and library with books, and at most ten with counts by five properties",
    ),
    "aggregator_usecount": Bound(DAYS),
    "aggregator_takenlist": Bound(DAYS, why="at most 5,000 a day, for 400 days"),
    "aggregator_headingrun": Bound(FIXED, 3, "the one that pages show, the one that counts"),
    "aggregator_heading": Bound(RECORDS, 40, "those of two runs"),
    "aggregator_headinglink": Bound(RECORDS, 40, "those of two runs"),
    "aggregator_subjectrelation": Bound(PEOPLE),
    "aggregator_searchalert": Bound(PEOPLE, why="limited per address; unconfirmed ones are deleted after days"),
    "aggregator_alertmail": Bound(DAYS),
    "harvesting_doiagreement": Bound(FEEDS, 1),
    "harvesting_requesteddoi": Bound(RECORDS, 1, "a DOI that was registered stays for ever"),
    "harvesting_doievent": Bound(RECORDS, why="one for each change of the state of a DOI; append-only on purpose"),
    "harvesting_doctoralthesis": Bound(RECORDS, 1),
    "harvesting_thesisevent": Bound(
        RECORDS, why="one for each change of the state of a thesis; append-only on purpose"
    ),
    "harvesting_doidelivery": Bound(RECORDS, why="a document of up to 100 DOIs whose XML has changed"),
    "harvesting_issuepatterns": Bound(FEEDS, 1),
    "harvesting_bulkaction": Bound(DAYS),
    "harvesting_bulkchange": Bound(DAYS, why="deleted with the action, 30 days after its end"),
    "harvesting_reread": Bound(PEOPLE),
    "harvesting_recheck": Bound(FEEDS, RUNS),
    "harvesting_harvest": Bound(FEEDS, RUNS),
    "harvesting_push": Bound(DAYS, why="limited per provider and day; kept for 14 days"),
    "harvesting_pushtoken": Bound(PEOPLE),
    "harvesting_harvestevent": Bound(FEEDS, RUNS * 12),
    "harvesting_window": Bound(FEEDS, coverage.WINDOWS_KEPT + 1 + RUNS),
    "harvesting_brokenpage": Bound(FEEDS, observations.KEPT_PAGES),
    "harvesting_issuestock": Bound(FEEDS, counts.COUNTS_KEPT),
    "harvesting_standing": Bound(FEEDS, 1),
    "harvesting_feed": Bound(FEEDS, 1),
    "harvesting_repository": Bound(FEEDS, 1),
    "harvesting_issuednumber": Bound(FEEDS, 1),
    "harvesting_subscription": Bound(FEEDS, 1),
    "harvesting_ruleswitch": Bound(PEOPLE),
    "harvesting_resolvedissue": Bound(DAYS),
    "harvesting_dayfigures": Bound(DAYS),
    "harvesting_siteday": Bound(DAYS, why="one a day"),
    "harvesting_noticeevent": Bound(DAYS),
    "harvesting_noticeitem": Bound(DAYS),
    "harvesting_letter": Bound(DAYS),
    "harvesting_noticemark": Bound(FIXED, 10),
    "harvesting_validation": Bound(DAYS),
    "harvesting_draft": Bound(DAYS),
    "harvesting_application": Bound(PEOPLE),
    "harvesting_recipient": Bound(PEOPLE),
    "harvesting_invitation": Bound(PEOPLE),
    "harvesting_externallogin": Bound(PEOPLE),
    "harvesting_loginbrake": Bound(DAYS),
    "harvesting_passwordrequest": Bound(DAYS),
    "harvesting_auditentry": Bound(PEOPLE, why="the audit trail is kept for ever"),
    "django_session": Bound(DAYS),
    "django_admin_log": Bound(PEOPLE),
    "django_content_type": Bound(FIXED, 1000),
    "auth_permission": Bound(FIXED, 2000),
    "auth_group": Bound(FIXED, 10),
    "auth_user": Bound(PEOPLE),
}


def beyond(rows: dict[str, int], feeds: int, records: int) -> list[str]:
    """Return a sentence for every table that exceeds its bound or has none."""
    units = {FEEDS: feeds, RECORDS: records, FIXED: 1}
    wrong = [f"{table}: has no line in BOUNDS" for table in rows if table not in BOUNDS]
    for table, count in rows.items():
        bound = BOUNDS.get(table)
        if bound and bound.rows_per_unit and count > bound.rows_per_unit * units[bound.unit]:
            allowed = f"{bound.rows_per_unit} for each of {units[bound.unit]} {bound.unit}"
            wrong.append(f"{table}: {count} rows, more than {allowed}")
    return wrong
