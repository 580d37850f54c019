from itertools import batched

from django.db import migrations
from django.db.models import Count

# Element in the value of an issue of jpcoar.W012, by its name in JPCOAR or junii2 -> the rule that says so now.
RULES = {
    "dc:title": "doi.E003",
    "title": "doi.E003",
    "jpcoar:identifier[@HDL|@URI]": "doi.E004",
    "URI": "doi.E004",
    "jpcoar:file/jpcoar:URI": "doi.E005",
    "fullTextURL": "doi.E005",
    "jpcoar:volume": "doi.E006",
    "volume": "doi.E006",
    "publisher[@en]": "doi.E011",
    "jpcoar:sourceIdentifier": "doi.E012",
    "issn": "doi.E012",
    "jpcoar:sourceTitle[@en]": "doi.E013",
    "jtitle[@en]": "doi.E013",
    "dc:title[@en]": "doi.E014",
    "title[@en]": "doi.E014",
    "jpcoar:relatedIdentifier[@ISBN]": "doi.E015",
    "isbn": "doi.E015",
}
# The words that an agency is given in place of an element: these are no longer missing.
WORDS = {
    "publisher": "出版社不明",
    "datacite:date": "9999-01-01",
    "dateofissued": "9999-01-01",
    "jpcoar:pageStart": "none",
    "spage": "none",
}
MISSING, SUBSTITUTED = "jpcoar.W012", "doi.I010"
SAME = {"jpcoar.W112": ["doi.E002"], "jpcoar.E211": ["doi.E001"], "junii2.W018": ["doi.E001"]}
REPLACED = SAME | {MISSING: [*sorted(set(RULES.values())), "doi.E104", "doi.E007"]}


def replace(apps, schema_editor):
    """Give switches, ignored issues, issues and their newest counts the codes of the rules doi.*."""
    decisions(apps.get_model("harvesting", "RuleSwitch"), apps.get_model("harvesting", "IgnoredIssue"))
    found = apps.get_model("harvesting", "RecordIssue")
    for model in (found, apps.get_model("harvesting", "ResolvedIssue")):
        for code, (successor, *_others) in SAME.items():
            model.objects.filter(code=code).update(code=successor)
        for rows in batched(model.objects.filter(code=MISSING).order_by("pk").iterator(2000), 2000):
            model.objects.bulk_create([part for row in rows for part in parts(model, row)])
            model.objects.filter(pk__in=[row.pk for row in rows]).delete()
    count(apps.get_model("harvesting", "IssueCount"), found)


def decisions(switches, ignored):
    """Repeat what was decided about a rule for each that replaces it. A single ignored issue keeps its row."""
    for row in switches.objects.filter(code__in=REPLACED):
        for code in REPLACED[row.code]:
            about = {"outcome": row.outcome, "reason": row.reason, "decided_by": row.decided_by}
            switches.objects.get_or_create(
                repository_id=row.repository_id, code=code, defaults={**about, "decided_at": row.decided_at}
            )
        row.delete()
    for row in ignored.objects.filter(code__in=REPLACED):
        first, *others = REPLACED[row.code]
        exists = ignored.objects.filter(repository_id=row.repository_id, record=None, undone_at=None)
        whole = row.record_id is None and row.undone_at is None
        if whole and exists.filter(code=first).exists():
            row.delete()
            continue
        row.code = first
        row.save(update_fields=["code"])
        for code in others if whole else ():
            if not exists.filter(code=code).exists():
                row.pk, row.code = None, code
                row.save(force_insert=True)


def parts(model, row):
    """Return one issue for every element that was missing."""
    agency = row.field.rpartition("[@")[2].rstrip("]")
    fields = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    kept = {name: getattr(row, name) for name in fields}
    made = []
    for element in row.value.split(", "):
        if element in RULES:
            made.append(model(**kept | {"code": RULES[element], "field": element, "value": agency}))
        elif element in WORDS:
            about = {"code": SUBSTITUTED, "severity": "information", "value": agency, "result": WORDS[element]}
            made.append(model(**kept | about | {"field": element}))
    return made


def count(counts, issues):
    """Correct the newest count of every provider that has such issues."""
    for repository in issues.objects.filter(code__startswith="doi.").order_by().values_list("repository").distinct():
        newest = counts.objects.filter(repository=repository[0]).order_by("-pk").first()
        if newest is None:
            continue
        own = issues.objects.filter(repository=repository[0], code__startswith="doi.").order_by()
        columns = (Count("pk"), Count("source_record", distinct=True), Count("ignored"))
        rows = own.values_list("code", "severity").annotate(*columns)
        kept = [row for row in newest.counts if row[0] not in REPLACED]
        newest.counts = [*kept, *map(list, rows)]
        newest.save(update_fields=["counts"])


class Migration(migrations.Migration):
    """Rules about DOIs that were one for all missing elements, and one for each format, are one for each element."""

    dependencies = [
        ("harvesting", "0029_unregistered_records"),
    ]

    operations = [
        migrations.RunPython(replace, migrations.RunPython.noop),
    ]
