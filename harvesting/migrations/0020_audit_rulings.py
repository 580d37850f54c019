"""Makes entries of the audit trail about rulings refer to the ruling, so that they can be shown in every language."""

import re

from django.db import migrations

NUMBER = re.compile(r"#(\d+) ")


def refer_to_rulings(apps, schema_editor):
    entries = apps.get_model("harvesting", "AuditEntry").objects.filter(action__startswith="match.", kind="")
    for pk, about in list(entries.values_list("pk", "about")):
        if number := NUMBER.match(about):
            entries.model.objects.filter(pk=pk).update(kind="matchruling", number=number[1])


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0019_labels")]
    operations = [migrations.RunPython(refer_to_rulings, migrations.RunPython.noop, elidable=True)]
