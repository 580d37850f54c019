from django.db import migrations, models


class Migration(migrations.Migration):
    """Headings by which readers browse. The first counting fills them in the background."""

    dependencies = [
        ('aggregator', '0036_search_alerts'),
    ]

    operations = [
        migrations.CreateModel(
            name='HeadingRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('position', models.PositiveBigIntegerField(default=0)),
                ('books', models.PositiveBigIntegerField(default=0)),
                ('seconds', models.FloatField(default=0)),
                ('letters', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='Heading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.PositiveBigIntegerField()),
                ('kind', models.CharField(max_length=1)),
                ('code', models.CharField(max_length=250)),
                ('label', models.CharField(max_length=200)),
                ('reading', models.CharField(blank=True, max_length=200)),
                ('letter', models.CharField(max_length=2)),
                ('key', models.CharField(max_length=60)),
                ('books', models.PositiveIntegerField(default=0)),
                ('first_year', models.PositiveSmallIntegerField(default=0)),
                ('last_year', models.PositiveSmallIntegerField(default=0)),
                ('main', models.CharField(blank=True, max_length=250)),
            ],
            options={
                'indexes': [models.Index(fields=['run', 'kind', 'letter', 'key', 'id'], name='heading_by_letter'), models.Index(fields=['run', 'kind', '-books', 'id'], name='heading_by_books'), models.Index(fields=['run', 'main'], name='heading_of_main')],
                'constraints': [models.UniqueConstraint(fields=('run', 'code'), name='heading_once_a_run')],
            },
        ),
        migrations.CreateModel(
            name='HeadingLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.PositiveBigIntegerField()),
                ('code', models.CharField(max_length=250)),
                ('is_name', models.BooleanField()),
                ('value', models.CharField(max_length=250)),
                ('text', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'indexes': [models.Index(fields=['run', 'value'], name='heading_link_by_value')],
                'constraints': [models.UniqueConstraint(fields=('run', 'code', 'value'), name='heading_link_once_a_run')],
            },
        ),
        migrations.CreateModel(
            name='SubjectRelation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('list_name', models.CharField(max_length=40)),
                ('kind', models.CharField(choices=[('broader', 'Broader'), ('narrower', 'Narrower'), ('related', 'Related'), ('use', 'Use')], max_length=8)),
                ('source', models.CharField(max_length=200)),
                ('source_key', models.CharField(max_length=200)),
                ('target', models.CharField(max_length=200)),
                ('target_key', models.CharField(max_length=200)),
            ],
            options={
                'indexes': [models.Index(fields=['source_key'], name='subject_relation_source'), models.Index(fields=['target_key'], name='subject_relation_target')],
                'constraints': [models.UniqueConstraint(fields=('list_name', 'kind', 'source_key', 'target_key'), name='subject_relation_once')],
            },
        ),
    ]
