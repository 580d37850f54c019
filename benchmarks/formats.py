"""How real records are read, by format: read or rejected and why, which elements are not mapped, and the time taken.

    python3 run.py bench formats --samples FOLDER [--json] [--passes 3]

FOLDER holds files of records in any supported format: OAI-PMH and SRU responses, collections, single records. Each
record is taken out of its envelope first. Times are CPU microseconds per record, the least of several passes over the
same payloads in one process. Compare the ratios to plain parsing by lxml; the times depend on the machine.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from metadata.formats import CROSSWALKS, crosswalk_of
from metadata.policy import DEFAULT
from metadata.reading import read
from metadata.record import BibliographicRecord
from metadata.xml.envelopes import unpack
from metadata.xml.parsing import PARSER_OPTIONS, XmlError, parse

SHOWN = 10  # most frequent reasons and elements


@dataclass(slots=True)
class Figures:
    """The results for one format. payloads: each record as a document of its own."""

    payloads: list[bytes] = field(default_factory=list)
    read: int = 0
    rejected: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)
    microseconds: dict[str, float] = field(default_factory=dict)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--passes", type=int, default=3, help="passes over all records; the fastest counts")
    parser.add_argument("--least", type=int, default=2000, help="records in a pass; fewer records are repeated")
    parser.add_argument("--json", action="store_true", help="print JSON Lines, one object for each format")
    options = parser.parse_args()
    for prefix, figures in sorted(gather(options.samples).items()):
        count(prefix, figures)
        clock(prefix, figures, options.passes, options.least)
        show(prefix, figures, as_json=options.json)


def gather(folder: Path) -> dict[str, Figures]:
    """Return the records of every XML file, by format."""
    found: dict[str, Figures] = {}
    for path in sorted(entry for entry in folder.rglob("*") if entry.is_file()):
        try:
            root = parse(path.read_bytes())
        except XmlError:
            continue
        for element in _records(root):
            crosswalk = crosswalk_of(element.tag)
            if crosswalk is not None:
                payload = etree.tostring(element, encoding="UTF-8", with_tail=False)
                found.setdefault(crosswalk.prefix, Figures()).payloads.append(payload)
    return found


def _records(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the root elements of records; those of a feed or a collection are nested deeper in the document."""
    for enclosed in unpack(root):
        outer = enclosed.element if enclosed.element is not None else _parsed(enclosed.data)
        if outer is None:
            continue
        inner = outer[0] if len(outer) == 1 and crosswalk_of(outer.tag) is None else outer
        if crosswalk_of(inner.tag) is not None:
            yield inner
        else:
            yield from (element for element in outer.iter(etree.Element) if crosswalk_of(element.tag) is not None)


def _parsed(data: bytes) -> etree._Element | None:
    try:
        return parse(data)
    except XmlError:
        return None


def count(prefix: str, figures: Figures) -> None:
    """Count records read and rejected, the issue codes that reject, and the elements that no crosswalk maps."""
    for payload in figures.payloads:
        reading = read(payload, prefix)
        if reading.record is None:
            figures.rejected += 1
            figures.reasons.update({issue.code for issue in reading.issues if DEFAULT.refuses([issue])})
        else:
            figures.read += 1
        figures.unmapped.update(set(CROSSWALKS[prefix].unmapped(parse(payload))))


def clock(prefix: str, figures: Figures, passes: int, least: int) -> None:
    """Measure the CPU time per record of parsing, of reading with all rules, and of writing the records again."""
    payloads = figures.payloads * max(1, least // len(figures.payloads))
    records = [record for payload in figures.payloads if (record := read(payload, prefix).record) is not None]
    stages: dict[str, Callable[[], int]] = {
        "parse": lambda: sum(1 for payload in payloads if _plain(payload) is not None),
        "read": lambda: len([read(payload, prefix) for payload in payloads]),
        "write": lambda: _write_all(prefix, records, least),
    }
    for _ in range(passes):  # alternating, so that other load on the machine affects all stages alike
        for name, stage in stages.items():
            begun = time.process_time()
            done = stage()
            spent = (time.process_time() - begun) * 1e6 / max(1, done)
            figures.microseconds[name] = min(spent, figures.microseconds.get(name, spent))


def _plain(payload: bytes) -> etree._Element | None:
    return etree.fromstring(payload, etree.XMLParser(**PARSER_OPTIONS))


def _write_all(prefix: str, records: list[BibliographicRecord], least: int) -> int:
    write = CROSSWALKS[prefix].write
    wanted = records * (max(1, least // len(records)) if records else 0)
    return sum(1 for record in wanted if write(record))


def show(prefix: str, figures: Figures, *, as_json: bool) -> None:
    parsing = figures.microseconds["parse"]
    result: dict[str, Any] = {
        "suite": "formats",
        "format": prefix,
        "records": len(figures.payloads),
        "read": figures.read,
        "rejected": figures.rejected,
        "reasons": dict(figures.reasons.most_common()),
        "unmapped": dict(figures.unmapped.most_common()),
        "microseconds": {name: round(spent, 1) for name, spent in figures.microseconds.items()},
        "ratio": {name: round(figures.microseconds[name] / parsing, 2) for name in ("read", "write")},
    }
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
        return
    times = ", ".join(f"{name} {spent} µs" for name, spent in result["microseconds"].items())
    print(f"{prefix}: {len(figures.payloads)} records, {figures.read} read, {figures.rejected} rejected; {times}")
    print(f"    ratio to parsing: read {result['ratio']['read']}, write {result['ratio']['write']}")
    for label, found in (("rejected by", figures.reasons), ("not mapped", figures.unmapped)):
        if found:
            print(f"    {label}: " + ", ".join(f"{name} ({times})" for name, times in found.most_common(SHOWN)))


if __name__ == "__main__":
    main()
