"""“trial” meant two things: not approved yet, and harvested and shown. The first is a state of its own now, the second is
“live”, as readers see it already.
"""

from django.db import migrations, models

STATES = [
    ("asked", "awaiting approval"),
    ("trial", "preview"),
    ("live", "live"),
    ("paused", "paused"),
    ("stopped", "stopped"),
]


def forwards(apps, schema_editor):
    repositories = apps.get_model("harvesting", "Repository").objects
    repositories.filter(state="trial", approved=True).update(state="live")
    repositories.filter(approved=False, state="trial").update(state="asked", published=False)


def backwards(apps, schema_editor):
    apps.get_model("harvesting", "Repository").objects.filter(state="asked").update(state="trial")


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0036_coming_retry")]
    operations = [
        migrations.AddField("repository", "published", models.BooleanField(default=True, editable=False)),
        migrations.AlterField(
            "repository",
            "state",
            models.CharField(choices=STATES, default="live", max_length=10, verbose_name="state"),
        ),
        migrations.RunPython(forwards, backwards),
    ]
