"""Export and import of a whole site as one ZIP file of JSON Lines, between databases of any kind.

tables/harvesting.repository.jsonl   one line per row, in the order of the primary key; for the tables see `tables`
uploads/…                            files that librarians uploaded
manifest.json                        versions, and for every table its columns, row count, checksum, last primary key

Secrets are left out (`tables.HIDDEN`). Two sites with the same content write the same tables, byte for byte.
"""
