"""The levels of the packages, against which `test_architecture.py` checks the imports."""

# The packages that a package may import, besides itself.
PACKAGES: dict[str, set[str]] = {
    "core": set(),
    "metadata": set(),
    "sampleprovider": {"metadata"},
    "harvesting": {"core", "metadata", "sampleprovider"},
    "aggregator": {"core", "metadata", "sampleprovider", "harvesting"},
}
# Only management commands, which start the sample provider, may import it.
USERS_OF_THE_SAMPLE_PROVIDER = ("harvesting.management", "aggregator.management")

# Per package, lowest level first: a module may import from its own level and from lower ones. A name stands for all
# modules below it, unless a longer name is listed. A module without a level fails the test.
LEVELS: dict[str, tuple[str, ...]] = {
    "core": (
        "checkpoints day_field disk_cache file_locks http languages log_context redaction spreadsheet"
        " work.garbage work.processes",
        "database log_lines",
        "commands work",
    ),
    "metadata": (
        "vocabularies text",
        "record identifiers links",
        "display_title issue accessible serials",
        "xml validation.registry validation.message validation.tree",
        "about",
        "formats.common validation.messages validation.xsd validation.envelope",
        "citations formats.dcndl formats.json formats.oai_dc formats.jpcoar",
        "formats.dcndl_simple formats.marc formats.schema_org",
        "formats.rss formats.mods",
        "formats.junii2",
        "catalogue",
        "checking policy",
        "formats validation",
        "reading",
        "__main__",
    ),
    "sampleprovider": (
        "books certificates words",
        "source",
        "arguments replies",
        "loading wire",
        "pages rendering",
        "generator oai resourcesync rss trial",
        "routes",
        "scenarios",
        "server",
        "demo",
    ),
    "harvesting": (
        "validators",
        "models types",
        "audit http mail",
        "accounts transports",
        "messages",
        "transports.rss",
        "issues",
        "transports.file",
        "records transports.registry",
        "runs",
        "scheduling",
        "completion registry",
        "harvest notifications rereading trials",
        "joining monitoring websub",
        "admin management tasks views",
        "dispatcher",
        "jobs urls apps",
    ),
    "aggregator": (
        "deployment search.tree",
        "settings matching.features search.titles",
        "matching.comparison matching.blocking_keys search.suggest",
        "search.base",
        "matching models search.query search.documents",
        "search.tantivy provision.pending libraries",
        "loans merge query search",
        "merging numbers",
        "catalogue indexing availability",
        "presentation",
        "results",
        "access loan_desk provision transfer",
        "backups checks grouping provision.api provision.sru",
        "provision.ndl",
        "erasing middleware observability review trials",
        "tasks",
        "jobs",
        "admin management templating views",
        "urls apps wsgi",
    ),
}
