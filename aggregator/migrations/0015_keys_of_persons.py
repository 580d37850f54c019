from django.db import migrations


def match_again(apps, schema_editor):
    """A person and a year are a key only with the pages or the end of the title: all keys are made anew."""
    members = apps.get_model('aggregator', 'Member').objects.values('source_record')
    apps.get_model('harvesting', 'SourceRecord').objects.filter(pk__in=members).update(aggregated_at=None)


class Migration(migrations.Migration):

    dependencies = [
        ('aggregator', '0014_erasures'),
    ]

    operations = [
        migrations.RunPython(match_again, migrations.RunPython.noop),
    ]
