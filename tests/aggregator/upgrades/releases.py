"""Every state of the tables that a site may have: version -> the last migration of every app.

When a version is tagged, add a line with the last migrations that `manage.py showmigrations` shows
(see CONTRIBUTING.md).
"""

RELEASES = {
    "before editions": {"harvesting": "0004_reread", "aggregator": "0001_initial"},  # 2026-11-22, 8603bb6
    "before pages of librarians": {"harvesting": "0006_repository_trust", "aggregator": "0006_reports"},  # faf2f94
    "before operations": {"harvesting": "0016_harvests_by_kind", "aggregator": "0011_hub"},  # 1951060
    "0.1.0": {"harvesting": "0017_fewer_indexes", "aggregator": "0015_keys_of_persons"},
}
HEAD = "head"

# Columns that migrations drop, or reset so that the new rules fill them again: release -> table -> columns.
MARKED = {
    release: {
        "harvesting.sourcerecord": {"aggregated_at"},
        "aggregator.manifestation": {"scores", "work_keys"},
        "aggregator.member": {"features", "keys", "isbns", "version", "linked_to_id", "score", "evidence"},
    }
    for release in RELEASES
}
# Tables that migrations empty, because everything in them is derived.
EMPTIED = {"aggregator.matchalarm", "aggregator.matchkey", "aggregator.reviewpair", "aggregator.workkey"}
