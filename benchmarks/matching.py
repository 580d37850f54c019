"""Ablation of the matcher, to see what each part is worth: `python3 run.py bench matching FOLDER [NAME]…`.

FOLDER holds records.jsonl and truth.jsonl. Removes one part at a time, learns the weights again without it, and prints
precision, recall and F1 of the groups by five-fold cross-validation (no record is judged by weights that were learned
from its family). NAME: only these parts.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec import structs

from aggregator.matching.comparison.compare import VETOES
from aggregator.matching.evaluation import cross_validation as trial
from aggregator.matching.evaluation import files
from aggregator.matching.evaluation.cross_validation import CrossValidation, LabelledRecords, Thresholds
from aggregator.matching.features import names, numbering
from aggregator.matching.features import row as extraction
from aggregator.matching.features.titles import TitleParts, split_title
from aggregator.matching.groups import partition, solve
from metadata.text import folding
from metadata.text.dates import read_date
from metadata.text.kanji import KANJI

THRESHOLDS = Thresholds(join=0.0, floor=-7.0)
_WESTERN_YEAR = re.compile("[12][0-9]{3}")
_CACHED = (
    names.person_form,
    names.publisher_form,
    names.publisher_forms,
    numbering.volume_form,
    extraction._core,
    extraction._numbered_series,
)


def main(folder: Path, only: list[str]) -> None:
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    print(f"{'without':28}{'P':>8}{'R':>8}{'F1':>8}{'B3 F1':>8}{'largest':>9}")
    for name, without in PARTS.items():
        if not only or name in only:
            with without():
                score = tried(folder, truth, _ROWS.get(name, {})).tally(_THRESHOLDS.get(name, THRESHOLDS)).score()
            figures = "".join(f"{figure:8.4f}" for figure in (score.precision, score.recall, score.f1, score.b3_f1))
            print(f"{name:28}{figures}{score.largest:9}", flush=True)


def tried(folder: Path, truth: list[dict[str, Any]], blank: Mapping[str, Any]) -> CrossValidation:
    """Cross-validate on the records with some features blanked. blank: feature -> its empty value."""
    for function in _CACHED:
        function.cache_clear()
    with (folder / "records.jsonl").open("rb") as lines:
        rows = {row.id: extraction.extract_features(files.record_of(row)) for row in files.read_rows(lines)}
    if blank:
        rows = {record_id: structs.replace(row, **blank) for record_id, row in rows.items()}
    right = {row["id"]: row["manifestation"] for row in truth}
    return CrossValidation(
        LabelledRecords(rows, right, {row["id"]: row.get("family") or row["manifestation"] for row in truth})
    )


@contextmanager
def _no_vetoes_but_title() -> Iterator[None]:
    kept = {veto: weight for veto, weight in VETOES.items() if veto[0] == "title"}
    with patch.dict(VETOES, kept, clear=True):
        yield


def _title_with_volume(printed: str) -> TitleParts:
    parts = split_title(printed)
    return parts._replace(core=f"{parts.core} {parts.volume}".strip(), volume="", bare=False)


def _unfolded() -> AbstractContextManager[Any]:
    return patch.dict(folding._FOLDED, {ord(kanji): ord(kanji) for kanji in KANJI})


def _no_suspects(_members: Any, _records: Any = ()) -> dict[str, str]:
    return {}


@contextmanager
def _isbns_never_suspect() -> Iterator[None]:
    with patch.object(trial, "suspect_isbns", _no_suspects), patch.object(partition, "suspect_isbns", _no_suspects):
        yield


def _western(printed: str) -> str:
    return read_date(printed) if _WESTERN_YEAR.search(printed) else ""


PARTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "nothing (the matcher)": nullcontext,
    "volumes from titles": lambda: patch.object(extraction, "split_title", _title_with_volume),
    "vetoes but the title's": _no_vetoes_but_title,
    "guards of groups": lambda: patch.object(solve._Clusters, "_supported", lambda *_: True),
    "floor": nullcontext,
    "suspect ISBNs": _isbns_never_suspect,
    "old and variant kanji": _unfolded,
    "imperial years": lambda: patch.object(files, "read_date", _western),
    "editions": nullcontext,
    "readings": nullcontext,
    "months": nullcontext,
    "pages": nullcontext,
    "volume titles": nullcontext,
    "series": nullcontext,
    "authors": nullcontext,
    "publishers": nullcontext,
}
_ROWS: dict[str, Mapping[str, Any]] = {
    "editions": {"edition": ""},
    "readings": {"yomi": ""},
    "months": {"month": 0},
    "pages": {"pages": 0},
    "volume titles": {"parts": (), "part_volume": ""},
    "series": {"series": ()},
    "authors": {"persons": ()},
    "publishers": {"publishers": ()},
}
_THRESHOLDS = {"floor": structs.replace(THRESHOLDS, floor=-90.0)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python3 run.py bench matching", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with records.jsonl and truth.jsonl")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *PARTS], help="parts to remove; default: all")
    options = parser.parse_args()
    main(options.folder, options.names)
