"""Uploads get names that are valid on every machine; before, their paths on one machine were stored."""

import re

from django.db import migrations

_PATH = re.compile(r"/(?:.*/)?(uploads/[0-9a-f]{32}/[-\w.]{1,80})")


def name_uploads(apps, _schema_editor):
    for label, column in (("Feed", "base_url"), ("Draft", "upload")):
        rows = apps.get_model("harvesting", label).objects.filter(**{f"{column}__startswith": "/"})
        for pk, path in list(rows.values_list("pk", column)):
            if found := _PATH.fullmatch(path):
                rows.filter(pk=pk).update(**{column: found[1]})


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0038_site_days")]

    operations = [migrations.RunPython(name_uploads, migrations.RunPython.noop)]
