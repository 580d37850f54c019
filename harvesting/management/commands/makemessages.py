"""`manage.py makemessages`: Django's command, which then reads the texts of Jinja2's templates too."""

from pathlib import Path
from typing import cast

from django.core.management.commands.makemessages import BuildFile
from django.core.management.commands.makemessages import Command as DjangoCommand
from django.template import engines
from django.template.backends.jinja2 import Jinja2


class PageFile(BuildFile):
    """A source of texts. xgettext reads Python, so the texts of a template are written as calls in Python."""

    def preprocess(self) -> None:
        backend = cast("Jinja2", engines["jinja2"])
        path = Path(self.path).resolve()
        if not any(path.is_relative_to(folder) for folder in backend.template_dirs):
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


class Command(DjangoCommand):
    build_file_class = PageFile
