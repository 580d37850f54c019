import django.db.models.deletion
from django.db import migrations, models


def moved(name, holder, model, constraint):
    """The rows of a table of keys into one whose primary key is the pair itself. A primary key cannot be altered."""
    old, table = f'Old{name}', f'aggregator_{name.lower()}'
    held_by = models.ForeignKey(
        db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=model
    )
    copy = f'INSERT INTO {table} (key, {holder}_id) SELECT key, {holder}_id FROM aggregator_old{name.lower()}'
    return [
        migrations.RemoveConstraint(model_name=name.lower(), name=constraint),
        migrations.RenameModel(old_name=name, new_name=old),
        migrations.CreateModel(
            name=name,
            fields=[
                ('pk', models.CompositePrimaryKey('key', holder, blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField()),
                (holder, held_by),
            ],
        ),
        migrations.RunSQL(f'{copy} ORDER BY 1, 2', migrations.RunSQL.noop),
        migrations.DeleteModel(name=old),
    ]


def match_again(apps, schema_editor):
    """Keys are others, and there are fewer of them."""
    members = apps.get_model('aggregator', 'Member').objects.values('source_record')
    apps.get_model('harvesting', 'SourceRecord').objects.filter(pk__in=members).update(aggregated_at=None)


class Migration(migrations.Migration):

    dependencies = [
        ('aggregator', '0008_resources'),
    ]

    operations = [
        *moved('MatchKey', 'source_record', 'harvesting.sourcerecord', 'match_key_once'),
        *moved('WorkKey', 'manifestation', 'aggregator.manifestation', 'work_key_once'),
        migrations.RunPython(match_again, migrations.RunPython.noop),
    ]
