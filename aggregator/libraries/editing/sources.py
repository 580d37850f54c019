"""Where the value of each field of a library comes from: people, an imported list, or records. Pure."""

from collections.abc import Collection

from aggregator.libraries.edits import by_lists, by_people

FIELDS = (
    *("name", "reading", "name_en", "short_name", "kind", "parent", "prefecture", "municipality", "address"),
    *("latitude", "longitude", "telephone", "hours", "closed_days", "page", "link_template", "lends", "ill_terms"),
    *("closed_on", "remarks"),
)
FROM_RECORDS = ("name", "reading", "name_en")  # fields that records fill in
FROM_PROVIDERS = (*FROM_RECORDS, "page")  # filled in from a provider if it is itself the library
PEOPLE, LIST, RECORDS, OPEN, NONE = "people", "list", "records", "open", ""
RANK = (PEOPLE, LIST, RECORDS, OPEN, NONE)  # the source that goes before all others first


def source_of(field: str, edited: Collection[str], has_value: bool, is_provider: bool = False) -> str:
    """Return where the value of a field comes from. edited: the marks of the library.

    OPEN is a value that was given back, which the next list may change. NONE is a field that nothing has filled in.
    """
    if field in by_people(edited):
        return PEOPLE
    if field in by_lists(edited):
        return LIST
    if not has_value:
        return NONE
    return RECORDS if field in (FROM_PROVIDERS if is_provider else FROM_RECORDS) else OPEN
