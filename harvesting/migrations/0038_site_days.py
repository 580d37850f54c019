"""Counts of all providers by day. The earlier days are summed from those of each provider; how many issues were found and
resolved then is not known.
"""

from django.db import migrations, models


def fill(apps, schema_editor):
    """Add up, day by day, the last counts that each provider had."""
    last, days, totals = {}, {}, [0, 0, 0]
    counts = apps.get_model("harvesting", "DailyCount").objects.order_by("day", "repository_id")
    for day, repository, *values in counts.values_list(
        "day", "repository_id", "records", "unregistered", "with_issues"
    ).iterator():
        before = last.get(repository, (0, 0, 0))
        totals = [total + new - old for total, new, old in zip(totals, values, before, strict=True)]
        last[repository] = values
        days[day] = totals
    model = apps.get_model("harvesting", "SiteDay")
    names = ("records", "unregistered", "with_issues")
    model.objects.bulk_create(
        [model(day=day, **dict(zip(names, totals, strict=True))) for day, totals in days.items()], batch_size=200
    )


class Migration(migrations.Migration):

    dependencies = [
        ('harvesting', '0037_provider_states'),
    ]

    operations = [
        migrations.CreateModel(
            name='SiteDay',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('records', models.PositiveBigIntegerField(default=0)),
                ('unregistered', models.PositiveBigIntegerField(default=0)),
                ('with_issues', models.PositiveBigIntegerField(default=0)),
                ('opened', models.PositiveBigIntegerField(default=0)),
                ('mended', models.PositiveBigIntegerField(default=0)),
            ],
            options={
                'ordering': ['day'],
            },
        ),
        migrations.AddField(
            model_name='dailycount',
            name='mended',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='dailycount',
            name='opened',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name='dailycount',
            index=models.Index(fields=['day'], name='day_of_all'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
