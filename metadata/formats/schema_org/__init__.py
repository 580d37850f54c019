"""JSON-LD with the vocabulary of schema.org, which is only written."""

from metadata.formats.schema_org import write
from metadata.writer import Writer, join_json

WRITER = Writer(
    name="jsonld",
    label="JSON-LD",
    media_type="application/ld+json",
    ending="jsonld",
    write=write.write,
    books=True,
    join=join_json,
)
