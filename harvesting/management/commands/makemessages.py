"""`manage.py makemessages`: Django's command, extended to the texts of Jinja2's templates.

For a further language it also reads the English texts that stand beside Japanese ones, in TOML files and tables of
terms and codes. Japanese and English need no catalogue for these.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from django.core.management.commands.makemessages import BuildFile
from django.core.management.commands.makemessages import Command as DjangoCommand
from django.template import engines
from django.template.backends.jinja2 import Jinja2

from core.languages import OWN
from metadata.text.tables import read_table
from metadata.vocabularies.labels import FOLDER, read_labels


class PageFile(BuildFile):
    """A source of texts. xgettext reads Python, so the texts of a template are written as calls in Python."""

    def preprocess(self) -> None:
        backend = cast("Jinja2", engines["jinja2"])
        path = Path(self.path).resolve()
        if path.suffix in BESIDE_JAPANESE:
            calls = "".join(f"gettext({text!r})\n" for text in BESIDE_JAPANESE[path.suffix](path))
            Path(self.work_path).write_text(calls, encoding="utf-8")
        elif not any(path.is_relative_to(folder) for folder in backend.template_dirs):
            super().preprocess()
        elif self.is_templatized:
            source = path.read_text(encoding="utf-8")
            texts = backend.env.extract_translations(source)  # type: ignore[attr-defined]  # of the extension
            calls = python_calls(texts)
            Path(self.work_path).write_text(calls, encoding="utf-8")


def python_calls(texts: list[tuple[int, str, str | tuple[str | None, ...]]]) -> str:
    """Return Python code with a call for each text, on the line where the text stands in the template."""
    lines: dict[int, list[str]] = {}
    for number, function, text in texts:
        arguments = (text,) if isinstance(text, str) else tuple(part for part in text if part is not None)
        lines.setdefault(number, []).append(f"{function}({', '.join(map(repr, arguments))})")
    return "".join("; ".join(lines.get(number, ())) + "\n" for number in range(1, max(lines, default=0) + 1))


def english_names(path: Path) -> Iterator[str]:
    """Yield the English names in a table of codes. Other tables, such as those of the demo, have none."""
    if path.parent == FOLDER:
        yield from (label.en for label in read_labels(path.stem).values())


def english_texts(table: Any) -> Iterator[str]:
    """Yield the English texts of a TOML file: the values of `en` and of names that end in it, and sources of rules."""
    if isinstance(table, list):
        for part in table:
            yield from english_texts(part)
    elif isinstance(table, dict):
        for name, value in table.items():
            if isinstance(value, str) and (name in {"en", "source"} or name.endswith("_en")):
                yield value
            else:
                yield from english_texts(value)


# Kind of file with English texts beside Japanese ones -> what yields them.
BESIDE_JAPANESE: dict[str, Callable[[Path], Iterator[str]]] = {
    ".toml": lambda path: english_texts(read_table(path)),
    ".tsv": english_names,
}


class Command(DjangoCommand):
    build_file_class = PageFile

    def handle(self, *arguments: Any, **options: Any) -> None:
        if options["locale"] and not set(options["locale"]) & set(OWN):
            options["extensions"] = [
                *(options["extensions"] or ["html", "txt", "py"]),
                *(suffix[1:] for suffix in BESIDE_JAPANESE),
            ]
            self.xgettext_options = [*self.xgettext_options, "--keyword=Label:2"]
        super().handle(*arguments, **options)
