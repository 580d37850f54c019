"""python -m metadata: shows how records in files or standard input are read, as text or JSON. Needs no database."""

import argparse
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from email.utils import parseaddr
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from lxml import etree

from metadata.catalogue import WORDS, remedy, sentence, severity, severity_label
from metadata.deposits import crossref, jalc
from metadata.deposits.kinds import CROSSREF, JALC
from metadata.deposits.needs import NotRegistrable
from metadata.formats import CROSSWALKS, WRITERS, crosswalk_of
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import read, read_element
from metadata.record import BibliographicRecord, Value
from metadata.validation.xsd.check import schemas_in
from metadata.vocabularies.namespaces import expand
from metadata.xml.envelopes import Enclosed, oai_error, unpack
from metadata.xml.parsing import XmlError, parse

READ, REJECTED, UNUSABLE = 0, 1, 2
LANGUAGES = ("ja", "en")
DEPOSITS = {"jalc": JALC, "crossref": CROSSREF}
NOT_REGISTRABLE = {
    "datacite": "not_registrable_datacite",
    "doi": "not_registrable_doi",
    "needs": "not_registrable",
}


class Result(NamedTuple):
    """The reading of one record, and where the record comes from."""

    name: str
    identifier: str
    reading: Reading
    root: etree._Element | None


def main(arguments: list[str] | None = None) -> int:
    """Return the exit code: 0 all records read, 1 a record was rejected, 2 wrong usage or nothing to read."""
    parser = _parser()
    options = parser.parse_args(arguments)
    for format_, option in (("jalc", "site_id"), ("crossref", "depositor")):
        if (options.to == format_) != bool(getattr(options, option)):
            parser.error(f"--to {format_} and --{option.replace('_', '-')} belong together")
    words = list(options.words)
    if words and words[0] in CROSSWALKS and not Path(words[0]).exists():
        options.prefix = words.pop(0)
    code = READ
    for name in words or ["-"]:
        code = max(code, _show_file(name, options))
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m metadata",
        description="Reads a record, or all records of an OAI-PMH or SRU response, and shows its fields and issues, "
        "or writes it in another format.",
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="PREFIX|FILE",
        help="the metadataPrefix asked for, then files; without files, standard input",
    )
    parser.add_argument("--prefix", default="", choices=list(CROSSWALKS), help="the same as PREFIX")
    parser.add_argument("--to", choices=[*WRITERS, *DEPOSITS], help="write each record in this format")
    parser.add_argument("--site-id", default="", help="with --to jalc: the number of the site at JaLC")
    parser.add_argument(
        "--depositor",
        default=(),
        type=_depositor,
        metavar="'NAME <ADDRESS>'",
        help="with --to crossref: who sends the document",
    )
    parser.add_argument(
        "--schemas",
        default="",
        type=_folder,
        metavar="FOLDER",
        help="check the records also against the official XSDs in there",
    )
    parser.add_argument("--unmapped", action="store_true", help="also list elements that the conversion does not use")
    parser.add_argument("--json", action="store_true", help="one JSON object a record")
    parser.add_argument("--language", choices=LANGUAGES, default=_language(), help="of the messages")
    return parser


def _folder(name: str) -> str:
    if not Path(name).is_dir():
        raise argparse.ArgumentTypeError(f"{name} is not a folder")
    return name


def _depositor(text: str) -> tuple[str, str]:
    name, address = parseaddr(text)
    if not name or "@" not in address:
        raise argparse.ArgumentTypeError("a name and an address of mail are needed: NAME <ADDRESS>")
    return name, address


def _language() -> str:
    """The language of the locale, determined as gettext does."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "ja" if locale.startswith("ja") else "en"


def _words(options: argparse.Namespace, key: str, /, **values: object) -> str:
    return WORDS[key].in_language(options.language).format(**values)


def _show_file(name: str, options: argparse.Namespace) -> int:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        text = _words(options, "no_file", name=name, reason=reason, prefixes=", ".join(CROSSWALKS))
        print(text, file=sys.stderr)
        return UNUSABLE
    code = READ
    results = list(_results(name, data, options))
    for result in results:
        _show(result, options)
        code = max(code, READ if result.reading.record else REJECTED)
    if options.unmapped and len(results) > 1 and not options.json:
        for line in _summary(name, results, options):
            print(line, file=sys.stderr if options.to else sys.stdout)
    if not results:
        print(_words(options, "no_records", name=name, reason=oai_error(parse(data))), file=sys.stderr)
        return UNUSABLE
    return code


def _results(name: str, data: bytes, options: argparse.Namespace) -> Iterator[Result]:
    prefix, policy = options.prefix, Policy(schemas=schemas_in(options.schemas) if options.schemas else None)
    try:
        root = parse(data)
    except XmlError:
        yield Result(name, "", read(data, prefix, policy), None)
        return
    for enclosed in unpack(root):
        reading, element = _read(enclosed, prefix, policy)
        yield Result(name, enclosed.identifier, reading, element)


def _read(enclosed: Enclosed, prefix: str, policy: Policy) -> tuple[Reading, etree._Element | None]:
    if enclosed.element is not None:
        return read_element(enclosed.element, prefix, policy), enclosed.element
    try:
        root = parse(enclosed.data)
    except XmlError:
        return read(enclosed.data, prefix, policy), None
    return read_element(root, prefix, policy), root


def _show(result: Result, options: argparse.Namespace) -> None:
    record = result.reading.record
    written = _written(record, options) if record and options.to else ""
    if options.json:
        print(json.dumps(_as_json(result, options, written), ensure_ascii=False))
        return
    if written:
        print(written)
    elif record and not options.to:
        _show_record(result, record)
    for line in _lines(result, options):
        print(line, file=sys.stderr if options.to else sys.stdout)


def _written(record: BibliographicRecord, options: argparse.Namespace) -> str:
    if options.to not in DEPOSITS:
        return WRITERS[options.to].write(record).decode()
    try:
        return _deposit(record, options).decode()
    except NotRegistrable as reason:
        print(_words(options, NOT_REGISTRABLE[reason.code], agency=DEPOSITS[options.to]), file=sys.stderr)
        for issue in reason.issues:
            print(f"  [{issue.code}] {sentence(issue, options.language)}", file=sys.stderr)
        return ""


def _deposit(record: BibliographicRecord, options: argparse.Namespace) -> bytes:
    if options.to == "jalc":
        return jalc.write([record], options.site_id)
    name, address = options.depositor
    return crossref.write([record], crossref.Batch(str(uuid.uuid4()), time.time_ns() // 1000, name, address, name))


def _show_record(result: Result, record: BibliographicRecord) -> None:
    print(f"== {result.name} {result.identifier}".rstrip())
    for name in record.__struct_fields__:
        value = getattr(record, name)
        for part in value if isinstance(value, tuple) else (value,):
            line = _text(part)
            if line:
                print(f"{name:22} {line}")


def _text(value: str | Value) -> str:
    """The non-empty parts of a value, in their order."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Value):
        return "; ".join(map(_text, value))
    return " | ".join(filter(None, (_text(getattr(value, part)) for part in value.__struct_fields__)))


def _lines(result: Result, options: argparse.Namespace) -> Iterator[str]:
    if result.reading.record is None:
        yield f"== {result.name} {result.identifier}: {_words(options, 'not_read')}"
    for issue in result.reading.issues:
        label = severity_label(severity(issue.code), options.language)
        yield f"[{label} {issue.code}] {sentence(issue, options.language)}"
        advice = remedy(issue, options.language)
        if advice:
            yield f"    → {advice}"
    if options.unmapped:
        yield _words(options, "unmapped", names=", ".join(_unmapped(result)) or "-")


def _summary(name: str, results: list[Result], options: argparse.Namespace) -> Iterator[str]:
    """Lines about the elements that were not converted in any record of the file, the most frequent first."""
    unmapped: dict[str, list[Result]] = {}
    for result in results:
        for element in _unmapped(result):
            unmapped.setdefault(element, []).append(result)
    yield _words(options, "unmapped_all", name=name, records=len(results)) + ("" if unmapped else " -")
    for element, records in sorted(unmapped.items(), key=lambda item: -len(item[1])):
        yield f"{len(records):6}  {element}  {records[0].identifier}  {_value(records[0], element)}".rstrip()


def _value(result: Result, element: str) -> str:
    """Return the first 60 characters of the text of the first element with this name; "" if there is none."""
    inner = _payload(result.root)
    tag = expand(element.rpartition("/")[2]) if "{" not in element else ""
    first = next(inner.iter(tag), None) if inner is not None and tag else None
    return " ".join("".join(map(str, first.itertext())).split())[:60] if first is not None else ""


def _payload(root: etree._Element | None) -> etree._Element | None:
    """The element of the record, without a metadata element around it."""
    return root if root is None or crosswalk_of(root.tag) or not len(root) else root[0]


def _unmapped(result: Result) -> list[str]:
    inner = _payload(result.root)
    crosswalk = crosswalk_of(inner.tag) if inner is not None else None
    return crosswalk.unmapped(inner) if crosswalk and inner is not None else []


def _as_json(result: Result, options: argparse.Namespace, written: str) -> dict[str, Any]:
    output: dict[str, Any] = {
        "file": result.name,
        "identifier": result.identifier,
        "record": msgspec.to_builtins(result.reading.record),
        "issues": [_issue_as_json(issue, options.language) for issue in result.reading.issues],
    }
    if options.to:
        output |= {"format": options.to, "xml": written}
    if options.unmapped:
        output["unmapped"] = _unmapped(result)
    return output


def _issue_as_json(issue: Issue, language: str) -> dict[str, str]:
    return {
        "code": issue.code,
        "severity": severity(issue.code),
        "field": issue.field,
        "value": issue.value,
        "message": sentence(issue, language),
        "remedy": remedy(issue, language),
    }


if __name__ == "__main__":
    sys.exit(main())
