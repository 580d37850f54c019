from django.db import migrations, models
from django.db.models import Count, F

COUNTS = {"IssueCount": "faulty", "DailyCount": "with_issues", "HealthStatus": "with_issues"}


def fill(apps, schema_editor):
    """Count the records that are not registered, in the newest counts. Of earlier ones only the least number is known:
    records with issues that were not among those counted.
    """
    rows = apps.get_model("harvesting", "SourceRecord").objects.filter(deleted=False, payload_hash=b"").order_by()
    now = dict(rows.values_list("repository").annotate(number=Count("pk")))
    for name, with_issues in COUNTS.items():
        model = apps.get_model("harvesting", name)
        beyond = model.objects.filter(**{f"{with_issues}__gt": F("records")})
        beyond.update(unregistered=F(with_issues) - F("records"))
        for repository, number in now.items():
            of_one = model.objects.filter(repository=repository)
            newest = of_one.order_by("-day" if name == "DailyCount" else "-pk").values_list("pk", flat=True)[:1]
            model.objects.filter(pk__in=list(newest)).update(unregistered=number)


class Migration(migrations.Migration):
    """Records that could not be registered are counted beside the others."""

    dependencies = [
        ("harvesting", "0028_unsubscribe_links"),
    ]

    operations = [
        migrations.AddField(
            "issuecount", "unregistered", models.PositiveBigIntegerField(default=0, db_default=0)
        ),
        migrations.AddField("dailycount", "unregistered", models.PositiveIntegerField(default=0, db_default=0)),
        migrations.AddField("healthstatus", "unregistered", models.PositiveIntegerField(default=0, db_default=0)),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
