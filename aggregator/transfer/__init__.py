"""Everything that a site knows, as JSON Lines in one ZIP file, between databases of any kind: `export`, `import`.

tables/harvesting.repository.jsonl   one line for each row, in the order of its key; what is in it: see `tables`
uploads/…                            files that librarians uploaded
manifest.json                        versions, and for each table its rows, its checksum, the last number it gave

Without secrets (`tables.HIDDEN`). Two sites with the same content write the same tables, byte for byte.
"""
