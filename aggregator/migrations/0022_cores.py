import django.db.models.deletion
from django.db import migrations, models

CASCADE = django.db.models.deletion.CASCADE
ALARMS = [
    (1, 'very many descriptions share a blocking key: only the fullest are compared with all others'),
    (2, 'too many different descriptions share an ISBN'),
    (3, 'an ISBN is used for different books: it hardly counts in matching'),
    (4, 'too many linked descriptions: joined by stronger evidence only'),
    (5, 'too many different titles begin alike and share a person: they do not form a work'),
    (6, 'a few records bear the ISBN of another volume: it does not count for them'),
]


def reference(to, **options):
    return models.ForeignKey(on_delete=CASCADE, to=to, **options)


def match_again(apps, schema_editor):
    """Everything is matched by kinds and cores; meanwhile books keep their numbers, records and works."""
    apps.get_model('aggregator', 'MatchAlarm').objects.all().delete()
    books = apps.get_model('aggregator', 'Manifestation').objects
    books.exclude(scores=b'', work_keys=b'').update(scores=b'', work_keys=b'')
    members = apps.get_model('aggregator', 'Member').objects.values('source_record')
    apps.get_model('harvesting', 'SourceRecord').objects.filter(pk__in=members).update(aggregated_at=None)


class Migration(migrations.Migration):
    """Records with equal features are one kind, and kinds that agree in what tells books apart are one core. All that
    was derived from single records is computed anew.
    """

    dependencies = [
        ('aggregator', '0021_readers_words'),
    ]

    operations = [
        migrations.DeleteModel(name='MatchKey'),
        migrations.DeleteModel(name='ReviewPair'),
        migrations.DeleteModel(name='WorkKey'),
        migrations.CreateModel(
            name='Core',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('features', models.BinaryField(default=bytes)),
                ('fullness', models.PositiveSmallIntegerField(default=0)),
                ('keys', models.BinaryField(default=bytes)),
                ('isbns', models.BinaryField(default=bytes)),
                ('matcher', models.PositiveBigIntegerField(default=0)),
                ('kinds', models.PositiveBigIntegerField(default=0)),
                ('records', models.PositiveBigIntegerField(default=0)),
                ('linked_to', models.BigIntegerField(null=True)),
                ('score', models.FloatField(default=0)),
                ('evidence', models.JSONField(default=list)),
                ('example', reference('harvesting.sourcerecord', related_name='+')),
                ('manifestation', reference('aggregator.manifestation', related_name='cores')),
            ],
        ),
        migrations.CreateModel(
            name='Kind',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('features', models.BinaryField(default=bytes)),
                ('records', models.PositiveBigIntegerField(default=0)),
                ('version', models.PositiveSmallIntegerField(default=0)),
                ('core', reference('aggregator.core', related_name='kinds_of', db_constraint=False)),
            ],
        ),
        migrations.CreateModel(
            name='MatchKey',
            fields=[
                ('pk', models.CompositePrimaryKey('key', 'core', blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField()),
                ('core', reference('aggregator.core', related_name='+', db_index=False, db_constraint=False)),
            ],
        ),
        migrations.CreateModel(
            name='WorkKey',
            fields=[
                ('pk', models.CompositePrimaryKey('key', 'manifestation', blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField()),
                ('manifestation', reference('aggregator.manifestation', related_name='+', db_index=False, db_constraint=False)),
                ('form', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='ReviewPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('score', models.FloatField(verbose_name='score')),
                ('chance', models.FloatField(verbose_name='probability of error')),
                ('joined', models.BooleanField(verbose_name='joined')),
                ('asked', models.BooleanField(verbose_name='waiting for review')),
                ('evidence', models.JSONField(default=list)),
                ('since', models.DateTimeField(verbose_name='since')),
                ('first_core', reference('aggregator.core', related_name='+', db_index=False, db_constraint=False, verbose_name='description')),
                ('second_core', reference('aggregator.core', related_name='+', db_constraint=False, verbose_name='other description')),
                ('first', reference('harvesting.sourcerecord', related_name='+', verbose_name='record')),
                ('second', reference('harvesting.sourcerecord', related_name='+', verbose_name='other record')),
            ],
            options={
                'verbose_name': 'pair to review',
                'verbose_name_plural': 'pairs to review',
                'indexes': [models.Index(condition=models.Q(('asked', True)), fields=['-chance', 'id'], name='review_queue')],
                'constraints': [models.UniqueConstraint(fields=('first_core', 'second_core'), name='review_pair_once')],
            },
        ),
        *[
            migrations.RemoveField(model_name='member', name=name)
            for name in ('evidence', 'features', 'isbns', 'keys', 'linked_to', 'score', 'version')
        ],
        migrations.AddField(
            model_name='member',
            name='kind',
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name='members',
                to='aggregator.kind',
            ),
        ),
        migrations.AddField(model_name='matchalarm', name='fullest', field=models.BinaryField(default=bytes)),
        migrations.AlterField(
            model_name='matchalarm',
            name='kind',
            field=models.PositiveSmallIntegerField(choices=ALARMS, verbose_name='kind'),
        ),
        migrations.RunPython(match_again, migrations.RunPython.noop),
    ]
