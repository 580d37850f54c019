import re
from collections import defaultdict
from itertools import batched

from django.db import migrations

# What "jpcoar:identifier[@HDL]" meant, by the last element: the attribute with the value "HDL".
ATTRIBUTES = {
    "identifier": "identifierType",
    "identifierRegistration": "identifierType",
    "relatedIdentifier": "identifierType",
    "sourceIdentifier": "identifierType",
    "nameIdentifier": "nameIdentifierScheme",
    "subject": "subjectScheme",
    "date": "dateType",
    "relation": "relationType",
    "description": "descriptionType",
    "URI": "objectType",
}
ELEMENTS = {
    "jpcoar:relatedIdentifier": "jpcoar:relation/jpcoar:relatedIdentifier",
    "publisher": "dc:publisher",
}
PLACE = re.compile(r"(.+)\[@([^=]*)\]")


def place(code, field):
    """Return the place as it is named now; the same for places that are named as before."""
    match = PLACE.fullmatch(field)
    if match is None:
        return field
    element, value = ELEMENTS.get(match[1], match[1]), match[2]
    if value == "en":
        return f'{element}[@{"xml:lang" if ":" in element else "lang"}="en"]'
    if code.startswith("mods."):
        return f'{element}[@type="{value.lower()}"]' if value else element
    if not code.startswith(("jpcoar.", "doi.")):
        return f"{element}[{value}]"
    prefix, _colon, name = element.rpartition("/")[2].rpartition(":")
    if not prefix or name not in ATTRIBUTES:
        return element  # of junii2, which has an element for every type
    return f"{element}[{' or '.join(f'@{ATTRIBUTES[name]}="{one}"' for one in value.split('|@'))}]"


def rename(apps, schema_editor):
    for name in ("RecordIssue", "ResolvedIssue", "IgnoredIssue"):
        model = apps.get_model("harvesting", name)
        rows = model.objects.filter(field__contains="[@").order_by("pk").values_list("pk", "code", "field")
        for part in batched(rows.iterator(2000), 2000):
            renamed = defaultdict(list)
            for pk, code, field in part:
                renamed[place(code, field)[:100]].append(pk)
            for field, pks in renamed.items():
                model.objects.filter(pk__in=pks).update(field=field)


class Migration(migrations.Migration):
    """Places of issues name the attribute: 'jpcoar:identifier[@identifierType="HDL"]', not "jpcoar:identifier[@HDL]".

    Renamed here, so that single issues that were ignored stay ignored.
    """

    dependencies = [
        ("harvesting", "0034_issue_patterns"),
    ]

    operations = [
        migrations.RunPython(rename, migrations.RunPython.noop),
    ]
