"""Reads the names of codes, which cataloguers can edit: the tables in names/, with code, Japanese and English name.

The columns are separated by tabs. A mistake in a table stops the program with a ValueError that names the line.
"""

from pathlib import Path

from metadata.vocabularies.dcndl import Label

FOLDER = Path(__file__).parent / "names"


def read_labels(name: str, folder: Path = FOLDER) -> dict[str, Label]:
    """Return the names in a table by their codes, in the order of the table."""
    labels: dict[str, Label] = {}
    path = folder / f"{name}.tsv"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code, *names = line.split("\t")
        if len(names) != 2 or not all((code, *names)) or code in labels:
            raise ValueError(f"{path}: line {number} is not a new code with a Japanese and an English name")
        labels[code] = Label(*names)
    return labels
